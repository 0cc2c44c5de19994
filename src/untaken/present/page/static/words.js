// How numbers are written: as in the texts and figures of the library.
import { UNIT } from "./data.js";

export function number(value) {
  if (value === 0 || Math.abs(value) < 1e-12) return "0";
  const size = Math.abs(value);
  if (size >= 1000) return Math.round(value).toLocaleString("en");
  if (size < 1e-4) return value.toPrecision(2);
  const text = value.toFixed(size >= 0.1 ? 2 : 5);
  return text.replace(/\.?0+$/, "").replace("-", "−");
}

export function signed(value) {
  const text = number(value);
  return text === "0" ? "±0" : value < 0 ? text : `+${text}`;
}

// A probability in units, or the two ends between which it is known to lie.
export function share(units) {
  if (Array.isArray(units)) {
    const [low, high] = units.map(share);
    return low === high ? low : `${low.replace(" %", "")}–${high}`;
  }
  const chance = units / UNIT;
  if (chance > 0 && chance < 0.0005) return "<0.1 %";
  if (chance > 0.995 && chance < 1) return ">99 %";
  return `${(100 * chance).toFixed(chance > 0 && chance < 0.00995 ? 1 : 0)} %`;
}

// With two digits: for numbers that are no more certain than that.
export function roughly(value) {
  return value >= 100 ? number(Math.round(value)) : String(Number(value.toPrecision(2)));
}

export function rare(chance) {
  if (chance >= 0.0005) return share(Math.round(chance * UNIT));
  return chance >= 1e-6
    ? `1 in ${Math.round(1 / chance).toLocaleString("en")}`
    : "less than 1 in a million";
}

export function middle(units) {
  return Array.isArray(units) ? (units[0] + units[1]) / 2 : units;
}

export function changes(k) {
  return k === 1 ? "1 changed action" : `${k} changed actions`;
}

// Labels that differ at their ends stay apart.
export function shortened(text, letters) {
  const all = [...text];
  if (all.length <= letters) return text;
  if (letters < 5) return letters < 2 ? all[0] : `${all.slice(0, letters - 1).join("")}…`;
  const tail = Math.floor((letters - 1) / 2);
  return `${all.slice(0, letters - 1 - tail).join("")}…${all.slice(-tail).join("")}`;
}

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
  if (chance >= 0.995 && chance < 1) return ">99 %";
  return `${(100 * chance).toFixed(chance > 0 && chance < 0.0095 ? 1 : 0)} %`;
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

const SQUARE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

// How broad a text is, in letters: those of Chinese, Japanese and Korean take nearly two each.
export function breadth(text) {
  return [...text].reduce((sum, letter) => sum + (SQUARE.test(letter) ? 1.8 : 1), 0);
}

// Labels that differ at their ends stay apart.
export function shortened(text, letters) {
  if (breadth(text) <= letters) return text;
  const all = [...text];
  const least = letters < 5 ? 0 : Math.floor((letters - 1) / 2);
  const tail = fitting([...all].reverse(), least).reverse();
  const head = fitting(all, letters - 1 - breadth(tail.join("")));
  return head.length || tail.length ? `${head.join("")}…${tail.join("")}` : all[0];
}

// As many of the letters as find room.
function fitting(letters, room) {
  let used = 0;
  return letters.slice(
    0,
    letters.filter((letter) => (used += breadth(letter)) <= room).length,
  );
}

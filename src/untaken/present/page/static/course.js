// One course over time: where the counterfactual may be at each step, what was observed, what can
// happen at best, and below it what was done and what is done instead.
import { legend, line, picture, s, titled } from "./dom.js";
import { UNIT } from "./data.js";
import { scale } from "./axes.js";
import { middle, share, shortened } from "./words.js";

const LETTER = 6.5; // pixels, on average

// `answer` is a budget of an episode's document, or a what-if; `shown` an explanation to draw too.
export function courseChart(width, cohort, episode, answer, shown = null) {
  const { words } = cohort, layers = episode.states.length, steps = episode.actions.length;
  const rows = episode.drawn, states = rows.map((code) => cohort.states[code]);
  const longest = Math.max("changed".length, ...states.map((name) => Math.min(name.length, 22)));
  const left = Math.min(longest * LETTER + 12, width * 0.3), right = 6;
  const step = Math.max((width - left - right) / layers, 27), wide = left + step * layers + right;
  const rowHeight = Math.max(13, Math.min(30, 190 / rows.length));
  const letters = Math.floor((step - 6) / LETTER);
  const longestAction = Math.max(...named(cohort, episode, answer, shown).map((name) => name.length));
  const upright = longestAction <= Math.max(letters, 3);
  const chip = upright ? 20 : Math.min(longestAction, 24) * LETTER + 10;
  const top = 6, band = rowHeight * rows.length;
  const at = { done: top + band + 12, bars: top + band + 12 + chip + 14, instead: top + band + chip + 72 };
  const height = at.instead + chip + 34;
  const rowOf = new Map(rows.map((code, place) => [code, rows.length - 1 - place]));
  const x = (t) => left + step * (t + 0.5), y = (code) => top + rowHeight * (rowOf.get(code) + 0.5);

  const parts = [];
  rows.forEach((code, place) => {
    const label = s("text", { x: left - 6, y: y(code) + 4, "text-anchor": "end" }, shortened(states[place], Math.floor((left - 10) / LETTER)));
    parts.push(titled(label, states[place]));
    parts.push(line([[left, y(code)], [wide - right, y(code)]], { class: "row-rule" }));
  });
  answer.chances.forEach((row, t) => {
    for (let i = 0; i < row.length; i += 2) {
      if (!rowOf.has(row[i])) continue;
      const chance = row[i + 1] / UNIT;
      const cell = s("rect", { x: x(t) - step / 2 + 0.5, y: y(row[i]) - rowHeight / 2 + 0.5, width: step - 1, height: rowHeight - 1, rx: 2, class: "fill", "fill-opacity": (0.92 * chance ** 0.6).toFixed(3) });
      parts.push(titled(cell, `${words.step} ${t + words.first}: ${cohort.states[row[i]]}, ${share(row[i + 1])}`));
    }
  });
  parts.push(s("rect", { x: left, y: top, width: step * layers, height: band, class: "cell-frame" }));
  const drawn = (codes, style) => {
    const points = codes.map((code, t) => [x(t), y(code)]).filter(([, at]) => Number.isFinite(at));
    parts.push(line(points, { class: `${style}-line` }));
    for (const [cx, cy] of points) parts.push(s("circle", { cx, cy, r: style === "shown" ? 4 : 3, class: `${style}-dot` }));
  };
  drawn(answer.best.states, "best");
  if (shown) {
    const points = shown.states.filter((code) => rowOf.has(code)).length === shown.states.length ? shown.states : [];
    parts.push(line(points.map((code, t) => [x(t), y(code)]), { class: "shown-halo" }));
    drawn(points, "shown");
  }
  drawn(episode.states, "observed"); // on top: where both agree, both are seen

  const toBar = scale(0, UNIT, 0, 30), alternatives = new Map(shown?.changes ?? []);
  side(parts, left, at.done + chip / 2, "done");
  side(parts, left, at.bars + 24, "changed");
  side(parts, left, at.instead + chip / 2, "instead");
  for (let t = 0; t < steps; t++) {
    const done = cohort.actions[episode.actions[t]];
    chipped(parts, x(t), at.done, step, chip, upright, letters, done, "chip-done", "done-text", `${words.step} ${t + words.first}: ${done} was done`);
    const chance = answer.changed[t], size = toBar(chance);
    if (chance) {
      const bar = s("rect", { x: x(t) - step * 0.32, width: step * 0.64, y: at.bars + 32 - size, height: Math.max(size, 1), rx: 2, class: "fill" });
      parts.push(titled(bar, `changed in ${share(chance)}`));
    }
    if (chance >= UNIT / 200) {
      parts.push(s("text", { x: x(t), y: at.bars + 29 - size, "text-anchor": "middle", class: "strong" }, share(chance).replace(" %", step > 36 ? " %" : "")));
    }
    const code = shown ? alternatives.get(t) : chance >= UNIT / 100 ? answer.instead[t][0]?.[0] : undefined;
    if (code === undefined) continue;
    const spelt = answer.instead[t].map(([other, c]) => `${cohort.actions[other]} ${share(c)}`).join(", ");
    const strength = shown ? 1 : 0.75 + (0.25 * chance) / UNIT;
    const said = `${words.step} ${t + words.first}: ${shown ? cohort.actions[code] : spelt} in place of ${done}`;
    chipped(parts, x(t), at.instead, step, chip, upright, letters, cohort.actions[code], shown ? "chip-shown" : "chip-instead", "on-chip", said, strength);
  }
  parts.push(line([[left, at.bars + 32], [wide - right, at.bars + 32]], { class: "axis" }));
  for (let t = 0; t < layers; t++) {
    const name = t < steps ? t + words.first : "end";
    parts.push(s("text", { x: x(t), y: at.instead + chip + 15, "text-anchor": "middle" }, String(name)));
  }
  parts.push(s("text", { x: left + (step * layers) / 2, y: height - 3, "text-anchor": "middle" }, words.step));
  return picture(wide, height, summary(cohort, episode, answer), parts);
}

export function courseLegend(shown) {
  const entries = [
    ["observed-line", "observed states"],
    ["fill", "how probable each state would have been"],
    ["best-line", "the best that can happen"],
  ];
  if (shown) entries.push(["shown-line", "the most probable state, where this way is chosen"]);
  return legend(...entries);
}

function named(cohort, episode, answer, shown) {
  const codes = [...episode.actions, ...answer.instead.map((row) => row[0]?.[0]), ...(shown?.changes ?? []).map(([, code]) => code)];
  return codes.filter((code) => code !== undefined).map((code) => cohort.actions[code]);
}

function side(parts, left, y, text) {
  parts.push(s("text", { x: left - 6, y: y + 4, "text-anchor": "end" }, text));
}

function chipped(parts, x, y, step, height, upright, letters, text, style, textStyle, said, strength = null) {
  const box = s("rect", { x: x - step / 2 + 1.5, y, width: step - 3, height, rx: 4, class: style, "fill-opacity": strength });
  const fits = upright ? Math.max(letters, 3) : Math.floor((height - 8) / LETTER);
  const place = upright ? { x, y: y + height / 2 + 4, "text-anchor": "middle" } : { "text-anchor": "middle", transform: `translate(${x + 4} ${y + height / 2}) rotate(-90)` };
  parts.push(titled(s("g", {}, box, s("text", { ...place, class: textStyle }, shortened(text, fits))), said));
}

// The same in words.
function summary(cohort, episode, answer) {
  const { words } = cohort;
  const likely = answer.changed
    .map((chance, t) => [chance, t])
    .filter(([chance]) => chance >= UNIT / 20)
    .map(([chance, t]) => `${words.step} ${t + words.first} in ${share(chance)}: ${cohort.actions[episode.actions[t]]} becomes ${answer.instead[t].slice(0, 2).map(([code]) => cohort.actions[code]).join(" or ")}`);
  const path = episode.states.map((code) => cohort.states[code]).join(", ");
  return `Observed states: ${path}. ${likely.length ? `Likely changes: ${likely.join("; ")}.` : "No likely change."}`;
}

// The chart's content as a table's rows: step, state, done, changed, instead, most likely state.
export function courseRows(cohort, episode, answer) {
  return episode.states.map((state, t) => {
    const row = answer.chances[t] ?? [];
    let best = 0;
    for (let i = 0; i < row.length; i += 2) if (row[i + 1] > row[best + 1]) best = i;
    const acted = t < episode.actions.length;
    return [
      acted ? String(t + cohort.words.first) : "end",
      cohort.states[state],
      acted ? cohort.actions[episode.actions[t]] : "",
      acted && middle(answer.changed[t]) ? share(answer.changed[t]) : "",
      acted ? answer.instead[t].slice(0, 3).map(([code, chance]) => `${cohort.actions[code]} ${share(chance)}`).join(", ") : "",
      row.length ? `${cohort.states[row[best]]} (${share(row[best + 1])})` : "",
    ];
  });
}

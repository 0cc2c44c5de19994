// One course over time: where the counterfactual may be at each step, what was observed, what can
// happen at best, and below it what was done and what is done instead.
import { legend, line, picture, s, titled } from "./dom.js";
import { UNIT } from "./data.js";
import { scale } from "./axes.js";
import { breadth, share, shortened } from "./words.js";

const LETTER = 6.5; // pixels, on average
const BAR = 32; // pixels of a change that is certain
const CHIP = { upright: 20, letters: 24 }; // its height; how many letters stand upright at most

// `answer` is a budget of an episode's document, or a what-if; `shown` an explanation to draw too.
export function courseChart(width, cohort, episode, answer, shown = null) {
  const told = { cohort, episode, answer, shown };
  const at = places(width, told);
  return picture(at.wide, at.height, summary(cohort, episode, answer), [
    stateNames(at, told),
    stateChances(at, told),
    courses(at, told),
    sides(at),
    episode.actions.map((_, t) => [done(at, told, t), changed(at, told, t), instead(at, told, t)]),
    steps(at, told),
  ]);
}

// Where everything stands, in pixels.
function places(width, told) {
  const { cohort, episode } = told;
  const layers = episode.states.length;
  const rows = episode.drawn;
  const names = rows.map((code) => breadth(cohort.states[code]));
  const longest = Math.max("changed".length, ...names.map((letters) => Math.min(letters, 22)));
  const left = Math.min(longest * LETTER + 12, width * 0.3);
  const step = Math.max((width - left - 6) / layers, 31);
  const rowHeight = Math.max(13, Math.min(30, 190 / rows.length));
  const letters = Math.max(Math.floor((step - 6) / LETTER), 3);
  const longestAction = Math.max(...actionNames(told).map(breadth));
  const upright = longestAction <= letters;
  const chip = upright ? CHIP.upright : Math.min(longestAction, CHIP.letters) * LETTER + 10;
  const top = 6;
  const band = rowHeight * rows.length;
  const bars = top + band + chip + 26;
  const rowOf = new Map(rows.map((code, place) => [code, rows.length - 1 - place]));
  return {
    left,
    step,
    rowHeight,
    upright,
    chip,
    top,
    band,
    right: left + step * layers,
    wide: left + step * layers + 6,
    height: bars + BAR + 14 + chip + 36,
    done: top + band + 12,
    bars,
    instead: bars + BAR + 14,
    letters: upright ? letters : Math.floor((chip - 8) / LETTER),
    stateLetters: Math.floor((left - 10) / LETTER),
    drawn: (code) => rowOf.has(code),
    x: (t) => left + step * (t + 0.5),
    y: (code) => top + rowHeight * (rowOf.get(code) + 0.5),
  };
}

function actionNames({ cohort, episode, answer, shown }) {
  const likeliest = answer.instead.map((row) => row[0]?.[0]);
  const chosen = (shown?.changes ?? []).map(([, code]) => code);
  const codes = [...episode.actions, ...likeliest, ...chosen];
  return codes.filter((code) => code !== undefined).map((code) => cohort.actions[code]);
}

function text(x, y, anchor, words, style = null) {
  return s("text", { x, y, "text-anchor": anchor, class: style }, words);
}

function stateNames(at, { cohort, episode }) {
  return episode.drawn.map((code) => {
    const name = cohort.states[code];
    const label = text(at.left - 6, at.y(code) + 4, "end", shortened(name, at.stateLetters));
    const rule = [at.left, at.right].map((x) => [x, at.y(code)]);
    return [titled(label, name), line(rule, { class: "row-rule" })];
  });
}

function stateChances(at, { cohort, episode, answer }) {
  const cells = answer.chances.map((row, t) =>
    episode.drawn.map((code) => {
      const chance = chanceOf(row, code);
      if (!chance) return null;
      const cell = s("rect", {
        x: at.x(t) - at.step / 2 + 0.5,
        y: at.y(code) - at.rowHeight / 2 + 0.5,
        width: at.step - 1,
        height: at.rowHeight - 1,
        rx: 2,
        class: "fill",
        "fill-opacity": (0.92 * (chance / UNIT) ** 0.6).toFixed(3),
      });
      return titled(cell, `${when(cohort, t)}: ${cohort.states[code]}, ${share(chance)}`);
    }),
  );
  const frame = { x: at.left, y: at.top, width: at.right - at.left, height: at.band };
  return [...cells, s("rect", { ...frame, class: "cell-frame" })];
}

// Rows of chances hold code, chance, code, chance.
function chanceOf(row, code) {
  for (let i = 0; i < row.length; i += 2) if (row[i] === code) return row[i + 1];
  return 0;
}

function courses(at, { episode, answer, shown }) {
  const best = course(at, answer.best.states, "best", 3);
  const observed = course(at, episode.states, "observed", 3);
  // The observed one comes last: where both agree, both are seen.
  return [best, shown ? course(at, shown.states, "shown", 4) : [], observed];
}

function course(at, states, style, radius) {
  if (!states.every(at.drawn)) return [];
  const points = states.map((code, t) => [at.x(t), at.y(code)]);
  const halo = style === "shown" ? line(points, { class: "shown-halo" }) : null;
  const dots = points.map(([cx, cy]) => s("circle", { cx, cy, r: radius, class: `${style}-dot` }));
  return [halo, line(points, { class: `${style}-line` }), dots];
}

function sides(at) {
  return [
    text(at.left - 6, at.done + at.chip / 2 + 4, "end", "done"),
    text(at.left - 6, at.bars + 28, "end", "changed"),
    text(at.left - 6, at.instead + at.chip / 2 + 4, "end", "instead"),
  ];
}

function done(at, { cohort, episode }, t) {
  const name = cohort.actions[episode.actions[t]];
  return chip(
    at,
    t,
    at.done,
    name,
    "chip-done",
    "done-text",
    `${when(cohort, t)}: ${name} was done`,
  );
}

// How often the action is changed.
function changed(at, { answer }, t) {
  const chance = answer.changed[t];
  if (!chance) return null;
  const size = scale(0, UNIT, 0, BAR - 2)(chance);
  const place = { x: at.x(t) - at.step * 0.32, width: at.step * 0.64, y: at.bars + BAR - size };
  const bar = s("rect", { ...place, height: Math.max(size, 1), rx: 2, class: "fill" });
  const number = at.step > 36 ? share(chance) : share(chance).replace(" %", "");
  const label = text(at.x(t), at.bars + BAR - 3 - size, "middle", number, "strong");
  return [titled(bar, `changed in ${share(chance)}`), chance >= UNIT / 200 ? label : null];
}

// What is done in its place: by the explanation that is shown, else most often.
function instead(at, { cohort, episode, answer, shown }, t) {
  const was = cohort.actions[episode.actions[t]];
  if (shown) {
    const code = new Map(shown.changes).get(t);
    if (code === undefined) return null;
    const name = cohort.actions[code];
    const said = `${when(cohort, t)}: ${name} in place of ${was}`;
    return chip(at, t, at.instead, name, "chip-shown", "on-chip", said);
  }
  if (answer.changed[t] < UNIT / 100) return null;
  const all = answer.instead[t].map(([code, chance]) => `${cohort.actions[code]} ${share(chance)}`);
  const said = `${when(cohort, t)}: ${all.join(", ")} in place of ${was}`;
  const name = cohort.actions[answer.instead[t][0][0]];
  const strength = 0.75 + (0.25 * answer.changed[t]) / UNIT;
  return chip(at, t, at.instead, name, "chip-instead", "on-chip", said, strength);
}

function chip(at, t, y, name, style, textStyle, said, strength = null) {
  const size = { x: at.x(t) - at.step / 2 + 1.5, y, width: at.step - 3, height: at.chip, rx: 4 };
  const box = s("rect", { ...size, class: style, "fill-opacity": strength });
  const centre = y + at.chip / 2;
  const place = at.upright
    ? { x: at.x(t), y: centre + 4 }
    : { transform: `translate(${at.x(t) + 4} ${centre}) rotate(-90)` };
  const label = { ...place, "text-anchor": "middle", class: textStyle };
  return titled(s("g", {}, box, s("text", label, shortened(name, at.letters))), said);
}

function steps(at, { cohort, episode }) {
  const base = at.bars + BAR;
  const axis = [at.left, at.right].map((x) => [x, base]);
  const under = at.instead + at.chip + 15;
  const names = episode.states.map((_, t) => {
    const name = t < episode.actions.length ? String(t + cohort.words.first) : "end";
    return text(at.x(t), under, "middle", name);
  });
  const title = text((at.left + at.right) / 2, under + 16, "middle", cohort.words.step);
  return [line(axis, { class: "axis" }), names, title];
}

function when(cohort, t) {
  return `${cohort.words.step} ${t + cohort.words.first}`;
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

// The same in words.
function summary(cohort, episode, answer) {
  const path = episode.states.map((code) => cohort.states[code]).join(", ");
  const likely = episode.actions
    .map((code, t) => {
      if (answer.changed[t] < UNIT / 20) return null;
      const to = answer.instead[t].slice(0, 2).map(([other]) => cohort.actions[other]);
      const change = `${cohort.actions[code]} becomes ${to.join(" or ")}`;
      return `${when(cohort, t)} in ${share(answer.changed[t])}: ${change}`;
    })
    .filter((each) => each);
  const changes = likely.length ? `Likely changes: ${likely.join("; ")}.` : "No likely change.";
  return `Observed states: ${path}. ${changes}`;
}

// The chart's content as a table's rows: step, state, done, changed, instead, most likely state.
export function courseRows(cohort, episode, answer) {
  return episode.states.map((state, t) => {
    const row = answer.chances[t];
    const likeliest = episode.drawn.reduce((a, b) => (chanceOf(row, b) > chanceOf(row, a) ? b : a));
    const there = `${cohort.states[likeliest]} (${share(chanceOf(row, likeliest))})`;
    if (t >= episode.actions.length) return ["end", cohort.states[state], "", "", "", there];
    const chance = answer.changed[t];
    const to = answer.instead[t].slice(0, 3);
    return [
      String(t + cohort.words.first),
      cohort.states[state],
      cohort.actions[episode.actions[t]],
      chance ? share(chance) : "",
      to.map(([code, part]) => `${cohort.actions[code]} ${share(part)}`).join(", "),
      there,
    ];
  });
}

// A choice of the reader's own: other actions at any step, asked of the explorer.
import { h } from "./dom.js";
import { better } from "./data.js";
import { courseChart, courseLegend } from "./course.js";
import { lawChart, lawLegend } from "./law.js";
import { fillFigure, numbers } from "./layout.js";
import { number, share, signed } from "./words.js";

const PATIENCE = 40; // milliseconds without a further change before the explorer is asked

export function whatIf(app, position, episode) {
  const { cohort } = app;
  const { words } = cohort;
  const selects = episode.actions.map((done, t) => choice(cohort, t, done, asked));
  const figures = {
    course: h("figure", {
      class: "scroll",
      tabindex: 0,
      role: "region",
      "aria-label": "The chosen course over time",
    }),
    law: h("figure"),
  };
  const answer = h("div", { class: "answer", "aria-live": "polite" });
  const reset = h("button", { type: "button", onclick: () => choose([]) }, "As it was");
  const lawKey = h("div");
  let waiting = null;
  let turn = 0;
  let found = null;

  function changed() {
    return selects
      .map((select, t) => [t, Number(select.value)])
      .filter(([t, code]) => code !== episode.actions[t]);
  }

  function asked() {
    selects.forEach((select, t) =>
      select.classList.toggle("changed", Number(select.value) !== episode.actions[t]),
    );
    clearTimeout(waiting);
    waiting = setTimeout(ask, PATIENCE);
  }

  async function ask() {
    const mine = ++turn;
    try {
      const told = await app.source.whatIf(position, changed());
      if (mine === turn) show(told);
    } catch (error) {
      if (mine === turn)
        answer.replaceChildren(h("p", { class: "problem" }, String(error.message ?? error)));
    }
  }

  function show(told) {
    found = told;
    const gain = better(cohort, told.outcome, episode.observed);
    answer.replaceChildren(
      numbers([
        [
          "could",
          `expected ${words.outcome}`,
          number(told.outcome),
          `observed ${number(episode.observed)}`,
        ],
        [
          gain < -1e-9 ? "was" : "could",
          gain < -1e-9 ? "worse by" : "gain",
          signed(gain),
          told.changes === 1 ? "1 change" : `${told.changes} changes`,
        ],
        [
          "",
          "best within the budget",
          number(episode.frontier[Math.min(told.changes, cohort.k)]),
          `of ${Math.min(told.changes, cohort.k)} ${told.changes === 1 ? "change" : "changes"}, each as the course requires`,
        ],
        ["", "better", share(told.better)],
        ["", "worse", share(told.worse)],
      ]),
      told.unavailable
        ? h(
            "p",
            { class: "problem" },
            `In ${share(told.unavailable)} of the worlds this plays an action where it is not available: the process knows little about it there.`,
          )
        : "",
    );
    redraw();
  }

  function redraw() {
    if (!found) return;
    const drawn = [...new Set([...episode.drawn, ...found.drawn])].sort((a, b) => a - b);
    fillFigure(figures.course, (width) => courseChart(width, cohort, { ...episode, drawn }, found));
    lawKey.replaceChildren(lawLegend(episode, found));
    fillFigure(figures.law, (width) => lawChart(Math.min(width, 640), cohort, episode, found));
  }

  function choose(changes) {
    const by = new Map(changes);
    selects.forEach((select, t) => (select.value = String(by.get(t) ?? episode.actions[t])));
    asked();
  }

  const list = h(
    "ol",
    { class: "choices" },
    selects.map((select, t) =>
      h(
        "li",
        {},
        h(
          "label",
          { for: select.id },
          `${words.step} ${t + words.first}: ${cohort.actions[episode.actions[t]]}`,
        ),
        select,
      ),
    ),
  );
  return {
    element: h("div", {}, list, reset, answer, courseLegend(false), figures.course, lawKey, figures.law),
    choose,
    redraw,
    start: ask,
  };
}

function choice(cohort, t, done, changed) {
  const options = cohort.actions.map((name, code) =>
    h("option", { value: code, selected: code === done }, name),
  );
  return h("select", { id: `choice-${t}`, onchange: changed }, options);
}

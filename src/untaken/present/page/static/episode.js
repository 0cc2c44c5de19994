// One episode: what happened, what could have, for every budget.
import { h } from "./dom.js";
import { frontierChart } from "./axes.js";
import { certaintyCard } from "./certainty.js";
import { better } from "./data.js";
import { courseChart, courseLegend, courseRows } from "./course.js";
import { addressOf } from "./address.js";
import { card, fillFigure, folded, numbers, plainTable } from "./layout.js";
import { lawChart, lawLegend } from "./law.js";
import { waysTable } from "./ways.js";
import { whatIf } from "./what-if.js";
import { changes, number, rare, share, signed } from "./words.js";

const WAYS =
  "It depends on how things turn out. Each row is one way to act, with how probable it is that " +
  "the best policy takes it. To compare ways, use “if forced”: the outcome where a way is chosen " +
  "includes the luck that leads there. Point at one, or focus it, to see its course above; press " +
  "to keep it.";
const CHOICE =
  "Choose other actions at any step and see what they would have led to, played whatever happens.";
const ROUNDED =
  "The rewards share no common step: outcomes are rounded down to a fine grid. The probabilities " +
  "of better and worse are certain to lie between the ends shown.";
const COLUMNS = ["state", "done", "changed in", "to", "most likely state instead"];

export async function episodeView(app, place) {
  const { rows } = app.cohort;
  const about = { heading: headingOf(rows.id[place]), links: neighbours(app, place) };
  if (rows.error[place]) return { ...about, ...unanswered(rows.error[place]) };
  return { ...about, ...answered(app, await app.source.episode(rows.position[place]), place) };
}

function headingOf(id) {
  return /^\d/.test(id) ? `Episode ${id}` : id;
}

function unanswered(why) {
  const body = [h("p", { class: "problem" }, `There is no answer about this episode: ${why}`)];
  return { lead: [], body, update() {} };
}

function answered(app, episode, place) {
  const { cohort } = app;
  const { words } = cohort;
  const course = h("figure", {
    class: "scroll",
    tabindex: 0,
    role: "region",
    "aria-label": "The course over time",
  });
  const courseKey = h("div");
  const courseTable = h("div");
  const lead = h("span");
  const summary = h("div");
  const ways = h("div");
  const law = h("figure");
  const lawKey = h("div");
  const frontier = h("figure");
  const sure = h("div");
  const notes = h("div");
  const asks = app.source.live ? whatIf(app, cohort.rows.position[place], episode) : null;
  const tabled = folded("The same as a table", courseTable);
  let k = null;
  let held = null; // the explanation that was pressed
  let shown = null; // the one to be seen now: held, or pointed at

  const body = [
    summary,
    h(
      "div",
      { class: "grid" },
      card("", "The course over time", null, courseKey, course, tabled),
      card("long", "What to change", WAYS, ways),
      card("half", `The ${words.outcome} that could have been`, null, lawKey, law),
      card("half", "What each further change adds", null, frontier),
      card("", "How sure", null, sure),
      asks ? card("what-if", "What if", CHOICE, asks.element) : null,
      notes,
    ),
  ];

  function update(budget) {
    const answer = episode.budgets[budget];
    if (budget !== k) {
      k = budget;
      held = shown = null;
      ways.replaceChildren(
        waysTable(cohort, episode, answer, { peek, hold, choose: asks?.choose }),
      );
    }
    lead.replaceChildren(...leadOf(cohort, episode, k));
    summary.replaceChildren(numbers(episodeNumbers(cohort, episode, k)));
    courseTable.replaceChildren(
      plainTable(
        "The course as a table",
        [words.step, ...COLUMNS],
        courseRows(cohort, episode, answer),
      ),
    );
    lawKey.replaceChildren(lawLegend(episode, answer));
    if (!answer.law.exact) lawKey.append(h("p", { class: "aside" }, ROUNDED));
    fillFigure(law, (width) => lawChart(width, cohort, episode, answer));
    fillFigure(frontier, (width) => frontierOf(width, cohort, episode, k));
    sure.parentElement.hidden = !answer.certainty;
    sure.replaceChildren(...certaintyCard(answer.certainty, cohort, episode.observed));
    const known = [...answer.notes, ...cohort.doubts];
    notes.className = known.length ? "card" : "";
    notes.replaceChildren(...noted(known));
    drawCourse();
    asks?.redraw();
  }

  function drawCourse() {
    const answer = episode.budgets[k];
    fillFigure(course, (width) => courseChart(width, cohort, episode, answer, shown));
    courseKey.replaceChildren(courseLegend(shown !== null));
    for (const row of ways.querySelectorAll("tbody tr")) {
      row.classList.toggle("shown", row.told === shown);
      row.querySelector("button").setAttribute("aria-pressed", String(row.told === held));
    }
  }

  function peek(told) {
    shown = told ?? held;
    drawCourse();
  }

  function hold(told) {
    held = held === told ? null : told;
    peek(held);
  }

  asks?.start();
  return { lead: [lead], body, update };
}

function frontierOf(width, cohort, episode, k) {
  const told = episode.frontier.map((value, c) => `${c}: ${number(value)}`).join(", ");
  const said = `Expected ${cohort.words.outcome} by number of changes: ${told}`;
  return frontierChart(width, [{ mean: episode.frontier }], k, cohort, said, episode.observed);
}

function noted(notes) {
  if (!notes.length) return [];
  const items = notes.map((note) => h("li", {}, note));
  return [h("h2", {}, "To know"), h("ul", { class: "notes" }, items)];
}

function neighbours(app, place) {
  const { rows } = app.cohort;
  const near = (from, by) => {
    for (let next = from + by; next >= 0 && next < rows.id.length; next += by) {
      if (rows.error[next] || app.source.holds(rows.position[next])) return rows.id[next];
    }
    return null;
  };
  const before = near(place, -1);
  const after = near(place, 1);
  return [
    ["← All episodes", null],
    before === null ? null : ["Previous", before],
    after === null ? null : ["Next", after],
  ].filter((each) => each);
}

function leadOf(cohort, episode, k) {
  const { words } = cohort;
  const answer = episode.budgets[k];
  const gain = better(cohort, answer.outcome, episode.observed);
  const count = `${episode.actions.length} ${episode.actions.length === 1 ? words.step : words.steps}`;
  const found =
    gain > 1e-9
      ? [
          "With at most ",
          h("strong", {}, changes(k)),
          " it would have been ",
          h("strong", {}, number(answer.outcome)),
          " in expectation.",
        ]
      : [
          k
            ? `No way of changing at most ${changes(k)} is expected to do better.`
            : "The course as it was.",
        ];
  return [
    `${count}, with an observed ${words.outcome} of `,
    h("strong", {}, number(episode.observed)),
    ". ",
    ...found,
  ];
}

function episodeNumbers(cohort, episode, k) {
  const { words } = cohort;
  const answer = episode.budgets[k];
  const gain = better(cohort, answer.outcome, episode.observed);
  return [
    ["was", `observed ${words.outcome}`, number(episode.observed)],
    ["could", "expected at best", number(answer.outcome), `${changes(k)} at most`],
    [
      "could",
      "gain",
      signed(gain),
      episode.observed > 0 ? `${number((100 * gain) / episode.observed)} % of the observed` : null,
    ],
    ["", "better", share(answer.better), "how probable"],
    ["", "worse", share(answer.worse), "how probable"],
    [
      "",
      "the best that can happen",
      number(answer.best.outcome),
      `probability ${rare(answer.best.chance)}`,
    ],
    ["", "the worst", number(answer.worst.outcome), `probability ${rare(answer.worst.chance)}`],
  ];
}

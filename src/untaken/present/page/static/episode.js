// One episode: what happened, what could have, for every budget.
import { h } from "./dom.js";
import { frontierChart } from "./axes.js";
import { certaintyCard } from "./certainty.js";
import { better } from "./data.js";
import { courseChart, courseLegend, courseRows } from "./course.js";
import { addressOf } from "./address.js";
import { card, fillFigure, folded, numbers, plainTable } from "./layout.js";
import { lawChart, lawLegend } from "./law.js";
import { whatIf } from "./what-if.js";
import { changes, number, rare, share, signed } from "./words.js";

export async function episodeView(app, place) {
  const { cohort } = app, { rows, words } = cohort;
  const id = rows.id[place], position = rows.position[place];
  const heading = /^\d/.test(id) ? `Episode ${id}` : id, links = neighbours(app, place);
  if (rows.error[place]) return { heading, links, lead: [], body: [h("p", { class: "problem" }, `There is no answer about this episode: ${rows.error[place]}`)], update() {} };
  const episode = await app.source.episode(position);
  const summary = h("div"), frontier = h("figure"), law = h("figure"), lawKey = h("div");
  const course = h("figure", { class: "scroll", tabindex: 0, role: "region", "aria-label": "The course over time" });
  const courseKey = h("div"), words_ = h("div"), ways = h("div"), sure = h("div"), notes = h("div"), lead = h("span");
  const asks = app.source.live ? whatIf(app, position, episode) : null;
  let shown = null, held = null, k = 0;

  const body = [
    summary,
    h("div", { class: "grid" },
      card("", "The course over time", null, courseKey, course, words_),
      card("", "What to change", "It depends on how things turn out. Each row is one way to act, with how probable it is that the best policy takes it. Point at one, or focus it, to see its course above; press to keep it.", ways),
      card("half", `The ${words.outcome} that could have been`, null, lawKey, law),
      card("half", "What each further change adds", null, frontier),
      card("sure-card", "How sure", null, sure),
      asks ? card("what-if", "What if", "Choose other actions at any step and see what they would have led to, played whatever happens.", asks.element) : null,
      notes,
    ),
  ];

  function show(explanation) {
    shown = explanation;
    drawCourse();
  }

  function drawCourse() {
    const answer = episode.budgets[k];
    fillFigure(course, (width) => courseChart(width, cohort, episode, answer, shown));
    courseKey.replaceChildren(courseLegend(shown !== null));
    for (const row of ways.querySelectorAll("tbody tr")) row.classList.toggle("shown", row.told === shown && shown !== null);
  }

  function update(budget) {
    const other = budget !== k || !ways.firstChild;
    k = budget;
    const answer = episode.budgets[k];
    if (other) shown = held = null;
    lead.replaceChildren(...leadOf(cohort, episode, k));
    summary.replaceChildren(numbers(episodeNumbers(cohort, episode, k)));
    if (other) ways.replaceChildren(waysTable(cohort, episode, answer, { peek: (told) => show(told ?? held), hold, choose: asks?.choose }));
    drawCourse();
    words_.replaceChildren(folded("The same as a table", plainTable("The course as a table", [words.step, "state", "done", "changed in", "to", "most likely state instead"], courseRows(cohort, episode, answer))));
    lawKey.replaceChildren(lawLegend(episode, answer));
    fillFigure(law, (width) => lawChart(width, cohort, episode, answer));
    if (!answer.law.exact) lawKey.append(h("p", { class: "aside" }, "The rewards share no common step: outcomes are rounded down to a fine grid; the probabilities of better and worse are certain to lie between the ends shown."));
    fillFigure(frontier, (width) => frontierChart(width, [{ mean: episode.frontier }], k, cohort, `Expected ${words.outcome} by number of changes: ${episode.frontier.map((value, c) => `${c}: ${number(value)}`).join(", ")}`, episode.observed));
    sure.parentElement.hidden = !answer.certainty;
    sure.replaceChildren(...(answer.certainty ? certaintyCard(answer.certainty, cohort, episode.observed) : []));
    notes.className = answer.notes.length ? "card" : "";
    notes.replaceChildren(...(answer.notes.length ? [h("h2", {}, "To know"), h("ul", { class: "notes" }, answer.notes.map((note) => h("li", {}, note)))] : []));
    asks?.redraw();
  }

  function hold(told) {
    held = held === told ? null : told;
    for (const row of ways.querySelectorAll("tbody tr")) row.querySelector("button").setAttribute("aria-pressed", String(row.told === held));
    show(held);
  }

  asks?.start();
  return { heading, lead: [lead], links, body, update };
}

function neighbours(app, place) {
  const { rows } = app.cohort;
  const near = (from, by) => {
    for (let next = from + by; next >= 0 && next < rows.id.length; next += by) {
      if (rows.error[next] || app.source.holds(rows.position[next])) return rows.id[next];
    }
    return null;
  };
  const before = near(place, -1), after = near(place, 1);
  return [["← All episodes", null], before === null ? null : ["Previous", before], after === null ? null : ["Next", after]].filter((each) => each);
}

function leadOf(cohort, episode, k) {
  const { words } = cohort, answer = episode.budgets[k];
  const gain = better(cohort, answer.outcome, episode.observed);
  const count = `${episode.actions.length} ${episode.actions.length === 1 ? words.step : words.steps}`;
  const found = gain > 1e-9 ? ["With at most ", h("strong", {}, changes(k)), " it would have been ", h("strong", {}, number(answer.outcome)), " in expectation."] : [k ? `No way of changing at most ${changes(k)} is expected to do better.` : "The course as it was."];
  return [`${count}, with an observed ${words.outcome} of `, h("strong", {}, number(episode.observed)), ". ", ...found];
}

function episodeNumbers(cohort, episode, k) {
  const { words } = cohort, answer = episode.budgets[k];
  const gain = better(cohort, answer.outcome, episode.observed);
  return [
    ["was", `observed ${words.outcome}`, number(episode.observed)],
    ["could", "expected at best", number(answer.outcome), `${changes(k)} at most`],
    ["could", "gain", signed(gain), episode.observed > 0 ? `${number((100 * gain) / episode.observed)} % of the observed` : null],
    ["", "better", share(answer.better), "how probable"],
    ["", "worse", share(answer.worse), "how probable"],
    ["", "the best that can happen", number(answer.best.outcome), `probability ${rare(answer.best.chance)}`],
    ["", "the worst", number(answer.worst.outcome), `probability ${rare(answer.worst.chance)}`],
  ];
}

function waysTable(cohort, episode, answer, act) {
  const { words } = cohort;
  const heads = [["num", "probability"], ["", "changes"], ["num", `${words.outcome}, where chosen`], ["num", "if forced"], ["num", "better"]];
  const rows = answer.explanations.map((told) => wayRow(cohort, episode, told, act));
  const rest = answer.complete ? "These are all there are." : `These cover ${share(answer.listed)}; the rest is spread over ways that are less probable.`;
  return h("div", {},
    h("table", { class: "explanations" },
      h("thead", {}, h("tr", {}, heads.map(([style, name]) => h("th", { scope: "col", class: style || null }, name)))),
      h("tbody", { onmouseleave: () => act.peek(null) }, rows)),
    h("p", { class: "aside" }, rest));
}

function wayRow(cohort, episode, told, act) {
  const button = h("button", { type: "button", "aria-pressed": "false", "aria-label": `${share(told.chance)}: show this course`, onfocus: () => act.peek(told), onblur: () => act.peek(null), onclick: () => act.hold(told) }, share(told.chance));
  const cells = [
    h("td", { class: "num" }, button),
    h("td", { class: "wide" }, changeList(cohort, episode, told.changes), act.choose ? h("button", { type: "button", class: "try", onclick: () => { act.choose(told.changes); document.querySelector(".what-if")?.scrollIntoView({ block: "start" }); } }, "try") : null),
    h("td", { class: "num", "data-label": "where chosen" }, number(told.mean)),
    h("td", { class: "num", "data-label": "if forced" }, number(told.forced)),
    h("td", { class: "num", "data-label": "better" }, share(told.better)),
  ];
  const row = h("tr", { onmouseenter: () => act.peek(told) }, cells);
  row.told = told;
  return row;
}

function changeList(cohort, episode, list) {
  const { words } = cohort;
  if (!list.length) return "no change";
  return h("ul", { class: "changes" }, list.map(([step, code]) => h("li", {}, h("span", { class: "at" }, `${words.step} ${step + words.first} `), h("span", { class: "from" }, cohort.actions[episode.actions[step]]), " → ", h("span", { class: "to" }, cohort.actions[code]))));
}

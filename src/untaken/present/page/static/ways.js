// The ways to act differently: a row for each explanation, which can be pointed at, kept and tried.
import { h } from "./dom.js";
import { number, share } from "./words.js";

// `act` has what happens then: peek(told or null), hold(told), and in the explorer choose(changes).
export function waysTable(cohort, episode, answer, act) {
  const { words } = cohort;
  const heads = [
    ["num", "probability"],
    ["", "changes"],
    ["num", `${words.outcome}, where chosen`],
    ["num", "if forced"],
    ["num", "better"],
  ];
  const rows = answer.explanations.map((told) => wayRow(cohort, episode, told, act));
  const rest = answer.complete
    ? "These are all there are."
    : `These cover ${share(answer.listed)}; the rest is spread over ways that are less probable.`;
  return h(
    "div",
    {},
    h(
      "table",
      { class: "explanations" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          heads.map(([style, name]) => h("th", { scope: "col", class: style || null }, name)),
        ),
      ),
      h("tbody", { onmouseleave: () => act.peek(null) }, rows),
    ),
    h("p", { class: "aside" }, rest),
  );
}

function wayRow(cohort, episode, told, act) {
  const button = h(
    "button",
    {
      type: "button",
      "aria-pressed": "false",
      "aria-label": `${share(told.chance)}: show this course`,
      onfocus: () => act.peek(told),
      onblur: () => act.peek(null),
      onclick: () => act.hold(told),
    },
    share(told.chance),
  );
  const cells = [
    h("td", { class: "num" }, button),
    h(
      "td",
      { class: "wide" },
      changeList(cohort, episode, told.changes),
      act.choose
        ? h(
            "button",
            {
              type: "button",
              class: "try",
              onclick: () => {
                act.choose(told.changes);
                document.querySelector(".what-if")?.scrollIntoView({ block: "start" });
              },
            },
            "try",
          )
        : null,
    ),
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
  return h(
    "ul",
    { class: "changes" },
    list.map(([step, code]) =>
      h(
        "li",
        {},
        h("span", { class: "at" }, `${words.step} ${step + words.first} `),
        h("span", { class: "from" }, cohort.actions[episode.actions[step]]),
        " → ",
        h("span", { class: "to" }, cohort.actions[code]),
      ),
    ),
  );
}

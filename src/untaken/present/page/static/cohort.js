// All episodes together: how much better, in whom, where and by what.
import { h, legend, titled } from "./dom.js";
import { barChart, frontierChart, namedBars, ticks } from "./axes.js";
import { card, fillFigure, numbers } from "./layout.js";
import { episodesTable } from "./table.js";
import { changes, number, roughly, share, signed } from "./words.js";
import { UNIT, better, gainOf, largest, smallest } from "./data.js";

export function cohortView(app) {
  const { cohort } = app;
  const { words } = cohort;
  const grouping = groupingChoice(cohort, () => update(app.k));
  const figures = {
    frontier: h("figure"),
    gains: h("figure"),
    steps: h("figure"),
    replaced: h("figure"),
  };
  const keys = { frontier: h("div"), gains: h("div") };
  const table = episodesTable(app);
  const summary = h("div");
  const body = [
    summary,
    h(
      "div",
      { class: "grid" },
      ...doubts(cohort),
      card(
        "half",
        "How much better, for each number of changes",
        `The mean expected ${words.outcome} and its 95 % interval over episodes. A gain is never below 0: see “What the words mean”.`,
        grouping?.element,
        keys.frontier,
        figures.frontier,
      ),
      card(
        "half",
        "In whom",
        "How the gain is distributed over the episodes.",
        keys.gains,
        figures.gains,
      ),
      card(
        "half",
        "When",
        `How often each ${words.step} is changed, among the episodes that have it.`,
        figures.steps,
      ),
      card(
        "half",
        "What instead of what",
        "The replacements that recur, and how many of them are expected in an episode.",
        figures.replaced,
      ),
      card(
        "long",
        "Every episode",
        "Follow one to see its course. What the columns mean is under “What the words mean”.",
        table.element,
      ),
    ),
  ];

  function update(k) {
    summary.replaceChildren(numbers(cohortNumbers(cohort, k)));
    const groups = grouping?.chosen();
    fillFigure(figures.frontier, (width) =>
      frontierChart(width, groups?.groups ?? [cohort.frontier], k, cohort, frontierSaid(cohort, k)),
    );
    keys.frontier.replaceChildren(...(groups ? [groupLegend(groups.groups)] : []));
    const gains = cohort.rows.position
      .map((_, place) => gainOf(cohort, place, k))
      .filter((gain) => gain !== null);
    const { drawn, none } = gainBars(gains);
    keys.gains.replaceChildren(
      h(
        "p",
        { class: "aside" },
        none
          ? `No gain in ${none.toLocaleString("en")} of ${gains.length.toLocaleString("en")} episodes.`
          : "",
      ),
    );
    fillFigure(figures.gains, (width) => gainChart(width, drawn, cohort, k));
    fillFigure(figures.steps, (width) => stepChart(width, cohort, k));
    figures.replaced.replaceChildren(replacements(cohort, k));
    table.update(k);
  }

  return {
    heading: cohort.title,
    lead: leadOf(cohort),
    links: [],
    body,
    update,
    print: table.whole,
    screen: table.inSight,
  };
}

// What speaks against the estimate, before any figure that rests on it.
function doubts(cohort) {
  if (!cohort.doubts.length) return [];
  const items = cohort.doubts.map((each) => h("li", {}, each));
  return [card("long", "To know", null, h("ul", { class: "notes" }, items))];
}

function leadOf(cohort) {
  const { rows, words } = cohort;
  const lengths = rows.steps;
  const failed = rows.error.filter((error) => error).length;
  const shortest = smallest(lengths);
  const longest = largest(lengths);
  const span = shortest === longest ? String(shortest) : `${shortest} to ${longest}`;
  return [
    `${cohort.total.toLocaleString("en")} episodes of ${span} ${longest === 1 ? words.step : words.steps}, ${cohort.states.length.toLocaleString("en")} states, ${cohort.actions.length.toLocaleString("en")} actions. `,
    rows.position.length < cohort.total
      ? `The study is not finished: ${rows.position.length.toLocaleString("en")} are looked at so far. `
      : "",
    failed
      ? `${failed.toLocaleString("en")} without an answer, each with its reason in the table. `
      : "",
    `Causal model: ${cohort.mechanism}. ${cohort.minimise ? `Less ${words.outcome} is better.` : `More ${words.outcome} is better.`}`,
  ];
}

function cohortNumbers(cohort, k) {
  const { mean, lower, upper } = cohort.frontier;
  const { words } = cohort;
  const gain = better(cohort, mean[k], mean[0]);
  const gains = cohort.rows.position
    .map((_, place) => gainOf(cohort, place, k))
    .filter((gain) => gain !== null)
    .sort((a, b) => a - b);
  const helped = gains.filter((gain) => gain > 1e-9).length;
  return [
    ["was", `observed ${words.outcome}, mean`, number(mean[0])],
    [
      "could",
      `expected with ${changes(k)} at most`,
      number(mean[k]),
      `95 % interval ${number(lower[k])} to ${number(upper[k])}`,
    ],
    [
      "could",
      "mean gain",
      signed(gain),
      mean[0] > 0 ? `${number((100 * gain) / mean[0])} % of the observed mean` : null,
    ],
    ["", "median gain", gains.length ? signed(median(gains)) : "none"],
    [
      "",
      "episodes with some gain",
      share(gains.length ? (helped / gains.length) * UNIT : 0),
      `${helped.toLocaleString("en")} of ${gains.length.toLocaleString("en")}`,
    ],
  ];
}

function median(ascending) {
  const half = (ascending.length - 1) / 2;
  return (ascending[Math.floor(half)] + ascending[Math.ceil(half)]) / 2;
}

function frontierSaid(cohort, k) {
  const { mean } = cohort.frontier;
  return `Mean expected ${cohort.words.outcome} by number of changes: ${mean.map((value, c) => `${c}: ${number(value)}`).join(", ")}. Chosen: ${k}.`;
}

function groupingChoice(cohort, changed) {
  if (!cohort.groups.length) return null;
  const options = [
    h("option", { value: "" }, "all together"),
    ...cohort.groups.map((each, place) => h("option", { value: place }, `by ${each.by}`)),
  ];
  const select = h("select", { onchange: changed }, options);
  return {
    element: h("label", { class: "choice" }, "Show ", select),
    chosen: () => cohort.groups[select.value],
  };
}

function groupLegend(groups) {
  return legend(
    ...groups.map((group, place) => [
      `group-line group-${place} dash-${place}`,
      `${group.name} (${group.episodes.toLocaleString("en")})`,
    ]),
  );
}

// About twenty bars over the gains that are more than nothing; those without are counted apart.
function gainBars(gains) {
  const some = gains.filter((gain) => gain > 1e-9);
  if (!some.length) return { drawn: null, none: gains.length };
  const high = largest(some);
  const marks = ticks(0, high, 20);
  const width = marks[1] - marks[0];
  const bars = Array.from({ length: Math.floor(high / width) + 1 }, (_, i) => [
    (i + 0.5) * width,
    0,
  ]);
  for (const gain of some) bars[Math.min(Math.floor(gain / width), bars.length - 1)][1] += 1;
  return { drawn: { bars, width, high: bars.length * width }, none: gains.length - some.length };
}

function gainChart(width, drawn, cohort, k) {
  if (!drawn)
    return h("p", { class: "aside" }, `With ${changes(k)} no episode is expected to do better.`);
  const bars = drawn.bars.map(([at, count]) => [
    at,
    count,
    `gain ${number(at - drawn.width / 2)} to ${number(at + drawn.width / 2)}: ${count.toLocaleString("en")} episodes`,
  ]);
  const most = Math.max(...bars.map(([, count]) => count));
  return barChart(
    width,
    240,
    bars,
    drawn.width,
    { range: [0, drawn.high], name: `gain in ${cohort.words.outcome}` },
    { range: [0, most * 1.05], whole: true, name: "episodes" },
    `Histogram of gains: ${bars
      .filter(([, count]) => count)
      .map(([, , title]) => title)
      .join("; ")}`,
  );
}

function stepChart(width, cohort, k) {
  const { words } = cohort;
  const changed = cohort.steps[k] ?? [];
  if (!changed.length)
    return h(
      "p",
      { class: "aside" },
      "This study keeps frontiers only, not what each policy does.",
    );
  const most = Math.max(0.02, ...changed);
  const bars = changed.map((chance, t) => [
    t + words.first,
    chance,
    `${words.step} ${t + words.first}: changed in ${share(chance * UNIT)}`,
  ]);
  const first = words.first - 0.5;
  const last = changed.length - 1 + words.first + 0.5;
  const every = Math.ceil(changed.length / Math.max(4, Math.floor(width / 34)));
  const marks = bars.map(([step]) => step).filter((_, i) => i % every === 0);
  return barChart(
    width,
    240,
    bars,
    1,
    { range: [first, last], ticks: marks, text: String, name: words.step },
    { range: [0, most * 1.05], text: (value) => share(value * UNIT), name: "changed in" },
    `How often each ${words.step} is changed: ${bars.map(([, , title]) => title).join("; ")}`,
  );
}

function replacements(cohort, k) {
  const rows = cohort.replacements[k] ?? [];
  if (!rows.length)
    return h(
      "p",
      { class: "aside" },
      k ? "Nothing recurs." : "With no change allowed nothing is replaced.",
    );
  const most = Math.max(...rows.map(([, , expected]) => expected));
  return namedBars(
    rows.map(([done, instead, expected, episodes]) => [
      [
        h("span", { class: "from" }, cohort.actions[done]),
        " → ",
        h("span", { class: "to" }, cohort.actions[instead]),
      ],
      expected,
      titled(
        h("span", {}, roughly(expected)),
        `possible in ${episodes.toLocaleString("en")} episodes`,
      ),
    ]),
    most,
  );
}

// All episodes in a table that sorts and filters. Only the rows in sight are drawn, so that
// thousands stay smooth.
import { h } from "./dom.js";
import { sparkline } from "./axes.js";
import { addressOf } from "./address.js";
import { gainOf, largest } from "./data.js";
import { middle, number, share, signed } from "./words.js";

const ROW = 38; // pixels, as in the style sheet
const BEYOND = 8; // rows drawn beyond those in sight

export function episodesTable(app) {
  const { cohort } = app;
  const columns = columnsOf(cohort);
  const wanted = { text: "", least: "", column: "gain", down: true };
  const texts = cohort.rows.position.map((_, place) => searchable(cohort, place));
  let k = 0;
  let places = [];
  let drawn = ""; // which rows stand there now

  const body = h("tbody");
  const heads = columns.map((column) => headOf(column, sortBy));
  const table = h(
    "table",
    { "aria-label": "Episodes" },
    h(
      "colgroup",
      {},
      columns.map((c) => h("col", { class: c.style })),
    ),
    h("thead", {}, h("tr", {}, heads)),
    body,
  );
  const sight = h(
    "div",
    {
      class: "rows",
      tabindex: 0,
      role: "region",
      "aria-label": "Table of episodes",
      onscroll: scrolled,
    },
    table,
  );
  const count = h("output", { "aria-live": "polite" });
  const search = h("input", { type: "search", id: "search", oninput: filter, autocomplete: "off" });
  const least = h("input", { type: "number", id: "least", step: "any", oninput: filter });
  const filters = h(
    "div",
    { class: "filters" },
    h("label", {}, `Find ${cohort.rows.names.length ? "an id or a group" : "an id"} `, search),
    h("label", {}, "Gain of at least ", least),
    count,
  );

  function sortBy(column) {
    wanted.down = wanted.column === column.key ? !wanted.down : column.down;
    wanted.column = column.key;
    arrange();
  }

  function filter() {
    wanted.text = search.value.trim().toLocaleLowerCase();
    wanted.least = least.value;
    arrange();
  }

  function arrange() {
    const floor = wanted.least === "" ? -Infinity : Number(wanted.least);
    const column = columns.find((each) => each.key === wanted.column);
    const values = cohort.rows.position.map((_, place) => column.value(place, k));
    places = cohort.rows.position
      .map((_, place) => place)
      .filter((place) => texts[place].includes(wanted.text))
      .filter((place) => floor === -Infinity || (gainOf(cohort, place, k) ?? -Infinity) >= floor)
      .sort((a, b) => compared(values[a], values[b], wanted.down) || a - b);
    heads.forEach((head, i) => {
      const sorted = columns[i].key === wanted.column;
      head.setAttribute("aria-sort", sorted ? (wanted.down ? "descending" : "ascending") : "none");
      head.querySelector(".arrow").textContent = sorted ? (wanted.down ? "↓" : "↑") : "";
    });
    const all = cohort.rows.position.length;
    count.textContent =
      places.length === all
        ? `${all.toLocaleString("en")} episodes`
        : `${places.length.toLocaleString("en")} of ${all.toLocaleString("en")} episodes`;
    table.setAttribute("aria-rowcount", String(places.length + 1));
    sight.scrollTop = 0;
    draw();
  }

  function inSight() {
    const height = sight.clientHeight || 600;
    const first = Math.max(0, Math.floor(sight.scrollTop / ROW) - BEYOND);
    return [first, Math.min(places.length, first + Math.ceil(height / ROW) + 2 * BEYOND)];
  }

  function scrolled() {
    if (String(inSight()) !== drawn) draw();
  }

  function draw([first, last] = inSight()) {
    const focused = body.contains(document.activeElement)
      ? document.activeElement.closest("tr").getAttribute("aria-rowindex")
      : null;
    const rows = places.slice(first, last).map((place, i) => rowOf(place, first + i));
    body.replaceChildren(spacer(first), ...rows, spacer(places.length - last));
    drawn = String([first, last]);
    if (focused !== null) refocus(focused);
  }

  // Rows are made anew; whoever walks through them with the keyboard stays where they are.
  function refocus(index) {
    const again = body.querySelector(`tr[aria-rowindex="${index}"] a`) ?? sight;
    again.focus({ preventScroll: true });
  }

  function rowOf(place, index) {
    const error = cohort.rows.error[place];
    const cells = columns.map((column) =>
      h("td", { class: column.style, title: column.hint?.(place) }, column.cell(place, k, app)),
    );
    return h(
      "tr",
      { "aria-rowindex": index + 2, class: error ? "error-row" : null, onclick: open(place) },
      cells,
    );
  }

  const open = (place) => (event) => {
    if (event.target.closest("a") || !app.source.holds(cohort.rows.position[place])) return;
    location.hash = addressOf(cohort.rows.id[place], k);
  };
  const spacer = (rows) =>
    h(
      "tr",
      { class: "spacer", "aria-hidden": "true" },
      h("td", { height: rows * ROW }),
    );

  return {
    element: h("div", {}, filters, sight),
    update(budget) {
      k = budget;
      const top = sight.scrollTop;
      arrange();
      sight.scrollTop = top;
      draw();
    },
    whole: () => draw([0, places.length]),
    inSight: () => draw(),
  };
}

function columnsOf(cohort) {
  const { rows, words } = cohort;
  const gains = rows.position.map((_, place) => gainOf(cohort, place, cohort.k) ?? 0);
  const most = Math.max(1e-12, largest(gains));
  const top = cohort.states.length - 1;
  const outcome = (place, k) => rows.outcome[place]?.[k] ?? null;
  const columns = [
    {
      key: "id",
      name: "episode",
      style: "col-id",
      value: (place) => rows.id[place],
      cell: linked(cohort),
      hint: (place) => rows.id[place],
    },
    {
      key: "steps",
      name: words.steps,
      style: "num col-small optional",
      down: true,
      value: (place) => rows.steps[place],
      cell: (place) => number(rows.steps[place]),
    },
    {
      key: "course",
      name: "states",
      style: "col-course",
      value: (place) => average(rows.states[place]),
      cell: (place) => sparkline(rows.states[place], top),
      hint: (place) => rows.states[place].map((code) => cohort.states[code] ?? "?").join(", "),
    },
    {
      key: "observed",
      name: "observed",
      style: "num optional",
      down: true,
      value: (place) => rows.observed[place],
      cell: (place) => told(rows.observed[place]),
    },
    {
      key: "outcome",
      name: "expected",
      style: "num optional",
      down: true,
      value: outcome,
      cell: (place, k) => told(outcome(place, k)),
    },
    {
      key: "gain",
      name: "gain",
      style: "num col-gain",
      down: true,
      value: (place, k) => gainOf(cohort, place, k),
      cell: (place, k) => gained(gainOf(cohort, place, k), most),
    },
  ];
  if (rows.better.some((each) => each)) {
    const better = (place, k) => rows.better[place]?.[k] ?? null;
    columns.push({
      key: "better",
      name: "better",
      style: "num optional",
      down: true,
      value: (place, k) => middle(better(place, k)),
      cell: (place, k) => (better(place, k) === null ? "" : share(better(place, k))),
    });
  }
  if (rows.explanations.some((each) => each)) {
    const count = (place, k) => rows.explanations[place]?.[k] ?? null;
    columns.push({
      key: "explanations",
      name: "explanations",
      style: "num optional",
      down: true,
      value: (place, k) => magnitude(count(place, k)),
      cell: (place, k) => counted(count(place, k)),
      hint: () => "how many it takes to cover most of what can happen",
    });
  }
  for (const name of rows.names) {
    columns.push({
      key: `kept ${name}`,
      name,
      style: "optional",
      value: (place) => rows.kept[name][place],
      cell: (place) => rows.kept[name][place] ?? "",
      hint: (place) => rows.kept[name][place],
    });
  }
  return columns;
}

function headOf(column, sortBy) {
  const button = h(
    "button",
    { type: "button", onclick: () => sortBy(column) },
    column.name,
    h("span", { class: "arrow", "aria-hidden": "true" }),
  );
  return h("th", { scope: "col", class: column.style }, button);
}

const linked = (cohort) => (place, k, app) => {
  const id = cohort.rows.id[place];
  const error = cohort.rows.error[place];
  if (app.source.holds(cohort.rows.position[place]) || error)
    return h("a", { href: addressOf(id, k) }, id);
  return h("span", { title: "This file holds the details of other episodes only." }, id);
};

function gained(gain, most) {
  if (gain === null) return "no answer";
  const bar = h("span", { class: "gain-bar", "aria-hidden": "true" }, h("span", {}));
  bar.firstChild.style.width = `${Math.max(0, Math.min(1, gain / most)) * 100}%`;
  return [bar, h("span", { class: "gain-value" }, signed(gain))];
}

function told(value) {
  return value === null ? "" : number(value);
}

function counted(count) {
  if (count === null) return "";
  return count < 0 ? `over ${(-count).toLocaleString("en")}` : count.toLocaleString("en");
}

function magnitude(count) {
  return count !== null && count < 0 ? -count + 0.5 : count;
}

function average(codes) {
  return codes.reduce((sum, code) => sum + code, 0) / Math.max(codes.length, 1);
}

// What is missing comes last, whichever way the rest is sorted.
function compared(a, b, down) {
  if (a === null || b === null) return (a === null) - (b === null);
  const order =
    typeof a === "number" && typeof b === "number"
      ? a - b
      : String(a).localeCompare(String(b), "en", { numeric: true });
  return down ? -order : order;
}

function searchable(cohort, place) {
  const kept = cohort.rows.names.map((name) => cohort.rows.kept[name][place] ?? "");
  return [cohort.rows.id[place], ...kept].join("\n").toLocaleLowerCase();
}

// What views are made of.
import { h } from "./dom.js";

export function card(style, title, explained, ...content) {
  return h(
    "section",
    { class: `card ${style}` },
    h("h2", {}, title),
    explained ? h("p", {}, explained) : null,
    content,
  );
}

// A row of numbers: [style, name, value, remark].
export function numbers(rows) {
  const cells = rows.map(([style, name, value, remark]) =>
    h(
      "div",
      { class: style || null },
      h("dt", {}, name),
      h("dd", {}, value, remark ? h("small", {}, remark) : null),
    ),
  );
  return h("dl", { class: "numbers" }, cells);
}

// Draw a figure as wide as its place.
export function fillFigure(figure, draw) {
  const width = Math.max(figure.clientWidth || figure.parentElement?.clientWidth || 600, 240);
  figure.replaceChildren(draw(width));
}

export function folded(title, ...content) {
  return h("details", {}, h("summary", {}, title), content);
}

// A table of texts: the first row holds the names of its columns.
export function plainTable(name, heads, rows) {
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": name },
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          heads.map((head) => h("th", { scope: "col" }, head)),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((row) =>
          h(
            "tr",
            {},
            row.map((cell) => h("td", {}, cell)),
          ),
        ),
      ),
    ),
  );
}

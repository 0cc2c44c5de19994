// How far an answer rests on what nobody can check: the gain under other causal models, the least
// it is under all of a class, and what the data leave open.
import { h, s } from "./dom.js";
import { scale } from "./axes.js";
import { number, share, signed } from "./words.js";

export function certaintyCard(told, cohort, observed) {
  if (!told) return [];
  const sign = cohort.minimise ? -1 : 1;
  const rows = told.mechanisms.map(([name, gain]) => ({
    name,
    from: gain,
    to: gain,
    text: signed(gain),
    kind: "dot",
  }));
  for (const [name, gain] of told.classes)
    rows.push({
      name: `under ${name}`,
      from: gain,
      to: null,
      text: `at least ${signed(gain)}`,
      kind: "least",
    });
  if (told.posterior) {
    const [beats, ...ends] = told.posterior;
    const [from, to] = ends.map((end) => sign * (end - observed)).sort((a, b) => a - b);
    rows.push({
      name: `what the data leave open, ${told.mechanisms[0][0]}`,
      from,
      to,
      text: `${signed(from)} to ${signed(to)}; better in ${share(beats)}`,
      kind: "range",
    });
  }
  const known = rows.flatMap((row) => [row.from, row.to ?? row.from]);
  const low = Math.min(0, ...known);
  const high = Math.max(0, ...known);
  const room = (high - low) * 0.08 || 1;
  const toX = scale(low - room, high + room, 0, 100);
  return [
    h("blockquote", { class: "quote" }, told.sentence),
    h(
      "table",
      { class: "sure" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, "causal model"),
          h("th", { scope: "col", class: "num" }, "gain of this policy"),
          h("th", { class: "optional", "aria-hidden": "true" }),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((row) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, row.name),
            h("td", { class: "num" }, row.text),
            h("td", { class: "track optional", "aria-hidden": "true" }, track(row, toX)),
          ),
        ),
      ),
    ),
    h(
      "p",
      { class: "aside" },
      `The course is tied to what was observed by ${share(told.influence)} of the most there can be. ${told.posterior ? "The range holds the expected gain in the middle 90 % of processes that fit the data. " : ""}Zero is what was observed (${number(observed)}).`,
    ),
  ];
}

function track(row, toX) {
  const svg = s("svg", {
    width: "100%",
    height: 20,
    viewBox: "0 0 100 20",
    preserveAspectRatio: "none",
  });
  const x = toX(row.from);
  const zero = toX(0);
  svg.append(
    s("path", {
      d: `M${zero} 0V20`,
      class: "observed-line",
      "vector-effect": "non-scaling-stroke",
    }),
  );
  if (row.kind === "range")
    svg.append(
      s("path", {
        d: `M${x} 10H${toX(row.to)}`,
        class: "range-line",
        "vector-effect": "non-scaling-stroke",
      }),
    );
  if (row.kind === "least")
    svg.append(
      s("path", {
        d: `M${x} 4V16M${x} 10H100`,
        class: "least-line",
        "vector-effect": "non-scaling-stroke",
      }),
    );
  if (row.kind === "dot")
    svg.append(
      s("path", { d: `M${x} 10h0.01`, class: "dot-line", "vector-effect": "non-scaling-stroke" }),
    );
  return svg;
}

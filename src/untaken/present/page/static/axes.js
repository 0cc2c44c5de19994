// Scales, axes and the plain charts.
import { h, line, picture, s, titled } from "./dom.js";
import { number, shortened } from "./words.js";

const MARGIN = { top: 16, right: 14, bottom: 38, left: 48 };

export function ticks(low, high, about = 5) {
  const rough = (high - low) / about || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((size) => size >= rough * 0.999);
  const first = Math.ceil(low / step - 1e-9);
  const found = [];
  for (let i = first; i * step <= high + step * 1e-9; i++) found.push(i * step);
  return found;
}

export function scale(low, high, from, to) {
  const span = high - low || 1;
  return (value) => from + ((value - low) / span) * (to - from);
}

// A frame with both axes; `x` and `y` are [low, high], `name` what each shows, `text` how.
export function frame(width, height, x, y) {
  const left = MARGIN.left;
  const right = width - MARGIN.right;
  const top = MARGIN.top;
  const bottom = height - MARGIN.bottom;
  const toX = scale(...x.range, left, right);
  const toY = scale(...y.range, bottom, top);
  const parts = [s("path", { class: "axis", d: `M${left} ${top}V${bottom}H${right}` })];
  const wide = Math.max(2, Math.floor((right - left) / 62));
  for (const tick of x.ticks ?? ticks(...x.range, wide)) {
    parts.push(
      s(
        "text",
        { x: toX(tick), y: bottom + 15, "text-anchor": "middle" },
        (x.text ?? number)(tick),
      ),
    );
  }
  for (const tick of ticks(...y.range, y.whole ? 4 : 5).filter(
    (tick) => !y.whole || Number.isInteger(tick),
  )) {
    parts.push(s("path", { class: "axis", d: `M${left - 4} ${toY(tick)}H${left}` }));
    parts.push(
      s("text", { x: left - 7, y: toY(tick) + 4, "text-anchor": "end" }, (y.text ?? number)(tick)),
    );
  }
  const middle = (left + right) / 2;
  parts.push(
    s(
      "text",
      { x: middle, y: height - 4, "text-anchor": "middle" },
      shortened(x.name, Math.floor(width / 6)),
    ),
  );
  return { parts, toX, toY, left, right, top, bottom };
}

export function budgetTicks(k, width) {
  const every = Math.ceil((k + 1) / Math.max(2, Math.floor(width / 32)));
  return Array.from({ length: k + 1 }, (_, c) => c).filter((c) => c % every === 0);
}

// The expected outcome for every budget; bands and groups where there are several courses.
export function frontierChart(width, lines, k, cohort, said, observed = null) {
  const height = 240;
  const values = lines.flatMap((each) => [
    ...(each.lower ?? each.mean),
    ...(each.upper ?? each.mean),
  ]);
  if (observed !== null) values.push(observed);
  const [low, high] = padded(Math.min(...values), Math.max(...values));
  const last = lines[0].mean.length - 1;
  const f = frame(
    width,
    height,
    {
      range: [0, Math.max(last, 1)],
      ticks: budgetTicks(last, width),
      text: String,
      name: "changed actions, at most",
    },
    { range: [low, high] },
  );
  f.parts.push(
    line(
      [
        [f.toX(k), f.top],
        [f.toX(k), f.bottom],
      ],
      { class: "row-rule" },
    ),
  );
  if (observed !== null) {
    f.parts.push(
      line(
        [
          [f.left, f.toY(observed)],
          [f.right, f.toY(observed)],
        ],
        { class: "observed-line" },
      ),
    );
  }
  lines.forEach((each, place) => {
    const at = (value, c) => [f.toX(c), f.toY(value)];
    if (each.lower) {
      const ring = [...each.upper.map(at), ...each.lower.map(at).reverse()];
      f.parts.push(
        line(ring, {
          class: lines.length > 1 ? "group-band" : "fill-soft",
          "fill-opacity": lines.length > 1 ? 0 : null,
        }),
      );
    }
    const style = lines.length > 1 ? `group-line group-${place} dash-${place}` : "stroke";
    f.parts.push(line(each.mean.map(at), { class: style }));
    const [x, y] = at(each.mean[k], k);
    f.parts.push(titled(s("circle", { cx: x, cy: y, r: 5, class: "fill" }), number(each.mean[k])));
    if (lines.length === 1) {
      const end = k > last / 2;
      f.parts.push(
        s(
          "text",
          {
            x: x + (end ? -8 : 8),
            y: y + (cohort.minimise ? -9 : 17),
            class: "strong",
            "text-anchor": end ? "end" : "start",
          },
          number(each.mean[k]),
        ),
      );
    }
  });
  return picture(width, height, said, f.parts);
}

export function padded(low, high) {
  const room = (high - low) * 0.08 || Math.max(Math.abs(high) * 0.05, 0.5);
  return [low - room, high + room];
}

// Bars side by side: `bars` holds [middle, height, title].
export function barChart(width, height, bars, barWidth, x, y, said, marks = []) {
  const f = frame(width, height, x, y);
  for (const [middle, size, title] of bars) {
    const from = f.toX(middle - barWidth / 2);
    const to = f.toX(middle + barWidth / 2);
    const gap = Math.min(2, (to - from) * 0.12);
    const up = f.toY(size);
    const bar = s("rect", {
      x: from + gap / 2,
      width: Math.max(to - from - gap, 0.8),
      y: up,
      height: f.bottom - up,
      class: "fill",
      "fill-opacity": 0.8,
    });
    f.parts.push(titled(bar, title));
  }
  for (const [value, style, name] of marks) {
    f.parts.push(
      titled(
        line(
          [
            [f.toX(value), f.top - 4],
            [f.toX(value), f.bottom],
          ],
          { class: style },
        ),
        name,
      ),
    );
  }
  return picture(width, height, said, f.parts);
}

// Bars with a name before and a number behind each: a definition list that reads well aloud.
export function namedBars(rows, most) {
  const list = h("dl", { class: "bars" });
  for (const [name, size, value] of rows) {
    const bar = s("svg", { width: "100%", height: 12, "aria-hidden": "true" });
    bar.append(
      s("rect", { width: `${(100 * size) / (most || 1)}%`, height: 12, rx: 2, class: "fill" }),
    );
    list.append(h("dt", {}, name), h("dd", {}, bar), h("dd", { class: "value" }, value));
  }
  return list;
}

export function sparkline(codes, top) {
  const width = 120;
  const height = 24;
  const toX = scale(0, Math.max(codes.length - 1, 1), 3, width - 3);
  const toY = scale(0, Math.max(top, 1), height - 4, 4);
  const points = codes.map((code, t) => [toX(t), toY(code)]);
  const svg = s("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  svg.append(line(points, { class: "spark-line" }));
  return svg;
}

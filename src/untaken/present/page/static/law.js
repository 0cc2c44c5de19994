// How the outcome of an answer is distributed, with what was observed and the mean.
import { h, legend } from "./dom.js";
import { barChart } from "./axes.js";
import { UNIT } from "./data.js";
import { number, share } from "./words.js";

export function lawChart(width, cohort, episode, answer) {
  const bar = answer.law.width;
  const bars = inSight(answer.law);
  const low = Math.min(episode.observed, answer.outcome, bars[0][0] - bar / 2);
  const high = Math.max(episode.observed, answer.outcome, bars[bars.length - 1][0] + bar / 2);
  const most = Math.max(...bars.map(([, size]) => size));
  const marks = [
    [episode.observed, "observed-line", `observed ${number(episode.observed)}`],
    [answer.outcome, "mean-line", `mean ${number(answer.outcome)}`],
  ];
  const said = `Distribution of the ${cohort.words.outcome}: observed ${number(episode.observed)}, mean ${number(answer.outcome)}, better in ${share(answer.better)}, worse in ${share(answer.worse)}.`;
  return barChart(
    width,
    220,
    bars,
    bar,
    { range: [low - bar / 2, high + bar / 2], name: cohort.words.outcome },
    { range: [0, most * 1.05], text: (value) => share(value * UNIT), name: "probability" },
    said,
    marks,
  );
}

// Without tails that are too rare to be seen: they would squeeze the rest.
function inSight({ at, chance }) {
  const seen = [...at.keys()].filter((i) => chance[i] >= UNIT / 1000);
  const [from, to] = seen.length ? [seen[0], seen[seen.length - 1]] : [0, at.length - 1];
  return at
    .map((value, i) => [value, chance[i] / UNIT, `${number(value)}: ${share(chance[i])}`])
    .slice(from, to + 1);
}

export function lawLegend(episode, answer) {
  return h(
    "div",
    {},
    legend(
      ["fill", "how probable"],
      ["observed-line", `observed: ${number(episode.observed)}`],
      ["mean-line", `mean: ${number(answer.outcome)}`],
    ),
  );
}

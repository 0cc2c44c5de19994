// How the outcome of an answer is distributed, with what was observed and the mean.
import { h, legend } from "./dom.js";
import { barChart } from "./axes.js";
import { UNIT } from "./data.js";
import { number, share } from "./words.js";

export function lawChart(width, cohort, episode, answer) {
  const { at, chance, width: bar } = answer.law;
  const bars = at.map((value, i) => [
    value,
    chance[i] / UNIT,
    `${number(value)}: ${share(chance[i])}`,
  ]);
  const low = Math.min(episode.observed, answer.outcome, at[0] - bar / 2);
  const high = Math.max(episode.observed, answer.outcome, at[at.length - 1] + bar / 2);
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

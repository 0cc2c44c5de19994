"""Predicted against realized outcomes, in worlds where the truth is known.

For each causal model a cohort is simulated with that model's own noise, explained under every
model, and then the true noise is replayed under the policy that was found. Stability with
monotonicity is left out: no model tried here belongs to it, and its bounds are none for them.

python -m benchmarks.calibration [PICTURE]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import untaken as ut
from benchmarks.timing import table

STATES, ACTIONS, STEPS, K = 7, 4, 8, 2
EPISODES, SEED = 2000, 0
MODELS: tuple[ut.Mechanism, ...] = (
    ut.GumbelMax(),
    ut.InverseCDF(),
    ut.MaximalCoupling(),
    ut.Independent(),
)
CLASSES = (ut.CausalClass.NONE, ut.CausalClass.STABLE, ut.CausalClass.STABLE_EVERYWHERE)
STABLE_MODELS = (ut.GumbelMax(), ut.MaximalCoupling())
Outcome = Callable[[int, int, int], int]
"""A truth: where step t leads from a state under an action, the noise being what it is."""


def process(rng: np.random.Generator) -> ut.MDP:
    """Severities, of which higher is better; actions differ in what they do, not everywhere."""
    severity = np.arange(STATES)
    push = rng.normal(scale=0.8, size=(STATES, ACTIONS, 1))
    far = np.abs(severity - severity[:, None, None] - push)
    P = np.exp(-far) * rng.exponential(size=far.shape)
    return ut.MDP(P / P.sum(axis=2, keepdims=True), severity / (STATES - 1.0))


def gumbel_truth(P: np.ndarray, rng: np.random.Generator) -> Outcome:
    """One Gumbel number for each step and next state."""
    noise, log_P = rng.gumbel(size=(STEPS, STATES)), np.log(P)
    return lambda t, s, a: int(np.argmax(log_P[s, a] + noise[t]))


def inverse_cdf_truth(P: np.ndarray, rng: np.random.Generator) -> Outcome:
    """One uniform number for each step."""
    uniform, cumulated = rng.random(STEPS), P.cumsum(axis=2)
    return lambda t, s, a: int(np.searchsorted(cumulated[s, a, :-1], uniform[t], side="right"))


def independent_truth(P: np.ndarray, rng: np.random.Generator) -> Outcome:
    """One uniform number for each step and context."""
    uniform, cumulated = rng.random((STEPS, STATES, ACTIONS)), P.cumsum(axis=2)
    return lambda t, s, a: int(
        np.searchsorted(cumulated[s, a, :-1], uniform[t, s, a], side="right")
    )


def coupled_truth(P: np.ndarray, rng: np.random.Generator) -> Outcome:
    """Every context coupled maximally to the first one of the step that is asked about, which is
    the observed one: drawn from min(p, q) and residuals, not by the formula of the row."""
    uniform = rng.random((STEPS, STATES, ACTIONS, 2))
    first: dict[int, tuple[int, int, int]] = {}

    def outcome(t: int, s: int, a: int) -> int:
        u, residual = uniform[t, s, a]
        if t not in first:
            y = int(np.searchsorted(P[s, a].cumsum()[:-1], u, side="right"))
            first[t] = (s, a, y)
        *observed, y = first[t]
        if (s, a) == tuple(observed):
            return y
        p, q = P[observed[0], observed[1]], P[s, a]
        if u * p[y] <= min(p[y], q[y]):
            return y
        needed = q - np.minimum(p, q)
        return int(np.searchsorted(needed.cumsum()[:-1], residual * needed.sum(), side="right"))

    return outcome


TRUTHS = (gumbel_truth, inverse_cdf_truth, coupled_truth, independent_truth)


@dataclass(frozen=True)
class Cohort:
    """What was promised and what came of it, in one true world: gains, an episode a row."""

    predicted: np.ndarray  # (episodes, models)
    realized: np.ndarray  # (episodes, models)
    optimum_low: np.ndarray  # (episodes, classes): certified gain of the best policy
    certain: np.ndarray  # (episodes, classes): realized gain of the policy that is certified
    low: np.ndarray  # (episodes, classes): bounds on the gain of the Gumbel-max policy
    high: np.ndarray


def follow(truth: Outcome, act: Callable[[int, int, int], int], actions) -> ut.Episode:
    """The course under a policy, in the true world."""
    states, taken, left = [STATES // 2], [], K
    for t in range(STEPS):
        action = act(t, states[-1], left)
        left -= actions is not None and action != actions[t]
        taken.append(action)
        states.append(truth(t, states[-1], action))
    return ut.Episode(states[:STEPS], taken)


def worth(mdp: ut.MDP, episode: ut.Episode) -> float:
    """The rewards along a course."""
    return float(mdp.rewards.departure[list(episode.states), list(episode.actions)].sum())


def is_member(model: ut.Mechanism, causal_class: ut.CausalClass) -> bool:
    """Whether a class holds a model, so that its bounds must hold in that world."""
    return causal_class is ut.CausalClass.NONE or model in STABLE_MODELS


def simulate(
    make_truth: Callable[[np.ndarray, np.random.Generator], Outcome], episodes: int = EPISODES
) -> Cohort:
    """A cohort in one true world, explained and replayed."""
    rng = np.random.default_rng(SEED)
    mdp = process(rng)
    P = mdp.transitions.dense()
    columns: list[list[list[float]]] = [[], [], [], [], [], []]
    for _ in range(episodes):
        truth, behaviour = make_truth(P, rng), rng.integers(ACTIONS, size=STEPS)
        episode = follow(truth, lambda t, *_, plan=behaviour: int(plan[t]), None)
        observed = worth(mdp, episode)

        def replay(policy: ut.Policy, truth=truth, plan=behaviour, observed=observed) -> float:
            course = follow(truth, lambda t, s, left: int(policy[t, s, left]), plan)
            return worth(mdp, course) - observed

        answers = [ut.explain(episode, mdp, K, mechanism=model) for model in MODELS]
        bounds = [answers[0].bounds(each) for each in CLASSES]
        of_policy = [answers[0].policy_bounds(each) for each in CLASSES]
        rows = (
            [cf.gain for cf in answers],
            [replay(cf.policy) for cf in answers],
            [float(each.certified[-1]) for each in bounds],
            [replay(each.policy) for each in bounds],
            [float(each.lower[-1]) - observed for each in of_policy],
            [float(each.upper[-1]) - observed for each in of_policy],
        )
        for column, row in zip(columns, rows, strict=True):
            column.append(row)
    return Cohort(*(np.array(column) for column in columns))


def deciles(predicted: np.ndarray, realized: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean predicted and realized gain in each tenth of the episodes, by predicted gain."""
    order = np.argsort(predicted, kind="stable")
    return tuple(
        np.array([part.mean() for part in np.array_split(values[order], 10)])
        for values in (predicted, realized)
    )


def error(values: np.ndarray) -> float:
    """The standard error of a mean."""
    return float(values.std() / np.sqrt(len(values)))


def calibration(cohorts: list[Cohort]) -> str:
    """Predicted and realized gain for each true world and each assumed model."""
    rows = []
    for true, cohort in zip(MODELS, cohorts, strict=True):
        for i, assumed in enumerate(MODELS):
            predicted, realized = cohort.predicted[:, i], cohort.realized[:, i]
            difference = realized - predicted
            tenths = deciles(predicted, realized)
            off = np.abs(tenths[1] - tenths[0])
            rows.append(
                (
                    true.name,
                    assumed.name,
                    f"{predicted.mean():.3f}",
                    f"{realized.mean():.3f}",
                    f"{difference.mean():+.3f} ± {error(difference):.3f}",
                    f"{off.mean():.3f}",
                    f"{off.max():.3f}",
                )
            )
    header = (
        "true world", "assumed", "predicted gain", "realized gain", "realized - predicted",
        "mean miss of deciles", "largest",
    )  # fmt: skip
    return table(header, rows)


def containment(cohorts: list[Cohort]) -> str:
    """Whether bounds hold the realized gain, on average over the cohort."""
    rows = []
    for true, cohort in zip(MODELS, cohorts, strict=True):
        for i, each in enumerate(CLASSES):
            realized, certain = cohort.realized[:, 0], cohort.certain[:, i]
            low, high = cohort.low[:, i], cohort.high[:, i]
            held = low.mean() <= realized.mean() <= high.mean()
            tenths = [
                (a.mean(), b.mean(), c.mean())
                for a, b, c in zip(
                    *(
                        np.array_split(values[np.argsort(cohort.predicted[:, 0])], 10)
                        for values in (low, realized, high)
                    ),
                    strict=True,
                )
            ]
            inside = sum(a <= b <= c for a, b, c in tenths)
            rows.append(
                (
                    true.name,
                    each.value,
                    "yes" if is_member(true, each) else "no",
                    f"{low.mean():.3f} to {high.mean():.3f}",
                    f"{realized.mean():.3f}",
                    f"{'yes' if held else 'NO'}, {inside} of 10",
                    f"{cohort.optimum_low[:, i].mean():.3f}",
                    f"{certain.mean():.3f} ± {error(certain):.3f}",
                )
            )
    header = (
        "true world", "class", "holds that world", "bounds, Gumbel-max policy", "realized",
        "inside, and by decile", "certified gain", "its policy realized",
    )  # fmt: skip
    return table(header, rows)


def picture(cohorts: list[Cohort], path: str) -> None:
    """Predicted against realized gains by decile, a panel for each true world; rings are means."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 4, figsize=(13, 3.9), sharex=True, sharey=True)
    markers, colours = ("o", "s", "^", "D"), ("#0072B2", "#E69F00", "#009E73", "#CC79A7")
    for ax, true, cohort in zip(axes, MODELS, cohorts, strict=True):
        ax.axline((0, 0), slope=1, color="0.7", linewidth=1)
        for i, assumed in enumerate(MODELS):
            x, y = deciles(cohort.predicted[:, i], cohort.realized[:, i])
            ax.plot(
                x, y, marker=markers[i], color=colours[i], label=assumed.name,
                linewidth=2.4 if assumed == true else 1, markersize=4,
                alpha=1.0 if assumed == true else 0.75,
            )  # fmt: skip
            ax.plot(
                cohort.predicted[:, i].mean(), cohort.realized[:, i].mean(), "o", markersize=11,
                markerfacecolor="none", markeredgecolor=colours[i], markeredgewidth=1.8, zorder=5,
            )  # fmt: skip
        ax.set_title(f"true world: {true.name}", fontsize=10)
        ax.set_xlabel("predicted gain")
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(color="0.93", linewidth=0.8)
        ax.set_axisbelow(True)
    axes[0].set_ylabel("realized gain")
    legend = figure.legend(
        *axes[0].get_legend_handles_labels(), title="assumed model (bold: the true one; rings: "
        "means over all episodes; points: tenths of them)", ncols=4, loc="upper center",
        fontsize=9, title_fontsize=9, frameon=False,
    )  # fmt: skip
    for line in legend.get_lines():
        line.set_linewidth(1.5)
    figure.tight_layout(rect=(0, 0, 1, 0.87))
    figure.savefig(path, dpi=150)


def section(path: str | None = None) -> str:
    """The Markdown section; the picture goes to the path."""
    cohorts = [simulate(truth) for truth in TRUTHS]
    if path:
        picture(cohorts, path)
    shown = [f"![Predicted against realized gains](images/{Path(path).name})"] if path else []
    return "\n\n".join(
        [
            "## Calibration in worlds where the truth is known",
            f"{EPISODES:,} episodes a world, n = {STATES}, m = {ACTIONS}, T = {STEPS}, k = {K}; "
            "gains over the observed outcome.\n"
            "In each world a causal model makes the noise, every model explains what happened, and "
            "the true noise\nis lived through again under each answer's policy.",
            *shown,
            calibration(cohorts),
            "Bounds must hold in the worlds that their class holds; elsewhere they may or may not. "
            "The last two columns\nare what the class is certain to gain at least, by a policy of "
            "its own, and what that policy did gain.",
            containment(cohorts),
        ]
    )


if __name__ == "__main__":
    print(section(sys.argv[1] if len(sys.argv) > 1 else None))

"""What `make demo` shows: one synthetic course, and which few changes would have helped."""

from __future__ import annotations

import numpy as np

from untaken.analysis import Counterfactual, explain
from untaken.datasets import synthetic


def main() -> None:
    """Print the answer for the course, of fifty, in which hindsight finds most."""
    data = synthetic(seed=1)
    answers = [explain(episode, data.mdp, k=3) for episode in data.episodes]
    print(report(max(answers, key=lambda answer: answer.gain)))


def report(cf: Counterfactual) -> str:
    """The answer in a few lines."""
    episode, drawn = cf.episode, cf.sample(10_000, seed=0)
    courses, counts = np.unique(drawn.actions, axis=0, return_counts=True)
    common = int(counts.argmax())
    return "\n".join(
        [
            f"Episode {episode.id}: {episode.horizon} decisions between {len(cf.mdp.actions)} "
            f"actions in {len(cf.mdp.states)} states.",
            f"What was observed is worth {cf.observed:g}.",
            "",
            "changes allowed   expected outcome",
            *(f"{c:>15}   {value:>16.2f}" for c, value in enumerate(cf.frontier)),
            "",
            f"With {cf.k} changes the most common alternative "
            f"({counts[common] / len(drawn):.0%} of counterfactual courses) is:",
            *_changes(cf, courses[common]),
        ]
    )


def _changes(cf: Counterfactual, actions: np.ndarray) -> list[str]:
    observed, labels = cf.episode.actions, cf.mdp.actions
    changed = np.flatnonzero(actions != cf.problem.course.actions)
    return [
        f"  step {t}: in place of action {observed[t]}, action {labels[int(actions[t])]}"
        for t in changed.tolist()
    ] or ["  no change"]


if __name__ == "__main__":
    main()

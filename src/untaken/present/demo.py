"""What `make demo` shows: a simulated trial, and one of its patients."""

from __future__ import annotations

from pathlib import Path

from untaken.analysis import Counterfactual, explain
from untaken.datasets import cbt_trial
from untaken.errors import MissingExtra
from untaken.model import fit, neighbour_prior, positional_actions
from untaken.present.text import summary
from untaken.present.words import Words

WORDS = Words(outcome="well-being", step="session", first_step=1)
FIGURE = Path("out") / "demo.png"


def main() -> None:
    """Estimate the process from the trial, and account for the patient in whom hindsight finds
    most."""
    trial = cbt_trial()
    print(f"{trial}.\n")
    estimate = fit(trial.episodes, prior=neighbour_prior(near=1.0, far=0.01), reward=trial.reward)
    print(f"The process estimated from them:\n{estimate.summary()}\n")
    fixed = positional_actions(trial.episodes)
    answers = [
        explain(episode, estimate.mdp, k=3, pinned=fixed.pinned, excluded=fixed.excluded)
        for episode in trial.episodes
    ]
    shown = max(answers, key=lambda answer: answer.gain)
    print(f"{summary(shown.account(), WORDS)}\n")
    print(_drawn(shown))


def _drawn(cf: Counterfactual) -> str:
    """Draw the figure, and say where it is."""
    try:
        figure = cf.plot(WORDS)
    except MissingExtra as missing:
        return str(missing)
    FIGURE.parent.mkdir(exist_ok=True)
    figure.savefig(FIGURE, dpi=120)
    return f"The same as a figure: {FIGURE}"


if __name__ == "__main__":
    main()

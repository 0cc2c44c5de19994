"""Draw the pictures that the README shows.

python docs/images/draw.py
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import untaken as ut

HERE = Path(__file__).parent


def main() -> None:
    """The published patient, in a process estimated from the simulated trial."""
    trial = ut.datasets.cbt_trial()
    prior = ut.neighbour_prior(near=1.0, far=0.01)
    fit = ut.fit(trial.episodes, prior=prior, reward=trial.reward)
    fixed = ut.positional_actions(trial.episodes)
    cf = ut.explain(
        ut.datasets.published_patient(),
        fit.mdp,
        k=3,
        pinned=fixed.pinned,
        excluded=fixed.excluded,
    )
    words = ut.Words(outcome="well-being", step="session", first_step=1)
    cf.plot(words).savefig(HERE / "patient.png", dpi=90)


if __name__ == "__main__":
    main()

"""What `make demo` shows: a simulated trial, a study of it, one of its patients, and the page."""

from __future__ import annotations

from pathlib import Path

from untaken.datasets import cbt_trial
from untaken.episodes import Label
from untaken.errors import MissingExtra
from untaken.model import Fit, fit, neighbour_prior, positional_actions
from untaken.present.cohort_text import cohort_summary
from untaken.present.doubts import doubts, keep_doubts
from untaken.present.inputs import keep_words
from untaken.present.page.report import write_report
from untaken.present.text import summary
from untaken.present.words import Words
from untaken.study import Depth, Study, explain_all

WORDS = Words(outcome="well-being", step="session", first_step=1)
TITLE = "A simulated trial of therapy: no real patients"
FOLDER = Path("out") / "demo"
BUDGET, SHOWN = 5, 3
"""How many changes are looked at, and with how many one patient is shown."""


def main() -> None:
    """Estimate the process from the trial, explain every patient, and account for the one in whom
    hindsight finds most."""
    trial = cbt_trial()
    print(f"{trial}.\n")
    estimate = fit(trial.episodes, prior=neighbour_prior(near=1.0, far=0.01), reward=trial.reward)
    print(f"The process estimated from them:\n{estimate.summary()}\n")
    fixed = positional_actions(trial.episodes)
    study = explain_all(
        trial.episodes,
        estimate,
        BUDGET,
        out=FOLDER / "study",
        depth=Depth(robust=True, posterior=100),
        detail=True,
        pinned=fixed.pinned,
        excluded=fixed.excluded,
        n_jobs=2,
    )
    keep_words(WORDS, str(FOLDER / "study"))
    keep_doubts(list(doubts(estimate)), str(FOLDER / "study"))
    print(f"{cohort_summary(study.summary(), WORDS)}\n")
    patient = most_gained(study)
    print(f"{summary(study.account(patient, SHOWN), WORDS)}\n")
    page = write_report(study, FOLDER / "report.html", WORDS, title=TITLE)
    print(_drawn(study, patient, estimate))
    print(f"The whole cohort as a page, to be opened in a browser: {page}")
    print(f"The same, live, with what-if: untaken explore {FOLDER / 'study'}")


def most_gained(study: Study) -> Label:
    """Who gains most with as many changes as are shown."""
    found = study.budgets.filter(f"k = {SHOWN}").order("gain DESC, position").project("episode")
    patient: Label = found.limit(1).fetchall()[0][0]
    return patient


def _drawn(study: Study, patient: Label, estimate: Fit) -> str:
    """Draw the figure of one patient, and say where it is."""
    figure = FOLDER / "patient.png"
    try:
        study.explain(patient).at(SHOWN).plot(WORDS, estimate).savefig(figure, dpi=120)
    except MissingExtra as missing:
        return str(missing)
    return f"The patient as a figure: {figure}"


if __name__ == "__main__":
    main()

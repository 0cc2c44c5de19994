"""The question about a whole cohort."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import joblib

from untaken.episodes import Episode, Episodes
from untaken.errors import CannotWrite, HorizonWarning, InvalidQuestion, StudyInterrupted
from untaken.mechanism import GumbelMax, Mechanism
from untaken.model import MDP, Fit
from untaken.search import Rules
from untaken.search.problem import budget, listed, must_be
from untaken.study.asked import Asked
from untaken.study.cohort import Cohort, cohort_of
from untaken.study.depth import Depth, whole_number
from untaken.study.job import Job, run
from untaken.study.manifest import Manifest, process_digests, versions
from untaken.study.parts import close_databases, interrupted
from untaken.study.progress import Progress
from untaken.study.store import Folder, Memory, refuse_other_versions
from untaken.study.study import Study

SMALLEST_PART, LARGEST_PART = 5, 100
"""Episodes in one part, where it is not said how many."""


def explain_all(
    episodes: Cohort | Episodes | Iterable[Episode],
    process: MDP | Fit,
    k: int = 10,
    *,
    out: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    depth: Depth | None = None,
    detail: bool = False,
    leave_out: bool = False,
    mechanism: Mechanism | None = None,
    pinned: Iterable[int] = (),
    excluded: Iterable[Any] = (),
    rules: Rules | None = None,
    seed: int = 0,
    chunk: int | None = None,
    progress: bool | None = None,
) -> Study:
    """What at most `k` changed actions could have done for every episode.

    `episodes` are in memory, or an `EpisodeStream` where there are too many for that.
    With `out` the study is kept in that folder, and the same call goes on where it was stopped.
    `n_jobs` counts threads (-1: one a core), or what `joblib.parallel_config` says: its "loky" and
    "dask" backends run the same study in other processes, on other machines if they see the
    folder. `depth` says what is kept of each answer, `detail` keeps an account for every budget;
    `leave_out` answers each episode with a fit that does not rest on it. A step that an episode
    does not have cannot be `pinned` there: such an episode is among those without an answer.
    `chunk` is how many episodes make one part, and one task: what is lost where a study is stopped,
    for each of those at work. Unless given it is a fiftieth of all, but at least 5 and at most 100;
    and 100 where only frontiers are asked for. `progress` shows a bar (None: where somebody looks
    on).

    >>> import untaken as ut
    >>> mdp = ut.MDP([[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]], [0, 1])
    >>> episodes = [ut.Episode([0, 0, 0], [0, 0, 0]), ut.Episode([0, 1], [1, 0])]
    >>> study = ut.explain_all(episodes, mdp, k=1)
    >>> study
    Study(2 of 2 episodes, k=1, 0 without an answer)
    >>> study.budgets.project("episode, k, round(gain, 3)").order("episode, k").fetchall()
    [(0, 0, 0.0), (0, 1, 0.988), (1, 0, 0.0), (1, 1, 0.0)]
    """
    jobs, cohort = _jobs(n_jobs), cohort_of(episodes)
    must_be(process, (MDP, Fit), "the process", "an MDP or a Fit")
    depth, rules = depth or Depth(), rules or Rules()
    must_be(depth, Depth, "depth", "Depth(...)")
    must_be(rules, Rules, "rules", "Rules(...)")
    fit = None if isinstance(process, MDP) else process
    mdp = process if isinstance(process, MDP) else process.mdp
    excluded = listed(excluded, "excluded")
    asked = Asked(
        k=budget(k),
        depth=depth,
        detail=bool(detail),
        leave_out=bool(leave_out),
        pinned=_whole_steps(pinned),
        excluded=tuple(mdp.actions[code] for code in mdp.actions.codes(excluded, "excluded")),
        mechanism=mechanism or GumbelMax(),
        rules=rules,
        seed=whole_number(seed, "seed is a whole number", 0),
        chunk=_chunk(chunk, cohort.size, depth),
    )
    if leave_out and fit is None:
        raise InvalidQuestion("leave_out=True takes episodes out of a fit; an MDP came. Give a Fit")
    if asked.depth.posterior and fit is None:
        raise InvalidQuestion("depth.posterior draws from a fit; an MDP came. Give a Fit")
    kept_fit = fit if leave_out or asked.depth.posterior else None
    manifest = _manifest(cohort, mdp, kept_fit, asked)
    store = Memory(manifest, mdp, kept_fit) if out is None else Folder(Path(out), manifest)
    study = Study(store, asked)
    with store.alone(), _stopped_by_hand(study):
        if isinstance(store, Folder):
            store.begin(mdp, kept_fit)
        _run(study, cohort, mdp, jobs, progress)
        if isinstance(store, Folder):
            store.sweep()
    _warn_of_open_ends(study)
    return study


def _run(study: Study, cohort: Cohort, mdp: MDP, n_jobs: int | None, progress: bool | None) -> None:
    """Answer the chunks that are not done."""
    store, asked = study.store, study.asked
    marks = store.marks()
    done = {mark.chunk for mark in marks}
    if len(done) == -(-cohort.size // asked.chunk):
        return
    if isinstance(store, Folder):
        refuse_other_versions(store.path)
    job = Job(store, asked)
    tasks = (joblib.delayed(run)(job, chunk) for chunk in cohort.chunks(asked.chunk, mdp, done))
    parallel = joblib.Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator_unordered")
    with Progress(cohort.size, sum(mark.episodes for mark in marks), progress) as shown:
        try:
            for finished in parallel(tasks):
                if finished is not None:
                    if isinstance(store, Memory):
                        store.put(finished.mark.chunk, finished.parts, finished.mark)
                    shown.add(finished.mark.episodes)
        except BaseException as error:
            job.halt()
            if isinstance(error, KeyboardInterrupt) or interrupted(error):
                raise KeyboardInterrupt from None
            if isinstance(error, CannotWrite):
                raise CannotWrite(_so_far(study, str(error))) from None
            error.add_note(_so_far(study, "The study stops here"))
            raise
        finally:
            close_databases()


@contextmanager
def _stopped_by_hand(study: Study) -> Iterator[None]:
    """Say what is done, at whatever moment the study is interrupted."""
    try:
        yield
    except KeyboardInterrupt:
        raise StudyInterrupted(_so_far(study, "stopped by hand")) from None


def _so_far(study: Study, why: str) -> str:
    """What is done, and how to go on."""
    if isinstance(study.store, Memory):
        return f"{why}. Give out= to keep what is done"
    done = f"{study.done:,} of {study.total:,} episodes are done and safe in {study.store.path}"
    return f"{why}. {done}; the same call goes on from there"


def _manifest(cohort: Cohort, mdp: MDP, fit: Fit | None, asked: Asked) -> Manifest:
    return Manifest(
        options=asked.told(),
        process=process_digests(mdp, fit),
        cohort=cohort.digests,
        episodes=cohort.size,
        forms=cohort.forms(mdp),
        versions=versions(),
    )


def _chunk(given: int | None, episodes: int, depth: Depth) -> int:
    """How many episodes make a part. Frontiers take so little time that only their number counts;
    else there are some fifty parts, for those who work side by side and for those who stop."""
    if given is not None:
        return whole_number(given, "chunk is a number of episodes", 1)
    least = SMALLEST_PART if depth.policy else LARGEST_PART
    return min(max(-(-episodes // 50), least), LARGEST_PART)


def _whole_steps(pinned: Iterable[Any]) -> tuple[int, ...]:
    steps = listed(pinned, "pinned")
    for step in steps:
        if isinstance(step, bool) or not hasattr(step, "__index__"):
            raise InvalidQuestion(f"pinned steps are whole numbers; {step!r} came")
    return tuple(int(step) for step in steps)


def _jobs(given: Any) -> int | None:
    """How many are at work at once, as joblib takes it."""
    if given is None:
        return None
    if given == 0 or isinstance(given, bool) or not hasattr(given, "__index__"):
        raise InvalidQuestion(
            "n_jobs is a number of threads, or -1 for one a core; None asks joblib.parallel_config;"
            f" {given!r} came"
        )
    return int(given)


def _warn_of_open_ends(study: Study) -> None:
    open_ends = sum(mark.open_ends for mark in study.store.marks())
    if open_ends:
        warnings.warn(
            f"The episode ends in the absorbing state in {open_ends:,} of {study.total:,} cases, "
            "but a counterfactual course that still runs then is worth nothing more: states that "
            "go on have no final_reward. "
            "Consider mdp.replace(final_reward=untaken.continuation(mdp, policy)).",
            HorizonWarning,
            stacklevel=3,
        )

"""What bounds over all causal models, and draws of the process, cost next to a plain solve.

python -m benchmarks.bounds           the paper's size
python -m benchmarks.bounds --large   also 716 states and 25 actions, dense rows: minutes
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from functools import partial

import numpy as np

import untaken as ut
from benchmarks.timing import best_times, shown, table
from untaken.analysis.credible import credible
from untaken.search import Problem, bound_optimum, pose, solve

K, ROUNDS = 10, 50


def question(states: int, actions: int, steps: int, k: int, reached: int | None = None) -> Problem:
    """A random process, and a course drawn from it. `reached` is how many states a row leads to."""
    rng = np.random.default_rng(0)
    P = rng.exponential(size=(states, actions, states))
    if reached is not None:
        P *= np.argsort(rng.random(P.shape), axis=2) < reached
    P /= P.sum(axis=2, keepdims=True)
    mdp = ut.MDP(P, rng.normal(size=(states, actions)))
    course, acted = [0], rng.integers(actions, size=steps).tolist()
    for action in acted[:-1]:
        course.append(int(rng.choice(states, p=P[course[-1], action])))
    return pose(ut.Episode(course, acted), mdp, k)


def ratios(problem: Problem, rounds: int) -> list[tuple[str, str, str]]:
    """Each class of causal models as a multiple of the plain solve."""
    solve(problem)
    asked = partial(replace, problem)  # anew each time: a problem keeps the bounds it has
    runs = [lambda: solve(asked())]
    runs += [lambda each=each: bound_optimum(asked(), each) for each in ut.CausalClass]
    for run in runs:
        run()
    plain, *bounds = best_times(*runs, rounds=rounds, clock=time.thread_time)
    rows = [("a plain solve", shown(plain), "1")]
    for each, seconds in zip(ut.CausalClass, bounds, strict=True):
        rows.append((f'bounds, "{each.value}"', shown(seconds), f"{seconds / plain:.1f}"))
    return rows


def mechanisms(rounds: int) -> list[tuple[str, str, str]]:
    """Each causal model as a multiple of Gumbel-max."""
    models = (ut.GumbelMax(), ut.InverseCDF(), ut.MaximalCoupling(), ut.Independent())
    base = question(20, 10, 20, K)
    problems = [pose(base.episode, base.mdp, K, mechanism=model) for model in models]
    for problem in problems:
        solve(problem)
    runs = [partial(solve, problem) for problem in problems]
    times = best_times(*runs, rounds=rounds, clock=time.thread_time)
    return [
        (f"a solve, {model.name}", shown(seconds), f"{seconds / times[0]:.1f}")
        for model, seconds in zip(models, times, strict=True)
    ]


def posterior() -> tuple[str, str, str]:
    """Two hundred draws, each solved anew."""
    base = question(20, 10, 20, K)
    rng = np.random.default_rng(1)
    others = [
        ut.Episode(rng.integers(20, size=20), rng.integers(10, size=20), id=i) for i in range(200)
    ]
    first = ut.Episode(base.episode.states, base.episode.actions, id="explained")
    fit = ut.fit(
        ut.Episodes.of([first, *others]),
        ut.uniform_prior(0.1),
        reward=base.mdp.rewards.departure,
        states=range(20),
        actions=range(10),
        unseen=ut.Unseen.AS_SEEN,
    )
    cf = ut.explain(first, fit.mdp, K)
    actions = np.array([each.actions for each in cf.explanations(limit=20)])
    ask = partial(credible, cf.problem, cf.policy, fit, actions, 200, 0)
    ask()
    seconds, plain = best_times(ask, partial(solve, cf.problem), rounds=5, clock=time.thread_time)
    return (
        f"200 draws: optimum, policy and {len(actions)} sequences",
        shown(seconds),
        f"{seconds / plain:.0f}",
    )


def section() -> str:
    """The Markdown section."""
    paper = question(20, 10, 20, K)
    rows = [*mechanisms(ROUNDS), *ratios(paper, ROUNDS), posterior()]
    costs = ("processor time", "in solves")
    tables = [
        table(("at n = 20, m = 10, T = 20, k = 10", *costs), rows),
        table(
            ("a patient of ICU-Sepsis, 715 states, 25 actions, T = 20, k = 5", *costs), patient()
        ),
    ]
    title = "## How sure: other causal models, bounds, draws of the process"
    return "\n\n".join([title, *tables])


def patient() -> list[tuple[str, str, str]]:
    """The longest of the courses drawn from ICU-Sepsis."""
    data = ut.datasets.icu_sepsis(50, seed=0)
    longest = max(data.episodes, key=lambda episode: episode.horizon)
    return ratios(pose(longest, data.mdp, 5), 3)


def large() -> str:
    """The size of ICU-Sepsis: rows that reach everything, and rows that reach forty states."""
    parts = []
    for reached, name in ((None, "all states"), (40, "40 states")):
        rows = ratios(question(716, 25, 10, 5, reached), 1)
        parts.append(
            table((f"716 states, 25 actions, T = 10, k = 5, to {name}", "time", "x"), rows)
        )
    return "\n\n".join(parts)


if __name__ == "__main__":
    print(section(), flush=True)
    if "--large" in sys.argv:
        print("\n" + large())

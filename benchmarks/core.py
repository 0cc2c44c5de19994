"""How fast the exact search is, and how little it needs: the numbers of docs/benchmarks.md.

python -m benchmarks.core           about a minute; the slowest rival runs on a fraction
python -m benchmarks.core --full    the slowest rival runs once as a whole
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

import untaken as ut
from benchmarks.rivals import vectorised_transitions
from benchmarks.timing import best_times, in_fresh_process, shown, table
from tests.oracles import monte_carlo_transitions, paper_search
from untaken.search import pose, solve

K, D = 10, 1000
FRACTION = 20
"""Draws that the plain procedure makes where it does not run as a whole."""


@dataclass(frozen=True)
class Line:
    """One measured claim."""

    claim: str
    ratio: str
    details: str


def paper_size() -> list[Line]:
    """Ratios at the size of the paper's section 4: n = 20, m = 10, T = 20, every budget 0..10."""
    data = ut.datasets.synthetic(seed=0)
    mdp, episodes = data.mdp, list(data.episodes)
    problems = [pose(episode, mdp, K) for episode in episodes]
    P, R = mdp.transitions.dense(), mdp.rewards.departure
    states, actions = (codes.tolist() for codes in mdp.codes(episodes[0]))
    rng, sampled = np.random.default_rng(0), ut.GumbelMaxSampled(d=D)
    P_tau = vectorised_transitions(P, states, actions, D, rng)
    drawn = ut.explain(episodes[0], mdp, K)
    whole = "--full" in sys.argv
    draws = D if whole else FRACTION
    exact, kernel, sampling, program, vectorised, compiled, rollouts = best_times(
        lambda: [ut.explain(episode, mdp, K) for episode in episodes],
        lambda: [solve(problem) for problem in problems],
        lambda: monte_carlo_transitions(P, states, actions, draws, rng),
        lambda: paper_search(P_tau, R, actions, K),
        lambda: vectorised_transitions(P, states, actions, D, rng),
        lambda: ut.explain(episodes[0], mdp, K, mechanism=sampled),
        lambda: drawn.sample(10_000, seed=0),
        rounds=2 if whole else 15,
    )
    exact, kernel, rollouts = exact / len(episodes), kernel / len(episodes), rollouts / 10_000
    plain = sampling * D / draws + program
    scaled = "a whole run" if whole else f"timed with {FRACTION} draws, times {D // FRACTION}"
    return [
        Line(
            "faster than the paper's procedure as it is described",
            f"{plain / exact:,.0f} x",
            f"{shown(plain)} ({scaled}, and {shown(program)} for the dynamic program) "
            f"against {shown(exact)}",
        ),
        Line(
            "faster than the same, vectorised with NumPy over its samples",
            f"{(vectorised + program) / exact:,.0f} x",
            f"{shown(vectorised)} for the samples and {shown(program)} for the same dynamic "
            f"program; without the latter {vectorised / exact:,.0f} x",
        ),
        Line(
            "faster than the same, compiled: `GumbelMaxSampled(d=1000)`",
            f"{compiled / exact:,.0f} x",
            f"{shown(compiled)}, both called as `explain()`",
        ),
        Line(
            "share of Python in `explain()`",
            f"{1 - kernel / exact:.0%}",
            f"{shown(exact)}, of which {shown(kernel)} in the kernel; mean of 50 episodes",
        ),
        Line(
            "realizations sampled",
            f"{1e-3 / rollouts:,.0f} in a ms",
            f"`sample(10_000)`, of {drawn.episode.horizon} steps each",
        ),
    ]


def sparse_process(states: int, seed: int = 0) -> tuple[ut.MDP, list[ut.Episode]]:
    """8 actions, 9 successors a row anywhere, T = 20: the size of a process from intensive care
    for 720 states, and harder than that one, because any state leads everywhere."""
    actions, successors, rng = 8, 9, np.random.default_rng(seed)
    contexts = states * actions
    rows = ut.Rows(
        np.arange(contexts + 1) * successors,
        np.sort([rng.choice(states, successors, replace=False) for _ in range(contexts)]).ravel(),
        rng.dirichlet(np.ones(successors), contexts).ravel(),
        states,
        actions,
    )
    mdp = ut.MDP(rows, rng.normal(size=(states, actions)))
    chosen = rng.integers(actions, size=states)
    drawn = ut.simulate(mdp, chosen, episodes=20, horizon=20, seed=seed)
    return mdp, list(drawn)


def larger_size() -> Line:
    """720 states, as a ratio to the paper's size."""
    data = ut.datasets.synthetic(seed=0)
    mdp, episodes = sparse_process(720)
    short = list(data.episodes)
    small, large = best_times(
        lambda: [ut.explain(episode, data.mdp, K) for episode in short],
        lambda: [ut.explain(episode, mdp, K) for episode in episodes],
        rounds=15,
    )
    small, large = small / len(short), large / len(episodes)
    return Line(
        "720 states, 8 actions, 9 successors a row, T = 20, k = 10: as long as so many episodes of "
        "the paper's size",
        f"{large / small:.1f}",
        f"{shown(large)} against {shown(small)}",
    )


MEMORY = """
import ctypes, sys
from benchmarks.core import K, sparse_process
from benchmarks.timing import resident
from untaken.search import pose, solve
small = sparse_process(50)
solve(pose(small[1][0], small[0], K))
mdp, episodes = sparse_process(int(sys.argv[1]))
problem = pose(episodes[0], mdp, K)
problem.process, problem.worlds
ctypes.CDLL(None).malloc_trim(0)  # so that nothing freed before is used again
before = resident(reset=True)
solution = solve(problem)
print(resident() - before, solution.policy.actions.nbytes, solution.policy.fewest_changes.nbytes)
"""


def memory() -> Line:
    """The peak of a solve above what stood before it."""
    states = 20_000
    peak, policy, fewest = in_fresh_process(MEMORY, (str(states),))
    values = 2 * states * (K + 1) * 8
    tensor = states**2 * 8 * 8
    return Line(
        f"peak memory of a solve with {states:,} states, against one step's n x m x n tensor",
        f"1 : {tensor / peak:,.0f}",
        f"{peak / 1e6:.1f} MB resident, of which the policy {policy / 1e6:.1f} MB (n k T), the "
        f"fewest changes {fewest / 1e6:.1f} MB (n T), two tables of values {values / 1e6:.1f} MB "
        f"(n k), and vectors over states; the tensor would be {tensor / 1e9:.1f} GB",
    )


START = """
import time
start = time.perf_counter()
import untaken as ut
imported = time.perf_counter()
mdp = ut.MDP([[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]], [0, 1])
ut.explain(ut.Episode([0, 0, 0], [0, 0, 0]), mdp, k=2)
print(imported - start, time.perf_counter() - start)
"""


def start() -> list[Line]:
    """A fresh process, with Numba's cache warm and bytecode at hand, as after the first use."""
    in_fresh_process(START)
    imported, answered = np.median([in_fresh_process(START) for _ in range(7)], axis=0)
    return [
        Line(
            "`import untaken` in a fresh process",
            shown(imported),
            "median of 7; layers are imported when something in them is first asked for",
        ),
        Line(
            "from there to the first answer of `explain()`, all imports included",
            shown(answered),
            "median of 7, with Numba's cache warm",
        ),
    ]


def section() -> str:
    """The section of docs/benchmarks.md."""
    lines = [*paper_size(), larger_size(), memory(), *start()]
    rows = [(line.claim, line.ratio, line.details) for line in lines]
    return "\n".join(
        [
            "## The search",
            "",
            "Unless another size is named, it is the paper's: 20 states, 10 actions, T = 20, every",
            "budget 0 to 10, one episode, one core.",
            "",
            table(("What", "Ratio or value", "From"), rows),
        ]
    )


if __name__ == "__main__":
    print(section())

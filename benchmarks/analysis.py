"""What the exact answers about one episode cost, next to the solve and to sampling.

python -m benchmarks.analysis
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

import untaken as ut
from benchmarks.timing import best_times, shown, table
from tests.oracles import monte_carlo_transitions

K, EPISODES, ROUNDS = 3, 10, 15
DRAWS = 1000


def measure() -> list[tuple[str, str, str]]:
    """Each cost as a multiple of the solve, at the paper's size with k = 3."""
    data = ut.datasets.synthetic(seed=0)
    episodes = list(data.episodes)[:EPISODES]
    answers = [ut.explain(episode, data.mdp, K) for episode in episodes]

    def three(cf: ut.Counterfactual) -> None:
        cf.explanations(coverage=0.99)
        cf.outcomes()
        cf.timeline()

    asked: list[tuple[str, Callable[[ut.Counterfactual], object]]] = [
        ("explanations to 99 %", lambda cf: cf.explanations(coverage=0.99)),
        ("the law of the outcome", lambda cf: cf.outcomes()),
        ("the timeline", lambda cf: cf.timeline()),
        ("these three together", three),
        ("all that a page shows (`cf.account()`)", lambda cf: cf.account()),
        ("1,000 realizations (`cf.sample(1000)`)", lambda cf: cf.sample(DRAWS, seed=0)),
    ]

    def solve() -> None:
        for episode in episodes:
            ut.explain(episode, data.mdp, K)

    def each(ask: Callable[[ut.Counterfactual], object]) -> None:
        for cf in answers:
            ask(replace(cf))  # a copy, of which nothing is known yet

    runs = [solve, *(partial(each, ask) for _, ask in asked)]
    solved, *seconds = (time / EPISODES for time in best_times(*runs, rounds=ROUNDS))
    plain = plain_realizations(data, answers[0])
    names = [name for name, _ in asked]
    names.append(f"{DRAWS:,} realizations as the paper draws them, its rows given")
    return [
        ("the solve itself (`explain`)", "1", shown(solved)),
        *(
            (name, f"{time / solved:.3g}", shown(time))
            for name, time in zip(names, [*seconds, plain], strict=True)
        ),
    ]


def plain_realizations(data: ut.datasets.Synthetic, cf: ut.Counterfactual) -> float:
    """Seconds of the paper's Algorithm 2, loop for loop, with its estimates already made."""
    P, rng = data.mdp.transitions.dense(), np.random.default_rng(0)
    states, actions = (codes.tolist() for codes in data.mdp.codes(cf.episode))
    P_tau = monte_carlo_transitions(P, states, actions, 2, rng)
    reward, policy = data.mdp.rewards.departure, cf.policy.actions

    def draw() -> float:
        s, left, worth = states[0], K, 0.0
        for t in range(len(actions)):
            a = policy[t, s, left]
            worth += reward[s, a]
            left = max(left - (a != actions[t]), 0)
            if t < len(actions) - 1:
                s = rng.choice(len(P), p=P_tau[t, s, a])
        return worth

    return best_times(lambda: [draw() for _ in range(DRAWS)], rounds=3)[0]


def section() -> str:
    """The section of docs/benchmarks.md."""
    return "\n".join(
        [
            "## Exact answers about one episode",
            "",
            f"At the paper's size with k = {K}; means over {EPISODES} episodes, nothing cached.",
            "",
            table(("What", "Times the solve", "Time"), measure()),
        ]
    )


if __name__ == "__main__":
    print(section())

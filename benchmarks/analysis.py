"""What the exact answers about one episode cost, next to the solve and to sampling.

python -m benchmarks.analysis
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from benchmarks.timing import best_time, machine, shown, table

import untaken as ut
from tests.oracles import monte_carlo_transitions

K, EPISODES, ROUNDS = 3, 10, 15
DRAWS = 1000


def measure() -> list[tuple[str, str, str]]:
    """Each cost as a multiple of the solve, at the paper's size with k = 3."""
    data = ut.datasets.synthetic(seed=0)
    episodes = list(data.episodes)[:EPISODES]
    answers = [ut.explain(episode, data.mdp, K) for episode in episodes]

    def each(ask: Callable[[ut.Counterfactual], object]) -> float:
        """Seconds an answer, nothing of it known before."""
        run = lambda: [ask(replace(cf)) for cf in answers]  # noqa: E731
        run()
        return best_time(run, ROUNDS) / EPISODES

    solve = best_time(lambda: [ut.explain(e, data.mdp, K) for e in episodes], ROUNDS) / EPISODES

    def three(cf: ut.Counterfactual) -> None:
        cf.explanations(coverage=0.99)
        cf.outcomes()
        cf.timeline()

    asked = [
        ("explanations to 99 %", each(lambda cf: cf.explanations(coverage=0.99))),
        ("the law of the outcome", each(lambda cf: cf.outcomes())),
        ("the timeline", each(lambda cf: cf.timeline())),
        ("these three together", each(three)),
        ("all that a page shows (`cf.account()`)", each(lambda cf: cf.account())),
        ("1,000 realizations (`cf.sample(1000)`)", each(lambda cf: cf.sample(DRAWS, seed=0))),
    ]
    rows = [("the solve itself (`explain`)", "1", shown(solve))]
    rows += [(name, f"{seconds / solve:.2f}", shown(seconds)) for name, seconds in asked]
    plain = plain_realizations(data, answers[0])
    name = f"{DRAWS:,} realizations as the paper draws them, its rows given"
    return [*rows, (name, f"{plain / solve:,.0f}", shown(plain))]


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

    return best_time(lambda: [draw() for _ in range(DRAWS)], 3)


def report() -> str:
    """The section for docs/benchmarks.md."""
    header = ("What", "Times the solve", "Time")
    return "\n".join(
        [
            "## Exact answers about one episode",
            "",
            f"At the paper's size with k = {K}; means over {EPISODES} episodes, nothing cached.",
            "",
            table(header, measure()),
            "",
        ]
    )


if __name__ == "__main__":
    print(f"Machine: {machine()}.\n\n{report()}")

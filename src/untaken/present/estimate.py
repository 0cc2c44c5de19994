"""How the process of the command line comes about, and what its reader must know about that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from untaken.episodes import Episodes, Labels
from untaken.errors import InvalidFile, InvalidQuestion
from untaken.model import MDP, Fit, LoggedReward, fit, neighbour_prior

SHOWN = 8
"""How many ranks, or labels, a message lists."""


@dataclass(frozen=True)
class Estimate:
    """How the process comes about: from a file, or estimated from the log."""

    process: str | None = None
    near: float = 1.0
    far: float = 0.01
    better: str = "lower"
    minimise: bool = False
    """Whether the log's rewards are costs."""
    ordered: bool = False
    """Whether the order of the states was given."""

    def find(self, episodes: Episodes) -> MDP | Fit:
        """The process, or the fit that holds it."""
        if self.process is not None:
            mdp = MDP.load(self.process)
            if self.minimise and not mdp.minimise:
                raise InvalidFile(
                    f"--cost says that less is better; in the process at {self.process} more is. "
                    "Save one with minimise=True, or give --reward"
                )
            return mdp
        prior = neighbour_prior(self.near, self.far)
        reward: LoggedReward | Callable[[Any], float] = LoggedReward()
        if episodes.rewards is None:
            self._check_order(episodes.states)
            reward = _rank(episodes.states, self.better)
        return fit(episodes, prior, reward=reward, minimise=self.minimise)

    def _check_order(self, states: Labels) -> None:
        """Refuse to rank words by the alphabet, in which mild stands before none."""
        if not self.ordered and _in_words(states):
            raise InvalidQuestion(
                "the states are words, and which of them is better is not known: in the order of "
                f"the alphabet they are {_some(states)}. Give all of them as --states A,B,C, "
                "the best first; or give --reward or --cost COLUMN"
            )

    def told(self, episodes: Episodes) -> str | None:
        """What a reader must know about what was not given: rewards, the order, classes."""
        if self.process is not None:
            return None
        states, decisions = episodes.states, int(episodes.horizons.sum())
        parts = []
        if episodes.rewards is None:
            parts.append(self._told_ranks(states, bool(episodes.final_seen.any())))
        elif not self.ordered and len(states) > 2 and _in_words(states):
            parts.append(
                "The estimate takes states that stand side by side for neighbours, here in the "
                f"order of the alphabet: {_some(states)}. Give --states if yours is another."
            )
        if len(states) > decisions / 2:
            parts.append(
                f"There are {len(states):,} different states in {decisions:,} decisions: hardly "
                "any occurs twice, so that nothing can be learnt of what to expect in it. Make "
                "classes of numbers, 0 to 4 say."
            )
        return "\n".join(parts) or None

    def _told_ranks(self, states: Labels, final: bool) -> str:
        reward, other = _rank(states, self.better), "higher" if self.better == "lower" else "lower"
        ranks = sorted(states, key=reward)
        listed = ranks if len(ranks) <= SHOWN else [ranks[0], ranks[-1]]
        between = ", " if len(ranks) <= SHOWN else ", and so on up to "
        last = " What was seen after the last action counts nothing." if final else ""
        return (
            "No rewards were given: each step pays the rank of its state: "
            f"{between.join(f'{state} pays {reward(state):.0f}' for state in listed)}.{last} A sum "
            "of ranks has no unit, and a per cent of it means little. Give --reward or --cost "
            f"COLUMN, or --better {other} to turn the order round."
        )


def _in_words(states: Labels) -> bool:
    """Whether some label has no number at its start that would say where it stands."""
    return any(isinstance(state, str) and not state[:1].isdigit() for state in states)


def _some(labels: Labels) -> str:
    more = " ..." if len(labels) > SHOWN else ""
    return ", ".join(map(str, list(labels)[:SHOWN])) + more


def _rank(states: Labels, better: str) -> Callable[[Any], float]:
    """Each state's rank, 1 for the worst; the order is that of the labels."""
    code = {state: place for place, state in enumerate(states)}
    if better == "lower":
        return lambda state: float(len(code) - code[state])
    return lambda state: float(1 + code[state])

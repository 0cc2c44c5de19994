"""What a set of episodes holds, at a glance."""

from __future__ import annotations

from dataclasses import dataclass

from untaken.episodes.labels import Label


@dataclass(frozen=True)
class Tally:
    """How often one label occurs."""

    label: Label
    count: int


@dataclass(frozen=True)
class EpisodesSummary:
    """Lengths, counts and coverage. Printed, it is a short text."""

    episodes: int
    decisions: int
    shortest: int
    median_length: float
    longest: int
    final_seen: int
    """How many episodes saw the state after their last action."""
    states: tuple[Tally, ...]
    """Decisions taken in each state, in the order of the states."""
    actions: tuple[Tally, ...]
    """How often each action was taken, most common first."""
    contexts_seen: int
    """How many pairs of state and action occur."""
    contexts: int
    rejected: int
    """Rows that were left out when the episodes were read."""

    def __str__(self) -> str:
        share = self.contexts_seen / self.contexts if self.contexts else 0.0
        lines = [
            f"{self.episodes:,} episodes, {self.decisions:,} decisions",
            f"lengths    {self.shortest} to {self.longest}, median {self.median_length:g}",
            f"final seen in {self.final_seen:,} of {self.episodes:,} episodes",
            f"states     {_shown(self.states)}",
            f"actions    {_shown(self.actions)}",
            f"contexts   {self.contexts_seen:,} of {self.contexts:,} occur ({share:.0%})",
        ]
        if self.rejected:
            lines.append(f"rejected   {self.rejected:,} rows; see episodes.rejected")
        return "\n".join(lines)


def _shown(tallies: tuple[Tally, ...]) -> str:
    shown = ", ".join(f"{tally.label} {tally.count:,}" for tally in tallies[:8])
    more = f" and {len(tallies) - 8:,} more" if len(tallies) > 8 else ""
    return f"{shown}{more} ({len(tallies):,} in all)" if more else shown

"""The tables of a study: what their columns are called, hold and mean."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np


class Holds(Enum):
    """What a column holds. Labels take the type that suits those of the study."""

    WHOLE = "BIGINT"
    NUMBER = "DOUBLE"
    FLAG = "BOOLEAN"
    TEXT = "VARCHAR"
    ID = "the id of an episode"
    STATE = "the label of a state"
    ACTION = "the label of an action"
    KEPT = "the columns of the log that were kept"


@dataclass(frozen=True)
class TableColumn:
    """One column."""

    name: str
    holds: Holds
    meaning: str


@dataclass(frozen=True)
class Table:
    """One table, stored in a folder of its name."""

    name: str
    meaning: str
    columns: tuple[TableColumn, ...]

    def __str__(self) -> str:
        width = max(len(column.name) for column in self.columns)
        lines = [f"  {column.name:<{width}}  {column.meaning}" for column in self.columns]
        return "\n".join([f"{self.name}: {self.meaning}", *lines])


def _table(name: str, meaning: str, *columns: TableColumn) -> Table:
    return Table(name, meaning, (*_KEY, *columns))


_C = TableColumn
_KEY = (
    _C("position", Holds.WHOLE, "where the episode stands in the cohort, from 0"),
    _C("episode", Holds.ID, "the id of the episode; as JSON text where ids are not all alike"),
)
_BUDGET = _C("k", Holds.WHOLE, "how many actions may differ, at most")

EPISODES = _table(
    "episodes",
    "a row for each episode",
    _C("steps", Holds.WHOLE, "the number of decisions, T"),
    _C("final_seen", Holds.FLAG, "whether the state after the last action was seen"),
    _C("logged", Holds.NUMBER, "the sum of the rewards that the log carries; null without them"),
    _C("observed", Holds.NUMBER, "what the observed course is worth to the model"),
    _C("outcome", Holds.NUMBER, "the best expected outcome with the largest budget"),
    _C("gain", Holds.NUMBER, "by how much that is better than the observed; never negative"),
    _C("relative_gain", Holds.NUMBER, "gain over observed; null where observed is not positive"),
    _C("open_end", Holds.FLAG, "whether forgetting what happens after T may decide the answer"),
    _C("notes", Holds.TEXT, "what a reader should know about the largest budget's answer"),
    _C("error", Holds.TEXT, "why there is no answer; null where there is one"),
    _C("kept", Holds.KEPT, "the columns of the log that were kept, as a struct; only if there are"),
)
DECISIONS = _table(
    "decisions",
    "what was observed: a row for each decision, and one for a final state that was seen",
    _C("step", Holds.WHOLE, "from 0"),
    _C("state", Holds.STATE, "the state in which the decision was taken"),
    _C("action", Holds.ACTION, "what was done; null in the row of a final state"),
    _C("reward", Holds.NUMBER, "the reward that the log carries; null without one"),
)
BUDGETS = _table(
    "budgets",
    "a row for each episode that has an answer, and each budget from 0 to the largest",
    _BUDGET,
    _C("outcome", Holds.NUMBER, "the best expected outcome: the frontier"),
    _C("gain", Holds.NUMBER, "by how much that is better than the observed; never negative"),
    _C("relative_gain", Holds.NUMBER, "gain over observed; null where observed is not positive"),
    _C(
        "better_lower",
        Holds.NUMBER,
        "the probability of beating the observed, at least",
    ),
    _C("better_upper", Holds.NUMBER, "... and at most this one; equal where the law is exact"),
    _C("worse_lower", Holds.NUMBER, "the probability of falling short of it, at least"),
    _C("worse_upper", Holds.NUMBER, "... and at most this one"),
    _C("explanations", Holds.WHOLE, "how many it takes to cover 99 % (or the coverage asked for)"),
    _C("censored", Holds.FLAG, "whether it takes more, and counting stopped at the limit"),
    _C(
        "unique_lower",
        Holds.NUMBER,
        "distinct changed ones in depth.draws samples, at least",
    ),
    _C("unique_upper", Holds.NUMBER, "... and at most"),
)
STEPS = _table(
    "steps",
    "a row for each episode, budget and step",
    _BUDGET,
    _C("step", Holds.WHOLE, "from 0"),
    _C("changed", Holds.NUMBER, "how probable it is that the policy changes the action there"),
)
REPLACEMENTS = _table(
    "replacements",
    "a row for each action that the policy takes in place of the observed one",
    _BUDGET,
    _C("step", Holds.WHOLE, "from 0"),
    _C("observed", Holds.ACTION, "what was done"),
    _C("alternative", Holds.ACTION, "what the policy does instead"),
    _C("probability", Holds.NUMBER, "how probable that is"),
)
EXPLANATIONS = _table(
    "explanations",
    "the most probable explanations of each episode and budget, the unchanged course among them",
    _BUDGET,
    _C("rank", Holds.WHOLE, "1 for the most probable one"),
    _C("probability", Holds.NUMBER, "how probable it is that the policy plays exactly this"),
    _C("mean_outcome", Holds.NUMBER, "the expected outcome where the policy chose it"),
    _C("forced_outcome", Holds.NUMBER, "the expected outcome if it were played whatever happens"),
    _C("better_lower", Holds.NUMBER, "where it is chosen it beats the observed at least so often"),
    _C("better_upper", Holds.NUMBER, "... and at most so often"),
    _C("changes", Holds.WHOLE, "how many actions differ"),
    _C("explanation", Holds.TEXT, "the changes, to be read"),
    _C("changed", Holds.TEXT, "the changes as JSON: a list of [step, observed, alternative]"),
)
ROBUSTNESS = _table(
    "robustness",
    "with depth.robust: how sure the gain of each budget's policy is",
    _BUDGET,
    _C("gumbel_max", Holds.NUMBER, "the gain of the policy under this causal model"),
    _C("inverse_cdf", Holds.NUMBER, "... under this one, which counts on the order of states"),
    _C("maximal_coupling", Holds.NUMBER, "... under this one"),
    _C("independent", Holds.NUMBER, "... where nothing carries over from what was observed"),
    _C("certain_none", Holds.NUMBER, "the least gain under any causal model; may be a loss"),
    _C("certain_stable", Holds.NUMBER, "... under any that is counterfactually stable"),
    _C("certain_stable_everywhere", Holds.NUMBER, "... under any stable for all outcomes"),
    _C("certain_stable_monotone", Holds.NUMBER, "... under any stable and monotone one"),
    _C("attainable_none", Holds.NUMBER, "the gain that some policy is certain to have at least"),
    _C("influence", Holds.NUMBER, "which share of the most the course leans on the observation"),
    _C("draws_better", Holds.NUMBER, "with depth.posterior: the share of draws in which it gains"),
    _C("draws_lower", Holds.NUMBER, "... and 90 % of draws give the policy an outcome from this"),
    _C("draws_upper", Holds.NUMBER, "... to this"),
    _C(
        "verdict",
        Holds.TEXT,
        "how much must be assumed: certain, stable, stable_everywhere, tried, assumed or none",
    ),
)
ACCOUNTS = _table(
    "accounts",
    "with detail=True: all that a page about one answer shows",
    _BUDGET,
    _C("account", Holds.TEXT, "JSON, read back by Account.from_json"),
)
TABLES = (EPISODES, DECISIONS, BUDGETS, STEPS, REPLACEMENTS, EXPLANATIONS, ROBUSTNESS, ACCOUNTS)


@dataclass(frozen=True)
class Filled:
    """Rows of one table, as columns in the order of the table."""

    table: Table
    values: tuple[np.ndarray, ...]

    @property
    def rows(self) -> int:
        """How many there are."""
        return len(self.values[0])

"""A study: what was found about every episode of a cohort."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb

from untaken.analysis import Account, Counterfactual
from untaken.episodes import Episode
from untaken.episodes.labels import plain
from untaken.episodes.naming import literal
from untaken.episodes.sources import OBJECTS_IN_FULL, without_progress
from untaken.errors import InvalidQuestion, InvalidStudy, UnknownLabel
from untaken.mechanism import Mechanism
from untaken.model import MDP
from untaken.study import tables
from untaken.study.answers import Answering
from untaken.study.asked import Asked
from untaken.study.store import Folder, Memory, read_manifest
from untaken.study.summarise import summarise
from untaken.study.summary import CohortSummary
from untaken.study.tables import Table


@dataclass(frozen=True, eq=False, repr=False)
class Study:
    """What was found about every episode. Made by `explain_all` and `open_study`.

    Tables are DuckDB relations, read when they are used: `.df()`, `.pl()` and `.to_arrow_table()`
    make frames of them, `print(table)` shows a few rows, `untaken.study.TABLES` says what the
    columns mean.

    >>> import untaken as ut
    >>> P = [[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]]
    >>> mdp = ut.MDP(P, [0, 1], states=["ill", "well"], actions=["wait", "treat"])
    >>> anna = ut.Episode(["ill", "ill", "ill"], ["wait", "wait", "wait"], id="Anna")
    >>> ben = ut.Episode(["ill", "well"], ["treat", "wait"], id="Ben")
    >>> study = ut.explain_all([anna, ben], mdp, k=1)
    >>> study
    Study(2 of 2 episodes, k=1, 0 without an answer)
    >>> study.explanations.filter("k = 1").project("episode, explanation, probability").fetchall()
    [('Anna', 'step 0: wait → treat', 1.0), ('Ben', 'no change', 1.0)]
    >>> study.account("Anna").outcome == study.explain("Anna").outcome
    True
    """

    store: Folder | Memory
    """Where it is kept."""
    asked: Asked
    """With which options it was made."""

    def __repr__(self) -> str:
        return (
            f"Study({self.done:,} of {self.total:,} episodes, k={self.asked.k}, "
            f"{self.failed:,} without an answer)"
        )

    @property
    def total(self) -> int:
        """The number of episodes of the cohort."""
        return self.store.manifest.episodes

    @property
    def done(self) -> int:
        """The number of episodes that were looked at so far."""
        return sum(mark.episodes for mark in self.store.marks())

    @property
    def failed(self) -> int:
        """The number of those without an answer; the column `error` of `episodes` says why."""
        return sum(mark.failed for mark in self.store.marks())

    @property
    def finished(self) -> bool:
        """Whether all chunks of episodes are done."""
        return len(self.store.marks()) == -(-self.total // self.asked.chunk)

    @property
    def minimise(self) -> bool:
        """Whether outcomes are costs, of which less is better."""
        return self.mdp.minimise

    @cached_property
    def mdp(self) -> MDP:
        """The process."""
        return self.store.process()

    @cached_property
    def _connection(self) -> Any:
        connection = duckdb.connect(config=OBJECTS_IN_FULL)
        without_progress(connection)
        return connection

    def table(self, table: Table) -> Any:
        """One of the tables of `untaken.study.TABLES`."""
        rows = self.store.rows(self._connection, table)
        if rows is None:
            raise InvalidStudy(
                f"this study holds no table of {table.name}; those come with a larger depth= "
                "(accounts with detail=True), and not before the first part is done"
            )
        return rows

    @property
    def episodes(self) -> Any:
        """A row for each episode."""
        return self.table(tables.EPISODES)

    @property
    def decisions(self) -> Any:
        """What was observed, a row for each decision."""
        return self.table(tables.DECISIONS)

    @property
    def budgets(self) -> Any:
        """A row for each episode and budget: the frontier, and what is known of each answer."""
        return self.table(tables.BUDGETS)

    @property
    def steps(self) -> Any:
        """How often the policy changes the action at each step."""
        return self.table(tables.STEPS)

    @property
    def replacements(self) -> Any:
        """What the policy does in place of the observed actions."""
        return self.table(tables.REPLACEMENTS)

    @property
    def explanations(self) -> Any:
        """The most probable explanations."""
        return self.table(tables.EXPLANATIONS)

    @property
    def robustness(self) -> Any:
        """How sure the gain of each budget's policy is."""
        return self.table(tables.ROBUSTNESS)

    @property
    def failures(self) -> Any:
        """The episodes without an answer, each with its reason."""
        return self.episodes.filter("error IS NOT NULL").project("position, episode, error")

    def episode(self, id: Any) -> Episode:
        """An episode as it was observed."""
        forms = self.store.manifest.forms
        rows = (
            self.decisions.filter(f"episode = {self._key(id)}")
            .order("step")
            .project("state, action, reward")
            .fetchall()
        )
        if not rows:
            raise UnknownLabel(f"the study has no episode {id!r} among those that are done")
        acted = [row for row in rows if row[1] is not None]
        rewards = [reward for _, _, reward in acted]
        return Episode(
            [forms.states.read(state) for state, _, _ in rows],
            [forms.actions.read(action) for _, action, _ in acted],
            id,
            None if None in rewards else rewards,
        )

    def explain(self, id: Any) -> Counterfactual:
        """The whole answer about one episode, anew, from what the study keeps."""
        return self._answering.counterfactual(self.episode(id))

    def account(self, id: Any, k: int | None = None) -> Account:
        """What there is to tell about one episode: as it was kept with detail=True, or anew."""
        k = self.asked.k if k is None else k
        if not 0 <= k <= self.asked.k:
            raise InvalidQuestion(f"this study holds the budgets 0 to {self.asked.k}; {k} came")
        if self.asked.detail:
            return self._kept_accounts(id, f"k = {k}")[0]
        return self._answering.account(self.explain(id).at(k))

    def accounts(self, id: Any) -> tuple[Account, ...]:
        """The same for every budget, from 0 up."""
        if self.asked.detail:
            return self._kept_accounts(id, "true")
        cf = self.explain(id)
        return tuple(self._answering.account(cf.at(k)) for k in range(self.asked.k + 1))

    def _kept_accounts(self, id: Any, which: str) -> tuple[Account, ...]:
        kept = self.table(tables.ACCOUNTS).filter(f"episode = {self._key(id)} AND {which}")
        rows = kept.order("k").project("account").fetchall()
        if not rows:
            raise UnknownLabel(f"the study has no answer about an episode {id!r}")
        return tuple(Account.from_json(account) for (account,) in rows)

    def summary(
        self, by: str | None = None, *, resamples: int = 1000, level: float = 0.95
    ) -> CohortSummary:
        """The cohort as a whole, or group by group: `by` is a column of the log that was kept.

        Intervals are those of the percentile bootstrap over episodes, which are too narrow for
        small groups: simulated with skewed outcomes, those of 95 % hold 93 % of the time for 200
        episodes, 91 % for 20, 88 % for 10 and 77 % for 5. A group of one has no spread to show.
        """
        return summarise(self, by, resamples, level)

    def verify(self) -> None:
        """Read every byte of every part, and complain about the first that is not as it was."""
        self.store.marks(thorough=True)

    @cached_property
    def _answering(self) -> Answering:
        return Answering(self.mdp, self.store.fit(), self.asked, self.store.manifest.forms)

    def _key(self, id: Any) -> str:
        value = self.store.manifest.forms.ids.write(plain(id))
        return literal(value) if isinstance(value, str) else str(value)


def open_study(path: str | os.PathLike[str], *, mechanism: Mechanism | None = None) -> Study:
    """The study in a folder, finished or not. A mechanism of the user's own must be given again.

    >>> import tempfile
    >>> import untaken as ut
    >>> data = ut.datasets.synthetic(0.5, 3, 2, 4, episodes=3, seed=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = ut.explain_all(data.episodes, data.mdp, k=2, out=f"{folder}/study")
    ...     print(ut.open_study(f"{folder}/study"))
    Study(3 of 3 episodes, k=2, 0 without an answer)
    """
    folder = Folder(Path(path), read_manifest(Path(path)))
    study = Study(folder, Asked.read(folder.manifest.options, mechanism))
    folder.marks()
    return study

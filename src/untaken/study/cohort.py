"""The episodes of a study, chunk by chunk: in memory, or read from Parquet as they are needed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from untaken.episodes import Episode, Episodes, read_episodes
from untaken.episodes.labels import Labels
from untaken.episodes.sources import connect, literal, quoted
from untaken.errors import InvalidFile, InvalidQuestion
from untaken.model import MDP
from untaken.study.labels import Forms, KeptColumn, Written
from untaken.study.manifest import digest

BLOCK = 10_000
"""How many episodes of a stream are in memory at once."""


@dataclass(frozen=True, eq=False)
class Chunk:
    """Some consecutive episodes."""

    number: int
    start: int
    """The position of the first one in the cohort."""
    episodes: Episodes


class Cohort(ABC):
    """What a study needs to know of its episodes."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many episodes there are."""

    @property
    @abstractmethod
    def digest(self) -> str:
        """A hash of all that counts of them."""

    @abstractmethod
    def forms(self, mdp: MDP) -> Forms:
        """How their labels stand in the tables."""

    @abstractmethod
    def chunks(self, size: int, mdp: MDP, done: Collection[int]) -> Iterator[Chunk]:
        """The chunks that are not done."""


@dataclass(frozen=True, eq=False)
class Gathered(Cohort):
    """Episodes in memory."""

    episodes: Episodes

    @property
    def size(self) -> int:
        """How many episodes there are."""
        return len(self.episodes)

    @property
    def digest(self) -> str:
        """A hash of labels, codes, ids, rewards and kept columns."""
        e = self.episodes
        ids = e.ids if e.ids.dtype != object else Labels(tuple(e.ids), "id").to_json()
        kept = {f"kept {c.name}": np.array(list(map(str, c.values.tolist()))) for c in e.kept}
        arrays = {
            "states": e.states.to_json(),
            "actions": e.actions.to_json(),
            "offsets": e.offsets,
            "state_codes": e.state_codes,
            "action_codes": e.action_codes,
            "final_codes": e.final_codes,
            "ids": ids,
            "rewards": np.empty(0) if e.rewards is None else e.rewards,
        }
        return digest(arrays | kept)

    def forms(self, mdp: MDP) -> Forms:
        """The plainest forms that suit all labels."""
        e = self.episodes
        return Forms(
            Written.suiting(e.ids.tolist()),
            Written.suiting((*e.states, *mdp.states)),
            Written.suiting((*e.actions, *mdp.actions)),
            tuple(KeptColumn.of(column.name, column.values) for column in e.kept),
        )

    def chunks(self, size: int, mdp: MDP, done: Collection[int]) -> Iterator[Chunk]:  # noqa: ARG002
        """Slices of the episodes."""
        for number, start in enumerate(range(0, self.size, size)):
            if number not in done:
                yield Chunk(number, start, self.episodes[start : start + size])


@dataclass(frozen=True, eq=False)
class EpisodeStream(Cohort):
    """Episodes in Parquet files, read some thousands at a time: for cohorts larger than memory.

    Only the ids are held all the time. Files that are sorted by episode are read fastest. Rows that
    fit nowhere stop the study, as in `read_episodes`; give `on_error="drop"` to leave them out.

    >>> import tempfile, duckdb, untaken as ut
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = folder.name + "/log.parquet"
    >>> data = ut.datasets.synthetic(episodes=5, seed=0)
    >>> data.episodes.to_frame().to_parquet(path)
    >>> stream = ut.EpisodeStream(path, "episode", "step", "state", "action")
    >>> ut.explain_all(stream, data.mdp, k=1)
    Study(5 of 5 episodes, k=1, 0 without an answer)
    >>> folder.cleanup()
    """

    source: str
    """A path or a glob."""
    episode: str
    step: str
    state: str | Sequence[str]
    action: str | Sequence[str]
    reward: str | None = None
    keep: Sequence[str] = ()
    on_error: str = "raise"
    block: int = BLOCK
    """How many episodes are in memory at once."""

    @property
    def size(self) -> int:
        """How many episodes there are."""
        return len(self.ids)

    @cached_property
    def _columns(self) -> list[str]:
        several = [[c] if isinstance(c, str) else list(c) for c in (self.state, self.action)]
        reward = [self.reward] if self.reward else []
        return [self.episode, self.step, *several[0], *several[1], *reward, *self.keep]

    def _query(self, sql: str) -> Any:
        try:
            return connect().sql(sql.format(log=f"read_parquet({literal(self.source)})"))
        except Exception as error:
            raise InvalidFile(f"{self.source} cannot be read as Parquet: {error}") from None

    @cached_property
    def ids(self) -> np.ndarray:
        """The ids of all episodes, ascending."""
        name = quoted(self.episode)
        found = self._query(
            f"SELECT DISTINCT {name} AS id FROM {{log}} WHERE {name} IS NOT NULL ORDER BY id"
        )
        kind = str(found.types[0])
        if kind != "VARCHAR" and "INT" not in kind:
            raise InvalidQuestion(
                f"the ids of a stream are whole numbers or texts; {self.episode!r} holds {kind}"
            )
        ids: np.ndarray = found.fetchnumpy()["id"]
        return np.ma.getdata(ids)

    @cached_property
    def digest(self) -> str:
        """A hash of the rows, in whatever order they stand."""
        row = ", ".join(quoted(name) for name in self._columns)
        counted = self._query(
            f"SELECT count(*), bit_xor(hash({row})), sum(hash({row}) % 4294967296) FROM {{log}}"
        )
        return digest({"rows": repr(counted.fetchall()), "columns": repr(self._columns)})

    def forms(self, mdp: MDP) -> Forms:
        """Labels in the form of those of the process; kept columns in that of the file."""
        chosen = ", ".join(quoted(name) for name in self.keep) or "1"
        types = self._query(f"SELECT {chosen} FROM {{log}} LIMIT 0").types
        plain = {"BIGINT": "BIGINT", "INTEGER": "BIGINT", "DOUBLE": "DOUBLE", "BOOLEAN": "BOOLEAN"}
        return Forms(
            Written.TEXT if self.ids.dtype == object else Written.WHOLE,
            Written.suiting(mdp.states),
            Written.suiting(mdp.actions),
            tuple(
                KeptColumn(name, plain.get(str(kind), "VARCHAR"))
                for name, kind in zip(self.keep, types, strict=False)
            ),
        )

    def chunks(self, size: int, mdp: MDP, done: Collection[int]) -> Iterator[Chunk]:
        """Blocks of whole chunks, each read when the one before it is used up."""
        several = max(1, self.block // size)
        for first in range(0, -(-self.size // size), several):
            numbers = [n for n in range(first, first + several) if n * size < self.size]
            wanted = [number for number in numbers if number not in done]
            if not wanted:
                continue
            block = self._read(wanted[0] * size, min((wanted[-1] + 1) * size, self.size), mdp)
            chunk_of = np.searchsorted(self.ids, block.ids) // size
            for number in wanted:
                yield Chunk(number, number * size, block[chunk_of == number])

    def _read(self, start: int, stop: int, mdp: MDP) -> Episodes:
        low, high = (
            literal(id) if isinstance(id, str) else str(id)
            for id in (self.ids[start], self.ids[stop - 1])
        )
        columns = ", ".join(quoted(name) for name in dict.fromkeys(self._columns))
        options: dict[str, Any] = {"on_error": self.on_error}
        return read_episodes(
            f"SELECT {columns} FROM read_parquet({literal(self.source)}) "
            f"WHERE {quoted(self.episode)} BETWEEN {low} AND {high}",
            episode=self.episode,
            step=self.step,
            state=self.state,
            action=self.action,
            reward=self.reward,
            keep=self.keep,
            states=mdp.states,
            actions=mdp.actions,
            **options,
        )


def cohort_of(episodes: Cohort | Episodes | Iterable[Episode]) -> Cohort:
    """A cohort from what a user has."""
    if isinstance(episodes, Cohort):
        return episodes
    gathered = episodes if isinstance(episodes, Episodes) else Episodes.of(episodes)
    if not len(gathered):
        raise InvalidQuestion("there are no episodes to study")
    return Gathered(gathered)

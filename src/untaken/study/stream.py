"""Episodes in Parquet files, read a block at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from untaken.episodes import Episodes, Label, read_episodes
from untaken.episodes.checks import REASONS
from untaken.episodes.episodes import Column
from untaken.episodes.naming import check_columns, literal, located, quoted
from untaken.episodes.rejected import Rejected
from untaken.episodes.sources import connect
from untaken.errors import InvalidFile, InvalidLog, InvalidQuestion
from untaken.model import MDP
from untaken.study.cohort import Chunk, Cohort, Lost
from untaken.study.labels import Forms, KeptColumn, Written
from untaken.study.manifest import digest
from untaken.study.progress import LOG

BLOCK = 10_000
"""How many episodes of a stream are in memory at once."""
FAULTS = frozenset(reason.text for reason in REASONS if reason.is_error)
OnError = Literal["record", "raise"]


@dataclass(frozen=True, eq=False)
class EpisodeStream(Cohort):
    """Episodes in Parquet files, read some thousands at a time: for cohorts larger than memory.

    Only the ids are held all the time. Files that are sorted by episode are read fastest. An
    episode with a row that fits nowhere is among those without an answer, with the reason; with
    `on_error="raise"` it stops the study, as in `read_episodes`.

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
    on_error: OnError = "record"
    block: int = BLOCK
    """How many episodes are in memory at once."""

    def __post_init__(self) -> None:
        if self.on_error not in get_args(OnError):
            raise InvalidQuestion(
                f"on_error must be one of {', '.join(get_args(OnError))}; {self.on_error!r} came"
            )
        if self.block < 1:
            raise InvalidQuestion(f"block is a number of episodes from 1; {self.block} came")

    @property
    def size(self) -> int:
        """How many episodes there are."""
        return len(self.ids)

    @cached_property
    def _columns(self) -> list[str]:
        several = [[c] if isinstance(c, str) else list(c) for c in (self.state, self.action)]
        reward = [self.reward] if self.reward else []
        return [self.episode, self.step, *several[0], *several[1], *reward, *self.keep]

    @property
    def _log(self) -> str:
        return f"read_parquet({located(self.source)}, union_by_name = true)"

    def _query(self, sql: str) -> Any:
        try:
            connection = connect()
            check_columns(self._columns, connection.sql(f"FROM {self._log}").columns)
            return connection.sql(sql)
        except InvalidLog:
            raise
        except Exception as error:
            raise InvalidFile(f"{self.source} cannot be read as Parquet: {error}") from None

    @cached_property
    def ids(self) -> np.ndarray:
        """The ids of all episodes, ascending."""
        name = quoted(self.episode)
        kind = str(self._query(f"SELECT {name} FROM {self._log}").types[0])
        if kind != "VARCHAR" and not kind.endswith("INT") and not kind.endswith("INTEGER"):
            raise InvalidQuestion(
                f"the ids of a stream are whole numbers or texts; {self.episode!r} holds {kind}"
            )
        nobody = f"coalesce({name}::VARCHAR, '') = ''"
        counted = self._query(f"SELECT count(*) FROM {self._log} WHERE {nobody}")
        ((rows,),) = counted.fetchall()
        if rows:
            told = f"{rows:,} rows of {self.source} have no {self.episode}: nobody knows whose"
            if self.on_error == "raise":
                raise InvalidLog(f'{told}. Repair them, or on_error="record" leaves them out')
            LOG.warning("%s. They are left out", told)
        found = self._query(
            f"SELECT DISTINCT {name} AS id FROM {self._log} WHERE NOT {nobody} ORDER BY id"
        )
        ids: np.ndarray = found.fetchnumpy()["id"]
        return np.ma.getdata(ids)

    @cached_property
    def digests(self) -> dict[str, str]:
        """A hash of the rows, in whatever order they stand."""
        row = ", ".join(quoted(name) for name in self._columns)
        counted = self._query(
            f"SELECT count(*), bit_xor(hash({row})), sum(hash({row}) % 4294967296) FROM {self._log}"
        )
        rows, columns = {"rows": repr(counted.fetchall())}, {"columns": repr(self._columns)}
        return {"rows": digest(rows), "columns that were named": digest(columns)}

    def forms(self, mdp: MDP) -> Forms:
        """Labels in the form of those of the process; kept columns in that of the file."""
        chosen = ", ".join(quoted(name) for name in self.keep) or "1"
        types = self._query(f"SELECT {chosen} FROM {self._log} LIMIT 0").types
        return Forms(
            Written.TEXT if self.ids.dtype == object else Written.suiting([int(self.ids[-1])]),
            Written.suiting(mdp.states),
            Written.suiting(mdp.actions),
            tuple(
                KeptColumn.in_file(name, str(kind))
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
            start, stop = wanted[0] * size, min((wanted[-1] + 1) * size, self.size)
            block, lost = self._sorted_out(start, stop, mdp)
            chunk_of = np.searchsorted(self.ids, block.ids) // size
            for number in wanted:
                mine = tuple(one for one in lost if one.position // size == number)
                yield Chunk(number, number * size, block[chunk_of == number], mine)

    def _sorted_out(self, start: int, stop: int, mdp: MDP) -> tuple[Episodes, list[Lost]]:
        """The episodes of a span that are whole, and the others."""
        try:
            block = self._read(start, stop, mdp)
            rejected = block.rejected
        except InvalidLog as error:
            if self.on_error == "raise" or not isinstance(error.rejected, Rejected):
                raise
            block, rejected = self._nobody(mdp), error.rejected
        reasons: dict[Label, str] = {}
        for row in rejected:
            if row.reason in FAULTS:
                reasons.setdefault(row.episode, f"InvalidLog: step {row.step}: {row.reason}")
        whole = np.array([id not in reasons for id in block.ids.tolist()], dtype=np.bool_)
        block = block[whole]
        missing = np.setdiff1d(np.arange(start, stop), np.searchsorted(self.ids, block.ids))
        ids = self.ids[missing].tolist()
        unread = "InvalidLog: none of its rows can be read"
        lost = [
            Lost(place, id, reasons.get(id, unread))
            for place, id in zip(missing.tolist(), ids, strict=True)
        ]
        return block, lost

    def _nobody(self, mdp: MDP) -> Episodes:
        kept = tuple(Column(name, np.empty(0, dtype=object)) for name in self.keep)
        return replace(Episodes.of([], mdp.states, mdp.actions), kept=kept)

    def _read(self, start: int, stop: int, mdp: MDP) -> Episodes:
        low, high = (
            literal(id) if isinstance(id, str) else str(id)
            for id in (self.ids[start], self.ids[stop - 1])
        )
        columns = ", ".join(quoted(name) for name in dict.fromkeys(self._columns))
        return read_episodes(
            f"SELECT {columns} FROM {self._log} "
            f"WHERE {quoted(self.episode)} BETWEEN {low} AND {high}",
            episode=self.episode,
            step=self.step,
            state=self.state,
            action=self.action,
            reward=self.reward,
            keep=self.keep,
            states=mdp.states,
            actions=mdp.actions,
            on_error="raise" if self.on_error == "raise" else "drop",
        )

"""What a worker does: answer one chunk and put it where the study is kept."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from untaken.study.answers import Answering
from untaken.study.asked import Asked
from untaken.study.cohort import Chunk
from untaken.study.columns import placed
from untaken.study.manifest import Manifest
from untaken.study.store import Folder, Mark, Memory
from untaken.study.tables import EPISODES, Filled

_ONE_AT_A_TIME = threading.Lock()


@dataclass(frozen=True, eq=False)
class Done:
    """A chunk that is done, with its rows where they are not on disk."""

    mark: Mark
    parts: Sequence[Filled] = ()


@dataclass(frozen=True, eq=False)
class Job:
    """A study, as its workers see it.

    Threads share one. Other processes, also on other machines, are sent no process and no mechanism
    that is untaken's own, but the name of the folder: each reads it once.
    """

    store: Folder | Memory
    asked: Asked
    stop: threading.Event = field(default_factory=threading.Event)
    _at_work: threading.Condition = field(default_factory=threading.Condition)
    _busy: list[int] = field(default_factory=list)

    @property
    def answering(self) -> Answering:
        """Process and options, ready for episodes; made by the first thread that needs it."""
        with self._at_work:
            return self._answering

    @cached_property
    def _answering(self) -> Answering:
        store = self.store
        return Answering(store.process(), store.fit(), self.asked, store.manifest.forms)

    def run(self, chunk: Chunk) -> Done | None:
        """Answer a chunk; nothing where the study was stopped meanwhile."""
        with self._at_work:
            self._busy.append(chunk.number)
        try:
            return self._run(chunk)
        finally:
            with self._at_work:
                self._busy.remove(chunk.number)
                self._at_work.notify_all()

    def _run(self, chunk: Chunk) -> Done | None:
        if self.stop.is_set():
            return None
        answered = self.answering.chunk(chunk.episodes, chunk.start, self.stop.is_set)
        if answered is None:
            return None
        parts = placed(answered, chunk, self.store.manifest.forms)
        mark = _mark(chunk, parts)
        if isinstance(self.store, Memory):
            return Done(mark, parts)
        self.store.put(chunk.number, parts, mark)
        return Done(mark)

    def halt(self) -> None:
        """Let threads finish the episode, or the file, that they are at, and begin no other: one
        that is still at work when Python leaves takes the whole process down."""
        self.stop.set()
        with self._at_work:
            self._at_work.wait_for(lambda: not self._busy)

    def __reduce__(self) -> tuple[Any, ...]:
        store = self.store
        return recalled, (
            replace(store, found={})
            if isinstance(store, Memory)
            else replace(store, path=store.path.absolute()),  # workers stand in other folders
            self.asked,
        )


def run(job: Job, chunk: Chunk) -> Done | None:
    """A function for those who schedule functions."""
    return job.run(chunk)


def recalled(store: Folder | Memory, asked: Asked) -> Job:
    """The job in another process."""
    if isinstance(store, Memory):
        return Job(store, asked)
    with _ONE_AT_A_TIME:
        return _of_folder(str(store.path), store.manifest.to_json(), asked)


@lru_cache(maxsize=2)
def _of_folder(path: str, manifest: str, asked: Asked) -> Job:
    """The same one for all chunks of a study that come to this process."""
    return Job(Folder(Path(path), Manifest.from_json(manifest, path)), asked)


def _mark(chunk: Chunk, parts: Sequence[Filled]) -> Mark:
    episodes = next(part for part in parts if part.table is EPISODES)
    named = {column.name: place for place, column in enumerate(EPISODES.columns)}
    failed = sum(reason is not None for reason in episodes.values[named["error"]])
    open_ends = sum(bool(end) for end in episodes.values[named["open_end"]])
    return Mark(chunk.number, episodes.rows, failed, open_ends)

"""Where a study is kept: a folder of Parquet parts, or memory.

A chunk counts as done once its marker is there, and the marker is written last. Every file appears
under its name only when it is whole. So a crash at any moment leaves whole chunks, and perhaps
parts without a marker, which are written again with the same bytes.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from untaken.errors import CannotWrite, InvalidFile, InvalidStudy, StudyInUse
from untaken.model import MDP, Fit
from untaken.study.manifest import Manifest, process_digests
from untaken.study.parts import relation_of, unfinished, whole, write_part
from untaken.study.progress import LOG
from untaken.study.tables import TABLES, Filled, Table

MANIFEST, PROCESS, FIT, LOCK, DONE = "manifest.json", "process.npz", "fit.npz", "lock", "done"


@dataclass(frozen=True)
class Mark:
    """What a chunk amounts to."""

    chunk: int
    episodes: int
    failed: int
    """Episodes without an answer."""
    open_ends: int
    """Episodes for which what happens after T may decide the answer."""


@dataclass(frozen=True, eq=False)
class Folder:
    """A study on disk."""

    path: Path
    manifest: Manifest

    def begin(self, mdp: MDP, fit: Fit | None) -> None:
        """Make the folder that of this study, or see that it is already."""
        path = self.path
        if (path / MANIFEST).exists():
            _refuse_another(path, read_manifest(path), self.manifest)
            self.sweep()
            self._restore(mdp, fit)
            return
        self._write_process(mdp, fit)
        whole(path / MANIFEST, lambda to: _write_text(to, self.manifest.to_json()))

    def _refuse_strangers(self) -> None:
        """Leave a folder alone that holds something else."""
        path = self.path
        if (path / MANIFEST).exists():
            read_manifest(path)
            return
        if not path.is_dir():
            return
        names = sorted(name for name in os.listdir(path) if not name.startswith("."))
        begun = (PROCESS, FIT, LOCK) if LOCK in names else ()  # by a run that was killed early
        strangers = [name for name in names if name not in begun]
        if strangers:
            raise InvalidStudy(
                f"{path} holds no study, but is not empty ({strangers[0]!r} is there). "
                "Give an empty folder, or the name of a new one"
            )

    def _write_process(self, mdp: MDP, fit: Fit | None) -> None:
        whole(self.path / PROCESS, mdp.save)
        if fit is None:  # of a run that was killed before it could write the manifest
            (self.path / FIT).unlink(missing_ok=True)
        else:
            whole(self.path / FIT, fit.save)

    def _restore(self, mdp: MDP, fit: Fit | None) -> None:
        """Write the process again, should somebody have damaged it."""
        try:
            self.process()
        except InvalidStudy as error:
            LOG.warning("%s. This is that call", error)
            self._write_process(mdp, fit)

    def sweep(self) -> None:
        """Remove what runs and workers that were killed had begun to write, and nothing else."""
        for folder in (".", DONE, *(table.name for table in TABLES)):
            for leftover in unfinished(self.path / folder):
                leftover.unlink(missing_ok=True)

    def put(self, chunk: int, parts: Sequence[Filled], mark: Mark) -> None:
        """Write the parts of a chunk, then its marker."""
        written = {}
        for filled in parts:
            part = self.part(filled.table, chunk)
            write_part(part, filled, self.manifest.forms)
            content = part.read_bytes()
            written[filled.table.name] = [len(content), hashlib.sha256(content).hexdigest()]
        told = {
            "episodes": mark.episodes,
            "failed": mark.failed,
            "open_ends": mark.open_ends,
            "parts": written,
        }
        whole(self._marker(chunk), lambda to: _write_text(to, json.dumps(told)))

    def part(self, table: Table, chunk: int) -> Path:
        """Where a chunk's rows of one table are."""
        return self.path / table.name / f"part-{chunk:05}.parquet"

    def _marker(self, chunk: int) -> Path:
        return self.path / DONE / f"part-{chunk:05}.json"

    def marks(self, thorough: bool = False) -> tuple[Mark, ...]:
        """The chunks that are done, each of their parts looked at: its size, or every byte."""
        if thorough:
            self.process()
        marks = []
        for marker in sorted((self.path / DONE).glob("part-*.json")):
            mark, parts = _read_marker(marker)
            for name, (size, sha256) in parts.items():
                self._check(self.path / name / f"{marker.stem}.parquet", size, sha256, thorough)
            marks.append(mark)
        return tuple(marks)

    def _check(self, part: Path, size: int, sha256: str, thorough: bool) -> None:
        chunk = f"{DONE}/{part.stem}.json"
        repair = (
            f"Nothing else is touched. Delete {chunk} in {self.path}, and the same call of "
            "explain_all() computes this part anew"
        )
        if not part.exists():
            raise InvalidStudy(f"{part} is missing. {repair}")
        found = part.stat().st_size
        if found != size:
            raise InvalidStudy(f"{part} has {found:,} bytes where {size:,} were written. {repair}")
        if thorough and hashlib.sha256(part.read_bytes()).hexdigest() != sha256:
            raise InvalidStudy(f"{part} is not what was written. {repair}")

    def rows(self, connection: Any, table: Table) -> Any:
        """A table over the parts of all chunks that are done, lazily."""
        parts = [self.part(table, mark.chunk) for mark in self.marks()]
        there = [_no_pattern(part) for part in parts if part.exists()]
        return connection.read_parquet(there) if there else None

    @contextmanager
    def alone(self) -> Iterator[None]:
        """While nobody else writes into the folder. A lock dies with the process that holds it."""
        try:
            self._refuse_strangers()
            self.path.mkdir(parents=True, exist_ok=True)
            file = open(self.path / LOCK, "a+b")  # noqa: SIM115
        except OSError as error:
            raise CannotWrite(
                f"{self.path} cannot be written: {error.strerror}. "
                "Give out= as a folder in which you may write"
            ) from None
        with file:
            if not _locked(file, self.path):
                raise StudyInUse(
                    f"another process is writing a study into {self.path} at this moment. Wait for "
                    "it, stop it, or give another folder"
                )
            yield

    def process(self) -> MDP:
        """The process of the study, and no other."""
        repair = "The same call of explain_all() writes it again; nothing else is touched"
        try:
            mdp = MDP.load(self.path / PROCESS)
            known = process_digests(mdp, self.fit())
        except InvalidFile as error:
            raise InvalidStudy(f"{error}. {repair}") from None
        if known != self.manifest.process:
            raise InvalidStudy(
                f"{self.path / PROCESS} is not what the study was begun with. {repair}"
            )
        return mdp

    def fit(self) -> Fit | None:
        """The fit, where answers need it beside the process."""
        options = self.manifest.options
        needed = options.get("leave_out") or options.get("depth", {}).get("posterior")
        return Fit.load(self.path / FIT) if needed else None


@dataclass(frozen=True, eq=False)
class Memory:
    """A study that is not written down."""

    manifest: Manifest
    mdp: MDP
    estimate: Fit | None
    found: dict[int, tuple[Sequence[Filled], Mark]] = field(default_factory=dict)

    def put(self, chunk: int, parts: Sequence[Filled], mark: Mark) -> None:
        """Keep the parts of a chunk."""
        self.found[chunk] = (parts, mark)

    def marks(self, thorough: bool = False) -> tuple[Mark, ...]:  # noqa: ARG002
        """The chunks that are done."""
        return tuple(self.found[chunk][1] for chunk in sorted(self.found))

    def rows(self, connection: Any, table: Table) -> Any:
        """A table of a database, made when it is first asked for."""
        chunks = [self.found[chunk][0] for chunk in sorted(self.found)]
        parts = [part for chunk in chunks for part in chunk if part.table == table]
        return relation_of(connection, parts, table, self.manifest.forms) if parts else None

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Nobody else knows of it."""
        yield

    def process(self) -> MDP:
        """The process of the study."""
        return self.mdp

    def fit(self) -> Fit | None:
        """The fit, where answers need it beside the process."""
        return self.estimate


def read_manifest(path: Path) -> Manifest:
    """What the study in a folder says of itself."""
    try:
        text = (path / MANIFEST).read_text(encoding="utf-8", errors="replace")
    except OSError:
        raise InvalidStudy(f"{path} holds no study: there is no {MANIFEST} in it") from None
    return Manifest.from_json(text, str(path / MANIFEST))


def _read_marker(marker: Path) -> tuple[Mark, dict[str, tuple[int, str]]]:
    """A chunk, and the size and hash of each of its parts."""
    try:
        told = json.loads(marker.read_text(encoding="utf-8"))
        chunk = int(marker.stem.removeprefix("part-"))
        counts = (int(told[name]) for name in ("episodes", "failed", "open_ends"))
        parts = {name: (int(size), str(sha256)) for name, (size, sha256) in told["parts"].items()}
        return Mark(chunk, *counts), parts
    except (AttributeError, KeyError, TypeError, ValueError):
        raise InvalidStudy(
            f"{marker} is damaged. Nothing else is touched. Delete it, and the same call of "
            "explain_all() computes this part anew"
        ) from None


def _no_pattern(path: Path) -> str:
    """A path that DuckDB does not take for a pattern, whatever its folders are called."""
    return re.sub(r"[\[*?]", lambda found: f"[{found.group()}]", str(path))


def _refuse_another(path: Path, begun: Manifest, wanted: Manifest) -> None:
    different = list(begun.differences(wanted))
    if different:
        different += begun.other_versions()
        raise InvalidStudy(
            f"{path} holds another study: {'; '.join(different)}. "
            "Give another folder, or the same inputs and options"
        )


def refuse_other_versions(path: Path) -> None:
    """The rest of a study must be made by what made its beginning."""
    different = list(read_manifest(path).other_versions())
    if different:
        raise InvalidStudy(
            f"the study in {path} was begun with other versions: {'; '.join(different)}. Go on "
            "with those, or begin anew in another folder; open_study() reads what is done"
        )


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _locked(file: Any, path: Path) -> bool:
    """Whether the lock is ours now."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK):
            return False
        raise CannotWrite(
            f"{path} cannot be locked against a second run: {error.strerror}. "
            "Give out= as a folder on a file system that knows locks"
        ) from None
    return True

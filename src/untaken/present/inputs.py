"""From what a command line says to episodes and a process."""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from untaken.episodes import Episode, Episodes, Label, Labels, read_episodes
from untaken.episodes.checks import Duplicates, Gaps
from untaken.episodes.reading import OnError
from untaken.episodes.rejected import Rejected
from untaken.episodes.sources import open_log
from untaken.errors import InvalidFile, InvalidLog, InvalidQuestion, UnknownLabel
from untaken.model import PositionalActions, positional_actions
from untaken.present.estimate import SHOWN
from untaken.present.words import Words
from untaken.study.parts import whole_text

WORDS = "words.json"


@dataclass(frozen=True)
class Log:
    """Where the log is, and what its columns are called."""

    source: str
    episode: tuple[str, ...]
    step: str
    state: tuple[str, ...]
    action: tuple[str, ...]
    reward: str | None = None
    """What each step pays, or costs."""
    keep: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    """The states in their order; empty for the default one."""
    gaps: Gaps = "error"
    duplicates: Duplicates = "error"
    missing: tuple[str, ...] = ()
    """What stands for a missing value, beside what does anyway."""
    on_error: OnError = "raise"

    def read(self, redact: bool = False) -> Episodes:
        """The episodes; with `redact` a complaint about their rows names none of them."""
        try:
            return self._read()
        except InvalidLog as error:
            if not len(error.rejected):
                raise
            if not redact:
                raise InvalidLog(_in_options(str(error)), error.rejected) from None
            raise InvalidLog(
                f"{len(error.rejected):,} rows fit nowhere: {tallied(error.rejected)}. "
                "Without --redact the message names them; --drop-bad-rows leaves them out",
                error.rejected,
            ) from None

    def _read(self) -> Episodes:
        return read_episodes(
            self.source,
            episode=_one_or_more(self.episode),
            step=self.step,
            state=_one_or_more(self.state),
            action=_one_or_more(self.action),
            reward=self.reward,
            keep=self.keep,
            states=self.states or None,
            gaps=self.gaps,
            duplicates=self.duplicates,
            missing=self.missing,
            on_error=self.on_error,
        )

    def first_step(self) -> int:
        """1 where the log counts its steps from 1, else 0."""
        with open_log(self.source, [self.step], None) as log:
            counted = "TRY_CAST(c0::VARCHAR AS BIGINT)"
            ((from_one,),) = log.connection.sql(
                f"SELECT min({counted}) = 1 AND count({counted}) = count(c0) FROM log"
            ).fetchall()
        return int(bool(from_one))


def _in_options(complaint: str) -> str:
    """A complaint of the library, with its last line, on what to do, in the words of options."""
    told = [line for line in complaint.splitlines() if not line.startswith("Repair them")]
    return "\n".join(
        [*told, "Repair them; --gaps split or ignore, --drop-bad-rows leaves them out"]
    )


def _one_or_more(columns: tuple[str, ...]) -> Any:
    return columns[0] if len(columns) == 1 else list(columns)


@dataclass(frozen=True)
class Fixed:
    """What may not change."""

    pinned: tuple[int, ...]
    excluded: tuple[Label, ...]
    ends: PositionalActions | None = None
    """What occurs only first or last, where it is to be kept."""
    first_step: int = 0
    """What a reader calls the first step."""

    def pinned_in(self, episode: Episode) -> tuple[int, ...]:
        """The steps of one episode that stay, also where others lack their first or last action."""
        first, horizon = self.first_step, episode.horizon
        for step in self.pinned:
            if not -horizon <= step < horizon:
                raise InvalidQuestion(
                    f"--pin {self._named(step)} is outside the episode, which has the steps "
                    f"{first} to {first + horizon - 1} (or -{horizon} to -1, counted from its end)"
                )
        own = self.ends.pinned_in(episode) if self.ends else ()
        return tuple(dict.fromkeys(self.pinned + own))

    def told(self) -> str | None:
        """A word about ends that are not kept throughout a cohort."""
        if self.ends is None:
            return None
        for step, found in ((0, self.ends.first), (-1, self.ends.last)):
            if found and step not in self.pinned:
                return (
                    f"Some episodes lack what is done at step {self._named(step)} only "
                    f"({', '.join(map(str, found))}), so that a study leaves that step free in "
                    f"all; --pin {self._named(step)} keeps it."
                )
        return None

    def _named(self, step: int) -> int:
        return step if step < 0 else step + self.first_step


def fixed(
    episodes: Episodes,
    pinned: Sequence[int],
    excluded: Sequence[str],
    ends: bool,
    first_step: int = 0,
) -> Fixed:
    """Steps and actions named by the user, who calls the first step so, and on request those that
    occur only at the ends."""
    early = [step for step in pinned if 0 <= step < first_step]
    if early:
        raise InvalidQuestion(
            f"--pin {early[0]}: there is no such step, for steps are counted from {first_step} here"
        )
    steps = [step - first_step if step >= 0 else step for step in pinned]
    actions = [label_among(name, episodes.actions) for name in excluded]
    found = positional_actions(episodes) if ends else None
    if found:
        steps += found.pinned
        actions += found.excluded
    return Fixed(tuple(steps), tuple(dict.fromkeys(actions)), found, first_step)


def label_among(text: str, known: Labels | Sequence[Label]) -> Label:
    """The label that a text on a command line means: itself, or the number or tuple it spells."""
    if text in known:
        return text
    try:
        spelt = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        spelt = text
    if spelt in known:
        return spelt  # type: ignore[no-any-return]
    shown = ", ".join(repr(label) for label in list(known)[:SHOWN])
    more = " ..." if len(known) > SHOWN else ""
    raise UnknownLabel(f"{text!r} is not among the {len(known)} known ones: {shown}{more}")


def position_of_id(text: str, episodes: Episodes, redact: bool = False) -> int:
    """The episode that a text on a command line names. With `redact` a complaint names no other."""
    ids: list[Label] = episodes.ids.tolist()
    try:
        return ids.index(label_among(text, ids))
    except UnknownLabel:
        if not redact:
            raise
        raise UnknownLabel(f"{text!r} is not among the {len(ids)} episodes of the log") from None


def redacted(episodes: Episodes) -> Episodes:
    """The same episodes under running numbers."""
    names = np.array([f"episode {place}" for place in range(1, len(episodes) + 1)], dtype=object)
    return replace(episodes, ids=names)


def tallied(rejected: Rejected) -> str:
    """How many rows were left out for which reason, and of nobody in particular."""
    return ", ".join(f"{tally.count:,} because {tally.label}" for tally in rejected.counts())


def keep_words(words: Words, folder: str) -> None:
    """Write the user's words beside a study, for the pages that are made of it."""
    whole_text(Path(folder) / WORDS, json.dumps(asdict(words), ensure_ascii=False))


def kept_words(folder: str) -> Words:
    """The words beside a study; plain ones where there are none."""
    try:
        told = json.loads((Path(folder) / WORDS).read_text(encoding="utf-8"))
        return Words(**told)
    except (FileNotFoundError, NotADirectoryError):
        return Words()
    except (TypeError, ValueError) as error:
        raise InvalidFile(f"{Path(folder) / WORDS} is not what was written: {error}") from None

"""The documents of a page, by what they are about: what a file packs and an explorer serves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from untaken.analysis import Counterfactual
from untaken.episodes import Label
from untaken.errors import InvalidPolicy, InvalidQuestion
from untaken.present.page.cohort import Document, cohort_document
from untaken.present.page.episode import episode_document, what_if_document
from untaken.present.words import Words
from untaken.study import Study

REMEMBERED = 64
"""So many answers are kept for the next what-if."""


@dataclass(frozen=True, eq=False)
class Contents:
    """A study, as a page tells it."""

    study: Study
    words: Words
    name: str = ""
    """What the study is called."""
    redact: bool = False
    """Whether running numbers stand in for the ids."""

    @property
    def title(self) -> str:
        """The name, or what there is to say without one."""
        return self.name or f"{self.study.total:,} episodes"

    @cached_property
    def cohort(self) -> Document:
        """All episodes together."""
        return cohort_document(self.study, self.words, self.title, self.redact)

    @cached_property
    def _ids(self) -> dict[int, Label]:
        """The ids of the episodes that have an answer, by position."""
        read = self.study.store.manifest.forms.ids.read
        answered = self.study.episodes.filter("error IS NULL").project("position, episode")
        return {position: read(id) for position, id in answered.order("position").fetchall()}

    def most_gained(self, most: int) -> list[int]:
        """The positions of so many episodes with an answer, those that gain most."""
        gains = self.study.episodes.filter("error IS NULL").project("position, gain")
        rows = gains.order("gain DESC, position").limit(most).fetchall()
        return sorted(position for position, _ in rows)

    def episode(self, position: int) -> Document:
        """The answer about one episode, for every budget."""
        return episode_document(self.study.accounts(self._id(position)))

    def what_if(self, position: int, changes: Sequence[tuple[int, int]]) -> Document:
        """What other actions, given as steps and codes, would have led to."""
        cf = self._counterfactual(position)
        actions = cf.mdp.actions
        for step, code in changes:
            if not (0 <= step < cf.episode.horizon and 0 <= code < len(actions)):
                raise InvalidPolicy(
                    f"expected steps 0 to {cf.episode.horizon - 1} and actions 0 to "
                    f"{len(actions) - 1}; step {step} and action {code} came"
                )
        return what_if_document(cf.what_if({step: actions[code] for step, code in changes}))

    def warm(self) -> None:
        """Get ready, so that the first reader does not wait: work out what all readers see, and
        load the kernels that a what-if needs."""
        if self.cohort and self._ids:
            first = next(iter(self._ids))
            self.what_if(first, [])

    def _id(self, position: int) -> Label:
        if position not in self._ids:
            raise InvalidQuestion(f"there is no answer about an episode at position {position}")
        return self._ids[position]

    @cached_property
    def _counterfactual(self) -> Any:
        """Answers to ask further, the last ones remembered."""

        @lru_cache(REMEMBERED)
        def answer(position: int) -> Counterfactual:
            return self.study.explain(self._id(position))

        return answer

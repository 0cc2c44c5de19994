"""One chunk of episodes answered: rows for every table."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from untaken.analysis import Account, Counterfactual
from untaken.analysis.explanations import needed_count
from untaken.analysis.notes import open_end
from untaken.analysis.robustness import Robustness
from untaken.episodes import Episode, Episodes
from untaken.mechanism import CausalClass, GumbelMax, Independent, InverseCDF, MaximalCoupling
from untaken.model import MDP, Fit
from untaken.search import pose, solve
from untaken.study import tables
from untaken.study.asked import Asked
from untaken.study.columns import Answers, Row, decisions, filled, ids
from untaken.study.frontiers import Frontiers, ShortWay
from untaken.study.labels import Forms
from untaken.study.reuse import remembered
from untaken.study.tables import Filled, Table

SURE = 8
"""For how many explanations an account says how sure they are."""


class Answering:
    """The process and the options, ready to answer chunk after chunk."""

    def __init__(self, mdp: MDP, fit: Fit | None, asked: Asked, forms: Forms) -> None:
        self.mdp, self.fit, self.asked, self.forms = mdp, fit, asked, forms
        self._mechanism = remembered(asked.mechanism, mdp)
        self._short_way = ShortWay.where_it_leads(mdp, self._mechanism, asked)

    def counterfactual(self, episode: Episode) -> Counterfactual:
        """The answer about one episode."""
        asked, mdp = self.asked, self.mdp
        mechanism = self._mechanism
        if mechanism is asked.mechanism:
            mechanism = asked.mechanism_for(episode.id)
        if asked.leave_out and self.fit is not None:
            mdp, mechanism = self.fit.leave_out(episode.id).mdp, asked.mechanism_for(episode.id)
        problem = pose(
            episode,
            mdp,
            asked.k,
            mechanism=mechanism,
            pinned=asked.pinned,
            excluded=asked.excluded,
            rules=asked.rules,
        )
        return Counterfactual(problem, solve(problem), problem.k)

    def rows(self, episode: Episode, key: Row) -> Iterator[tuple[Table, list[Row]]]:
        """Everything about one episode. Where there is no answer, the reason."""
        logged = None if episode.rewards is None else float(sum(episode.rewards))
        about = (*key, episode.horizon, episode.final_state is not None, logged)
        try:
            cf = self.counterfactual(episode)
            found = list(self._answer(cf, key))
            end = open_end(cf.problem) is not None
            notes = " ".join(cf.notes) if self.asked.depth.policy else None
        except Exception as error:  # whatever it is, it must not stop the others
            reason = f"{type(error).__name__}: {error}"
            yield tables.EPISODES, [(*about, None, None, None, None, None, None, reason)]
            return
        gains = (cf.observed, cf.outcome, cf.gain, cf.relative_gain)
        yield tables.EPISODES, [(*about, *gains, end, notes, None)]
        yield from found

    def _answer(self, cf: Counterfactual, key: Row) -> Iterator[tuple[Table, list[Row]]]:
        depth = self.asked.depth
        if not (depth.policy or depth.robust or self.asked.detail):
            yield tables.BUDGETS, _frontier(cf, key)
            return
        for k in range(cf.k + 1):
            at, here = cf.at(k), (*key, k)
            yield tables.BUDGETS, [(*here, *self._budget(at))]
            yield from self._policy(at, here)
            if self.asked.depth.explanations:
                yield tables.EXPLANATIONS, list(self._explanations(at, here))
            robustness = self._robustness(at, SURE if self.asked.detail else 0)
            if robustness is not None:
                yield tables.ROBUSTNESS, [(*here, *_sure(robustness))]
            if self.asked.detail:
                yield tables.ACCOUNTS, [(*here, at.account(robustness=robustness).to_json())]

    def account(self, cf: Counterfactual) -> Account:
        """What there is to tell about an answer, as far as the study asked."""
        return cf.account(robustness=self._robustness(cf, SURE))

    def _robustness(self, cf: Counterfactual, explanations: int) -> Robustness | None:
        """How sure the policy is, and so many explanations."""
        depth = self.asked.depth
        if not depth.robust:
            return None
        if not depth.posterior:
            return cf.robustness(limit=explanations)
        return cf.robustness(self.fit, explanations, depth.posterior, self.asked.seed)

    def _budget(self, cf: Counterfactual) -> Row:
        depth, law = self.asked.depth, cf.outcomes()
        count: int | None = None
        censored: bool | None = None
        if depth.explanations:
            needed = needed_count(cf.courses, depth.coverage, depth.limit)
            count, censored = int(needed.lower), needed.upper > needed.lower
        unique = cf.unique_count(depth.draws) if depth.draws else (None, None)
        gains = (cf.outcome, cf.gain, cf.relative_gain)
        return (*gains, *law.better, *law.worse, count, censored, *unique)

    def _policy(self, cf: Counterfactual, here: Row) -> Iterator[tuple[Table, list[Row]]]:
        timeline, write = cf.timeline(), self.forms.actions.write
        changed = timeline.changed.tolist()
        yield tables.STEPS, [(*here, step, chance) for step, chance in enumerate(changed)]
        yield (
            tables.REPLACEMENTS,
            [
                (*here, step, write(cf.episode.actions[step]), write(alternative), chance)
                for step in np.flatnonzero(timeline.changed).tolist()
                for alternative, chance in timeline.replacements(step)
            ],
        )

    def _explanations(self, cf: Counterfactual, here: Row) -> Iterator[Row]:
        depth = self.asked.depth
        for rank, e in enumerate(cf.explanations(depth.coverage, depth.explanations), start=1):
            numbers = (e.probability, e.mean_outcome, e.forced_outcome, *e.better)
            text = "; ".join(str(change) for change in e.changes) or "no change"
            changes = [[c.step, c.observed, c.alternative] for c in e.changes]
            told = json.dumps(changes, ensure_ascii=False)
            yield (*here, rank, *numbers, len(changes), text, told)

    def chunk(
        self, episodes: Episodes, start: int, stopped: Callable[[], bool]
    ) -> tuple[Filled, ...] | None:
        """Rows of all tables for consecutive episodes, the first of which stands at `start`; none
        once the study is stopped."""
        if self._short_way is not None:
            return self._in_columns(self._short_way.frontiers(episodes), episodes, start)
        found: dict[str, list[Row]] = {table.name: [] for table in tables.TABLES}
        for place, episode in enumerate(episodes):
            if stopped():
                return None
            for table, rows in self.rows(episode, (start + place, self._id(episode))):
                found[table.name] += rows
        return tuple(
            decisions(episodes, start, self.forms)
            if table is tables.DECISIONS
            else filled(table, found[table.name], episodes, self.forms)
            for table in self.tables
        )

    def _id(self, episode: Episode) -> Any:
        return self.forms.ids.write(episode.id)

    def _in_columns(self, found: Frontiers, episodes: Episodes, start: int) -> tuple[Filled, ...]:
        """The same rows where only frontiers are wanted; those without an answer one by one."""
        answers = Answers(found, -1.0 if self.mdp.minimise else 1.0)
        told = answers.episode_rows(episodes, start, self.forms)
        for place in np.flatnonzero(~found.answered).tolist():
            episode = episodes[place]
            ((_, told[place : place + 1]),) = self.rows(episode, (start + place, self._id(episode)))
        return (
            filled(tables.EPISODES, told, episodes, self.forms),
            decisions(episodes, start, self.forms),
            answers.budgets(ids(episodes, self.forms), start),
        )

    @property
    def tables(self) -> tuple[Table, ...]:
        """Those that this study fills."""
        depth, asked = self.asked.depth, self.asked
        policy = depth.policy or depth.robust or asked.detail
        wanted = {
            tables.STEPS: policy,
            tables.REPLACEMENTS: policy,
            tables.EXPLANATIONS: policy and depth.explanations > 0,
            tables.ROBUSTNESS: depth.robust,
            tables.ACCOUNTS: asked.detail,
        }
        return tuple(table for table in tables.TABLES if wanted.get(table, True))


def _sure(robustness: Robustness) -> Row:
    """The policy's finding, in the order of the table."""
    finding = robustness.policy
    names = (mechanism.name for mechanism in robustness.mechanisms)
    gains = dict(zip(names, finding.gains.tolist(), strict=True))
    certain = dict(zip(robustness.classes, finding.certified.tolist(), strict=True))
    attainable = dict(zip(robustness.classes, robustness.attainable.tolist(), strict=True))
    drawn = finding.posterior
    return (
        *(gains[each.name] for each in (GumbelMax, InverseCDF, MaximalCoupling, Independent)),
        certain[CausalClass.NONE],
        certain[CausalClass.STABLE],
        certain[CausalClass.STABLE_EVERYWHERE],
        certain[CausalClass.STABLE_MONOTONE],
        attainable[CausalClass.NONE],
        finding.influence,
        *((None,) * 3 if drawn is None else (drawn.beats_observed, *drawn.interval())),
        finding.verdict.name.lower(),
    )


def _frontier(cf: Counterfactual, key: Row) -> list[Row]:
    """Rows of the budgets where nothing but the frontier is wanted."""
    outcomes, observed = cf.frontier, cf.observed
    gains = cf.problem.sign * (outcomes - observed)
    relative = (gains / observed).tolist() if observed > 0 else [None] * len(gains)
    known = zip(outcomes.tolist(), gains.tolist(), relative, strict=True)
    return [(*key, k, *numbers, *(None,) * 8) for k, numbers in enumerate(known)]

"""Estimation against plain counting, and what comes with it."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import untaken as ut
from tests.oracles_data import held_out_predictions, held_out_score, posterior_mean
from untaken.errors import InvalidFile, InvalidProcess, InvalidQuestion, UnknownLabel
from untaken.model.goodness import hold_out

STATES, ACTIONS = ["low", "mid", "high"], ["x", "y"]


@st.composite
def cohorts(draw):
    members = []
    for number in range(draw(st.integers(1, 6))):
        horizon = draw(st.integers(1, 6))
        seen = horizon + draw(st.integers(0, 1))
        states = draw(st.lists(st.sampled_from(STATES), min_size=seen, max_size=seen))
        actions = draw(st.lists(st.sampled_from(ACTIONS), min_size=horizon, max_size=horizon))
        rewards = [float(reward) for reward in range(horizon)]
        members.append(ut.Episode(states, actions, id=f"p{number}", rewards=rewards))
    return ut.Episodes.of(members)


def near(s, _, after):
    close = abs(STATES.index(s) - STATES.index(after)) <= 1
    return 1.0 if close else 0.01


def check_against_counting(fit, episodes):
    mean, seen = posterior_mean(episodes, STATES, ACTIONS, near)
    P = fit.mdp.transitions.dense()
    for (s, a, after), probability in mean.items():
        codes = STATES.index(s), ACTIONS.index(a), STATES.index(after)
        assert P[codes] == pytest.approx(probability, rel=1e-12)
        assert fit.mdp.available[codes[:2]] == ((s, a) in seen)


def fitted(episodes, **options):
    options = {"reward": [0, 0, 0], "states": STATES, "actions": ACTIONS} | options
    return ut.fit(episodes, ut.neighbour_prior(), **options)


@settings(max_examples=50, deadline=None)
@given(cohorts())
def test_the_mean_is_that_of_plain_counting_with_and_without_an_episode(episodes):
    fit = fitted(episodes)
    check_against_counting(fit, episodes)
    without = [episode for episode in episodes if episode.id != "p0"]
    check_against_counting(fit.leave_out("p0"), without)
    assert [e.id for e in fit.leave_out("p0").counted_episodes] == [e.id for e in without]


@settings(max_examples=30, deadline=None)
@given(cohorts())
def test_logged_rewards_are_means_by_context(episodes):
    for kept, fit in (
        (list(episodes), fitted(episodes, reward=None)),
        ([e for e in episodes if e.id != "p0"], fitted(episodes, reward=None).leave_out("p0")),
    ):
        by_context, by_state, every = {}, {}, []
        for episode in kept:
            for s, a, paid in zip(episode.states, episode.actions, episode.rewards, strict=False):
                by_context.setdefault((s, a), []).append(paid)
                by_state.setdefault(s, []).append(paid)
                every.append(paid)
        for i, s in enumerate(STATES):
            for j, a in enumerate(ACTIONS):
                paid = by_context.get((s, a)) or by_state.get(s) or every or [0.0]
                assert fit.mdp.rewards.departure[i, j] == pytest.approx(np.mean(paid), abs=1e-12)


def cohort(count=40, horizon=8, seed=0, states=3, **options):
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.ones(states), size=(states, 2))
    mdp = ut.MDP(P, np.arange(states), states=STATES[:states], actions=ACTIONS)
    return ut.simulate(mdp, np.full((states, 2), 0.5), episodes=count, horizon=horizon, **options)


def test_draws_have_the_moments_of_the_dirichlet_and_rule_nothing_out():
    fit = fitted(cohort(5))
    rng = np.random.default_rng(1)
    draws = np.array([fit.draw_rows(rng) for _ in range(4_000)])
    assert (draws > 0).all()
    total = fit.effective_counts[..., None]
    mean = fit.concentration / total
    variance = mean * (1 - mean) / (total + 1)
    assert np.abs(draws.mean(axis=0) - mean).max() < 5 * np.sqrt(variance.max() / 4_000)
    assert draws.var(axis=0) == pytest.approx(variance, rel=0.2, abs=2e-4)
    drawn = fit.draw(3)
    assert np.array_equal(drawn.transitions.dense(), fit.draw(3).transitions.dense())
    assert np.array_equal(drawn.available, fit.mdp.available)
    tiny = ut.fit(cohort(1, 1), ut.uniform_prior(1e-4), reward=[0, 0, 0], states=STATES)
    assert (tiny.draw_rows(0) > 0).all()


def test_weights_and_what_was_never_seen():
    episodes = ut.Episodes.of([ut.Episode(["low", "mid", "mid"], ["x", "y"])])
    fit = fitted(episodes)
    assert fit.never_seen.tolist() == [[False, True], [True, False], [True, True]]
    assert fit.effective_counts[0].tolist() == [3.01, 2.01]
    assert fit.prior_share[0].round(3).tolist() == [0.668, 1.0]
    assert not fit.mdp.available[2].any()
    assert fitted(episodes, unseen=ut.Unseen.AS_SEEN).mdp.available.all()
    unseen_end = ut.Episodes.of([ut.Episode(["low", "mid"], ["x", "y"])])
    assert not fitted(unseen_end).never_seen[1, 1]
    assert fitted(unseen_end).counts.sum() == 1


def test_absorbing_states_stay_where_they_are():
    episodes = ut.Episodes.of([ut.Episode(["low", "mid", "high"], ["x", "y"])])
    fit = fitted(episodes, absorbing=["high"], final_reward={"low": 0, "mid": 0, "high": 1})
    assert fit.mdp.absorbing.tolist() == [False, False, True]
    assert fit.mdp.available[2].all()
    assert fit.draw(0).absorbing.tolist() == [False, False, True]
    assert fit.mdp.final_reward.tolist() == [0, 0, 1]
    with pytest.raises(InvalidProcess, match="'mid' is said to be absorbing, but episodes leave"):
        fitted(episodes, absorbing=["mid"])


REWARDS = {
    "function of the state": lambda state: STATES.index(state),
    "mapping": {"low": 0, "mid": 1, "high": 2},
    "array": [0, 1, 2],
    "frame": pd.DataFrame({"state": STATES[::-1], "points": [2, 1, 0]}),
}
BY_CONTEXT = {
    "function of both": lambda state, action: STATES.index(state) - (action == "y"),
    "mapping of pairs": {(s, a): STATES.index(s) - (a == "y") for s in STATES for a in ACTIONS},
    "array of both": [[0, -1], [1, 0], [2, 1]],
    "frame of both": pd.DataFrame(
        [(s, a, STATES.index(s) - (a == "y")) for s in STATES for a in ACTIONS],
        columns=["state", "action", "points"],
    ),
}


SWAPPED = {"high": 2, "low": 0, "mid": 1}
COLUMNS = {"state": list(SWAPPED), "r": list(SWAPPED.values())}
LABELLED = {
    "series": lambda: pd.Series(SWAPPED),
    "polars": lambda: pl.DataFrame(COLUMNS),
    "lazy": lambda: pl.LazyFrame(COLUMNS),
    "pyarrow": lambda: pa.table(COLUMNS),
    "duckdb": lambda: duckdb.connect().sql(
        "SELECT * FROM (VALUES ('high', 2), ('low', 0), ('mid', 1)) AS t(state, r)"
    ),
}


@pytest.mark.parametrize("kind", LABELLED)
def test_rewards_go_by_their_labels_whatever_their_order(kind):
    table = LABELLED[kind]()
    mdp = fitted(cohort(3), reward=table, final_reward=table).mdp
    assert mdp.rewards.departure.tolist() == [[0, 0], [1, 1], [2, 2]]
    assert mdp.final_reward.tolist() == [0, 1, 2]


def test_a_series_whose_entries_nobody_named_goes_by_position():
    rewards = fitted(cohort(3), reward=pd.Series([5, 6, 7])).mdp.rewards.departure
    assert rewards[:, 0].tolist() == [5, 6, 7]
    numbered = ut.Episodes.of([ut.Episode([2, 1, 0], [0, 0])], states=[2, 1, 0])
    by_label = ut.fit(numbered, ut.uniform_prior(), reward=pd.Series([5, 6, 7])).mdp
    assert by_label.rewards.departure[:, 0].tolist() == [7, 6, 5]


@pytest.mark.parametrize("kind", [*REWARDS, *BY_CONTEXT])
def test_rewards_in_every_form(kind):
    rewards = fitted(cohort(3), reward=(REWARDS | BY_CONTEXT)[kind]).mdp.rewards.departure
    expected = [[0, 0], [1, 1], [2, 2]] if kind in REWARDS else BY_CONTEXT["array of both"]
    assert rewards.tolist() == expected


def test_options_reach_the_process():
    fit = fitted(cohort(3), discount=0.9, minimise=True, final_reward=lambda s: len(s))
    assert (fit.mdp.discount, fit.mdp.minimise) == (0.9, True)
    assert fit.mdp.final_reward.tolist() == [3, 3, 4]
    assert fit.mdp.states.names == tuple(STATES)
    assert fit.leave_out(0).mdp.discount == 0.9


@pytest.mark.parametrize("logged", [False, True])
def test_a_fit_comes_back_from_disk(tmp_path, logged):
    fit = fitted(cohort(), reward=None if logged else [1, 2, 3]).leave_out(3)
    fit.save(tmp_path / "fit.npz")
    again = ut.Fit.load(tmp_path / "fit.npz")
    assert np.array_equal(again.mdp.transitions.dense(), fit.mdp.transitions.dense())
    assert np.array_equal(again.mdp.rewards.departure, fit.mdp.rewards.departure)
    assert again.left_out == (3,)
    assert again.leave_out(4).counts.sum() == fit.leave_out(4).counts.sum()
    assert list(again.episodes) == list(fit.episodes)
    assert repr(again) == repr(fit)
    assert again.unseen is fit.unseen
    fit.mdp.save(tmp_path / "mdp.npz")
    with pytest.raises(InvalidFile, match="expected 'untaken-fit-1'"):
        ut.Fit.load(tmp_path / "mdp.npz")


def test_a_damaged_fit_is_refused(tmp_path):
    fitted(cohort(3)).save(tmp_path / "fit.npz")
    whole = dict(np.load(tmp_path / "fit.npz"))
    for damage in ({"alpha": whole["alpha"][:2]}, {"options": np.array("{}")}):
        np.savez(tmp_path / "bad.npz", **(whole | damage))
        with pytest.raises(InvalidFile, match=r"bad.npz is not a whole fit: .* is missing or"):
            ut.Fit.load(tmp_path / "bad.npz")


@pytest.mark.parametrize("ids", [["a", "ü"], [1.5, 2.5], [("site", 1), ("site", 2)]])
def test_ids_of_every_kind_come_back_from_disk(tmp_path, ids):
    members = [ut.Episode(["low", "mid"], ["x"], id=id) for id in ids]
    fit = fitted(ut.Episodes.of(members))
    fit.save(tmp_path / "fit.npz")
    again = ut.Fit.load(tmp_path / "fit.npz").leave_out(ids[1])
    assert again.left_out == (ids[1],)
    again.save(tmp_path / "fit.npz")
    assert ut.Fit.load(tmp_path / "fit.npz").left_out == (ids[1],)


MESSAGES = {
    "no reward": ({"reward": None}, InvalidProcess, "the episodes carry no rewards; give reward="),
    "text": ({"reward": ["a", "b", "c"]}, InvalidProcess, "rewards are a function of labels"),
    "shape": ({"reward": [1, 2]}, InvalidProcess, r"have the shape \(3,\) or \(3, 2\); \(2,\)"),
    "hole": ({"reward": {"low": 1}}, InvalidProcess, "reward of state 'mid' is nan or missing"),
    "key": ({"reward": {"lo": 1}}, UnknownLabel, "has states, or pairs of .*; 'lo' is none"),
    "function": ({"reward": lambda s: s}, InvalidProcess, "gave no number for 'low'"),
    "three": ({"reward": lambda a, b, c: a + b + c}, InvalidProcess, "needs 3 values"),
    "frame": (
        {"reward": pd.DataFrame({"mood": ["low"], "r": [1.0]})},
        InvalidProcess,
        "a frame of rewards has the columns 'state'.*; 'mood', 'r' came",
    ),
    "frame twice": (
        {"reward": pd.DataFrame({"state": ["low", "low"], "r": [1.0, 2.0]})},
        InvalidProcess,
        "a table of rewards names 'low' more than once",
    ),
    "mapping text": (
        {"reward": {"low": "much", "mid": 1, "high": 2}},
        InvalidProcess,
        "rewards are numbers; 'much' came for 'low'",
    ),
    "lookup": ({"reward": lambda s: {}[s]}, InvalidProcess, "gave no number for 'low': 'low'"),
    "unseen": (
        {"unseen": "as seen"},
        InvalidProcess,
        "unseen must be one of Unseen.UNAVAILABLE, Unseen.AS_SEEN; 'as seen' came",
    ),
    "letters": ({"absorbing": "low"}, InvalidQuestion, "a list of absorbing states; .*'low' came"),
    "states text": ({"states": "abc"}, InvalidQuestion, "a list of states; the single text 'abc'"),
    "final": ({"final_reward": [1]}, InvalidProcess, "one number for each of 3 states"),
    "final key": ({"final_reward": {"lo": 1}}, UnknownLabel, "'lo' is none"),
    "states": ({"states": ["low", "mid"]}, UnknownLabel, "unknown state 'high' at the episodes"),
    "absorbing": ({"absorbing": ["dead"]}, UnknownLabel, "unknown state 'dead'"),
    "prior shape": ({"prior": np.ones((2, 2))}, InvalidProcess, r"a prior for 3 states .*\(2, 2\)"),
    "prior sign": ({"prior": -np.ones(3)}, InvalidProcess, "gives the weight -1.0 to the step"),
    "prior kind": ({"prior": "flat"}, InvalidProcess, "a prior is neighbour_prior"),
    "prior zero": ({"prior": np.zeros(3)}, InvalidProcess, "Give a prior above zero"),
}


@pytest.mark.parametrize("case", MESSAGES)
def test_messages(case):
    options, error, message = MESSAGES[case]
    members = [ut.Episode(["low", "high"], ["x"], id=1), ut.Episode(["mid"], ["y"], id=2)]
    with pytest.raises(error, match=message):
        ut.fit(
            ut.Episodes.of(members, states=STATES),
            **({"prior": ut.uniform_prior(), "reward": [0, 0, 0]} | options),
        )


def test_what_cannot_be_left_out():
    fit = fitted(cohort(3))
    with pytest.raises(UnknownLabel, match="no episode has the id 9"):
        fit.leave_out(9)
    with pytest.raises(InvalidProcess, match="episode 1 is left out already"):
        fit.leave_out(1).leave_out(1)
    with pytest.raises(InvalidProcess, match="there are no episodes to estimate"):
        ut.fit(ut.Episodes.of([]), ut.uniform_prior(), reward=[])
    with pytest.raises(InvalidProcess, match=r"expected Episodes, from .*; list came"):
        ut.fit(list(cohort(3)), ut.uniform_prior(), reward=[0, 0, 0])
    with pytest.raises(InvalidQuestion, match="folds must be a whole number of at least 2; 1 came"):
        fit.summary(folds=1)


def test_held_out_prediction_is_that_of_refitting_without_each_fold():
    episodes = cohort(12, 6)
    fit = fitted(episodes)
    held_out, calibration = hold_out(fit, 4, np.random.default_rng(5))
    folds = (np.random.default_rng(5).permutation(12) % 4).tolist()
    expected = held_out_score(list(episodes), folds, STATES, ACTIONS, near)
    assert held_out.log_likelihood == pytest.approx(expected, rel=1e-12)
    assert held_out.transitions == 72
    assert sum(bin.count for bin in calibration.bins) == 72 * 3
    hits = sum(bin.count * bin.observed for bin in calibration.bins)
    assert hits == pytest.approx(72)


@settings(max_examples=30, deadline=None)
@given(cohorts(), st.integers(2, 4), st.integers(0, 99))
def test_goodness_is_that_of_predicting_one_transition_after_the_other(episodes, folds, seed):
    fit = fitted(episodes)
    held_out, calibration = hold_out(fit, folds, np.random.default_rng(seed))
    number = min(folds, len(episodes))
    fold_of = (np.random.default_rng(seed).permutation(len(episodes)) % number).tolist()
    told = held_out_predictions(list(episodes), fold_of, STATES, ACTIONS, near)
    if number < 2 or not told:
        assert held_out is None
        assert calibration is None
        return
    gains = [np.log(row[after] / blind[after]) for _, row, blind, after in told]
    mean = np.mean(gains)
    assert held_out.log_likelihood - held_out.without_actions == pytest.approx(mean, abs=1e-12)
    off = [0.0] * len(episodes)
    for (place, *_), gain in zip(told, gains, strict=True):
        off[place] += gain - mean
    error = np.sqrt(sum(value**2 for value in off)) / len(gains)
    assert held_out.standard_error == pytest.approx(error, abs=1e-12)
    bins = {}
    for _, row, _, after in told:
        for place, chance in enumerate(row):
            bins.setdefault(min(int(chance * 10), 9), []).append((chance, place == after))
    expected = [np.mean(bins[place], axis=0) for place in sorted(bins)]
    found = [(bin.predicted, bin.observed) for bin in calibration.bins]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
    assert [bin.count for bin in calibration.bins] == [len(bins[place]) for place in sorted(bins)]


def test_a_prior_with_zeros_that_is_refuted_says_so():
    prior = np.eye(3) + 1e-3
    prior[0, 2] = 0.0
    members = [ut.Episode(["low", "mid"], ["x"], id=id) for id in range(5)]
    members.append(ut.Episode(["low", "high"], ["x"], id="rare"))
    fit = ut.fit(ut.Episodes.of(members), prior, reward=[0, 0, 0], states=STATES)
    assert "held out    transitions happened that a prior with zeros" in str(fit.summary())


def test_what_only_one_episode_showed_cannot_be_left_out_of_a_prior_with_zeros():
    prior = np.ones((3, 2, 3))
    prior[1, 0] = 0.0
    members = [ut.Episode(["mid", "low"], ["x"], id="only"), ut.Episode(["low"], ["y"], id=2)]
    fit = ut.fit(ut.Episodes.of(members), prior, reward=[0, 0, 0], states=STATES)
    assert fit.leave_out(2).mdp
    message = r"without 'only', context \(state 'mid', action 'x'\) has no transition and no prior"
    with pytest.raises(InvalidProcess, match=message):
        fit.leave_out("only")


def test_declared_rows_owe_nothing_to_the_prior():
    members = [ut.Episode(["low", "high", "high"], ["x", "x"], id=1)]
    fit = fitted(ut.Episodes.of(members, states=STATES), absorbing=["high"])
    assert (fit.prior_share[2] == 0).all()
    assert 0 <= fit.summary().prior_share <= 1


def test_calibration_tells_a_good_model_from_a_bad_one():
    episodes = cohort(600, 10)
    good = fitted(episodes).summary().calibration.error
    stubborn = 1 + 1e5 * np.eye(3)  # sure that nobody ever moves
    bad = ut.fit(episodes, stubborn, reward=[0, 0, 0], states=STATES)
    assert good < 0.02 < bad.summary().calibration.error


def test_summary_says_what_actions_add():
    P = np.zeros((3, 2, 3))
    P[:, 0, 0], P[:, 1, 2] = 1, 1
    mdp = ut.MDP(P, [0, 0, 0], states=STATES, actions=ACTIONS)
    drawn = ut.simulate(
        mdp, np.full((3, 2), 0.5), episodes=50, horizon=10, start="low", stop_at_absorbing=False
    )
    summary = fitted(drawn).summary()
    gain = summary.held_out.log_likelihood - summary.held_out.without_actions
    assert gain > 0.5 > 10 * summary.held_out.standard_error
    assert "actions add +0." in str(summary)
    assert "500 transitions" in str(summary)
    alone = fitted(drawn[:1]).summary()
    assert alone.held_out is None
    assert "held out" not in str(alone)

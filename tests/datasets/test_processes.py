"""Processes to try: intensive care, the sepsis simulator, grids."""

import subprocess
import sys

import numpy as np
import pytest

import untaken as ut
from untaken.datasets.sepsis import GIVEN, vital_row
from untaken.errors import InvalidPolicy, InvalidQuestion, MissingExtra


@pytest.fixture(scope="module")
def icu():
    return ut.datasets.icu_sepsis(300)


def test_icu_survival_is_what_the_package_publishes_for_clinicians(icu):
    assert icu.initial @ icu.mdp.final_reward == pytest.approx(0.78, abs=0.01)
    assert icu.mdp.final_reward[[0, -1]].tolist() == [1, 0]
    assert ((icu.mdp.final_reward >= 0) & (icu.mdp.final_reward <= 1)).all()
    assert np.flatnonzero(icu.mdp.absorbing).tolist() == [0, 714]


def test_icu_labels_order_and_availability(icu):
    assert (icu.mdp.states[0], icu.mdp.states[-1]) == ("survived", "died")
    assert sorted(map(int, icu.mdp.states[1:-1])) == list(range(713))
    assert (np.diff(icu.sofa[1:-1]) >= 0).all()
    assert icu.mdp.actions[7] == "fluids 1, vasopressors 2"
    assert icu.mdp.available.any(axis=1).all()
    rare = ~icu.mdp.available[1:-1]
    P = icu.mdp.transitions.dense()[1:-1]
    state, action = np.argwhere(rare)[17]
    admissible = P[state][~rare[state]].mean(axis=0)
    assert P[state, action] == pytest.approx(admissible, abs=1e-12)
    mass = (icu.policy[1:-1] * rare).sum(axis=1).mean()
    assert 0.1 < mass < 0.2


def test_icu_patients(icu):
    assert icu.episodes.final_seen.all()
    assert icu.episodes.states == icu.mdp.states
    roles = {"episode": "episode", "step": "step", "state": "state", "action": "action"}
    again = ut.read_episodes(icu.episodes.to_frame(), **roles, states=icu.mdp.states)
    assert list(again.states) == list(icu.mdp.states)
    assert np.array_equal(again.state_codes, icu.episodes.state_codes)
    strict = ut.datasets.icu_sepsis(50, admissible_only=True)
    taken = strict.mdp.available[strict.episodes.state_codes, strict.episodes.action_codes]
    assert taken.all()


def test_icu_makes_no_noise():
    code = (
        "import untaken as ut; ut.datasets.icu_sepsis(2); import sys; print('gym' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("False\n", "")


def test_missing_packages_are_named_with_the_command_that_installs_them(monkeypatch):
    monkeypatch.setattr("untaken.datasets.icu.find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"pip install 'untaken\[icu\]'"):
        ut.datasets.icu_sepsis()
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(MissingExtra, match="pip install gymnasium"):
        ut.datasets.frozen_lake()


OFF, ABX, VENT, VASO = GIVEN[0], (True, False, False), (False, True, False), (False, False, True)


def chances(vital, before, now, diabetic):
    """The positive entries of a row, by (heart, pressure, oxygen, glucose)."""
    row = vital_row(vital, before, now, diabetic).reshape(3, 3, 2, 5)
    return {tuple(place): row[tuple(place)] for place in np.argwhere(row > 0).tolist()}


def marginal(row, place):
    totals = {}
    for vital, chance in row.items():
        totals[vital[place]] = totals.get(vital[place], 0.0) + chance
    return {level: pytest.approx(chance) for level, chance in totals.items()}


NORMAL = (1, 1, 1, 2)
HEART, PRESSURE, OXYGEN, GLUCOSE = range(4)


@pytest.mark.parametrize(
    ("vital", "before", "now", "diabetic", "place", "expected"),
    [
        (NORMAL, OFF, OFF, False, HEART, {0: 0.1, 1: 0.8, 2: 0.1}),
        (NORMAL, OFF, OFF, False, GLUCOSE, {1: 0.1, 2: 0.8, 3: 0.1}),
        (NORMAL, OFF, OFF, True, GLUCOSE, {1: 0.3, 2: 0.4, 3: 0.3}),
        (NORMAL, OFF, OFF, False, OXYGEN, {0: 0.1, 1: 0.9}),
        ((2, 2, 1, 2), OFF, ABX, False, HEART, {1: 0.5, 2: 0.5}),
        ((2, 2, 1, 2), OFF, ABX, False, PRESSURE, {1: 0.5, 2: 0.5}),
        (NORMAL, ABX, OFF, False, HEART, {1: 0.9, 2: 0.1}),
        (NORMAL, ABX, OFF, False, PRESSURE, {1: 0.5, 2: 0.5}),
        ((1, 1, 0, 2), OFF, VENT, False, OXYGEN, {0: 0.3, 1: 0.7}),
        (NORMAL, VENT, OFF, False, OXYGEN, {0: 0.1, 1: 0.9}),
        ((1, 0, 1, 2), OFF, VASO, False, PRESSURE, {0: 0.3, 1: 0.7}),
        ((1, 0, 1, 2), OFF, VASO, True, PRESSURE, {0: 0.1, 1: 0.5, 2: 0.4}),
        (NORMAL, OFF, VASO, True, PRESSURE, {1: 0.1, 2: 0.9}),
        (NORMAL, OFF, VASO, True, GLUCOSE, {2: 0.5, 3: 0.5}),
        (NORMAL, OFF, VASO, False, GLUCOSE, {1: 0.1, 2: 0.8, 3: 0.1}),
        (NORMAL, VASO, OFF, False, PRESSURE, {0: 0.1, 1: 0.9}),
        ((1, 2, 1, 2), VASO, OFF, True, PRESSURE, {1: 0.05, 2: 0.95}),
        (NORMAL, ABX, VASO, False, PRESSURE, {1: 0.15, 2: 0.85}),
    ],
)
def test_vitals_move_as_published(vital, before, now, diabetic, place, expected):
    row = chances(vital, before, now, diabetic)
    assert sum(row.values()) == pytest.approx(1)
    assert marginal(row, place) == expected


def test_the_sepsis_process_ends_as_published():
    data = ut.datasets.sepsis_simulator(200)
    mdp = data.mdp
    assert (len(mdp.states), len(mdp.actions)) == (1440, 8)
    for code, state in enumerate(mdp.states):
        abnormal = sum("normal" not in part for part in state[:4])
        home = abnormal == 0 and state[4] == "nothing"
        assert mdp.final_reward[code] == (-1 if abnormal >= 3 else int(home))
        assert mdp.absorbing[code] == (abnormal >= 3 or home)
    after = np.flatnonzero(mdp.transitions.row(1440 - 4, 5))  # diabetes and treatment persist
    assert {mdp.states[int(code)][5] for code in after} == {mdp.states[1440 - 4][5]}
    assert data.initial.sum() == pytest.approx(1)
    assert data.initial[1::2].sum() == pytest.approx(0.2)
    assert (data.initial[mdp.absorbing] == 0).all()


def test_hidden_diabetes_leaves_720_states_and_the_same_courses():
    seen = ut.datasets.sepsis_simulator(50, seed=3)
    hidden = ut.datasets.sepsis_simulator(50, seed=3, hidden=True)
    assert len(hidden.episodes.states) == 720
    for one, two in zip(seen.episodes, hidden.episodes, strict=True):
        assert [state[:5] for state in one.states] == list(two.states)
    with pytest.raises(InvalidQuestion, match="diabetes is a share from 0 to 1; 2 came"):
        ut.datasets.sepsis_simulator(diabetes=2)


def test_grids_end_in_their_copies_and_follow_a_given_policy():
    lake = ut.datasets.frozen_lake(100, policy=["right"] * 16, seed=2)
    assert set(lake.episodes.action_codes.tolist()) == {lake.mdp.actions.code("right")}
    ended = [e for e in lake.episodes if e.horizon < 50]
    assert ended
    assert all("(ended)" in str(e.final_state) for e in ended)
    assert {e.states[0] for e in lake.episodes} == {0}
    better = ut.datasets.frozen_lake(100, seed=2).episodes
    assert better.rewards.sum() > lake.episodes.rewards.sum()
    cliff = ut.datasets.cliff_walking(20)
    assert cliff.episodes.rewards.min() <= -1
    assert {e.states[0] for e in cliff.episodes} == {36}
    steady = ut.datasets.frozen_lake(5, slippery=False, policy=["down"] * 16).episodes
    assert all(e.states[:3] == (0, 4, 8) for e in steady)


def test_a_grids_policy_may_be_a_table_over_its_cells_and_wastes_no_time():
    table = np.tile([0.0, 0.0, 1.0, 0.0], (16, 1))
    by_table = ut.datasets.frozen_lake(20, policy=table, seed=2)
    by_name = ut.datasets.frozen_lake(20, policy=["right"] * 16, seed=2)
    assert list(by_table.episodes) == list(by_name.episodes)
    dry = ut.datasets.frozen_lake(100, slippery=False).episodes
    home = [e.horizon for e in dry if e.rewards[-1] == 1]
    assert min(home) == 6  # the shortest way
    assert np.mean(home) < 12
    for policy in ("right", len):
        with pytest.raises(InvalidPolicy, match="an action for each of the 21 states, or holds"):
            ut.datasets.frozen_lake(5, policy=policy)
    with pytest.raises(InvalidPolicy, match="probabilities of a policy must be numbers"):
        ut.datasets.frozen_lake(5, policy=[["a"] * 4] * 21)

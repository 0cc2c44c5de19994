"""Processes on disk come back as they were, and other files are refused."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import untaken as ut
from untaken.model.files import FORMAT, load_arrays, save_arrays


def assert_same(one: ut.MDP, other: ut.MDP) -> None:
    assert one.states == other.states
    assert one.actions == other.actions
    assert (one.discount, one.minimise) == (other.discount, other.minimise)
    for name in ("final_reward", "available"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    np.testing.assert_array_equal(one.transitions.offsets, other.transitions.offsets)
    np.testing.assert_array_equal(one.transitions.successors, other.transitions.successors)
    np.testing.assert_array_equal(one.transitions.probabilities, other.transitions.probabilities)
    np.testing.assert_array_equal(one.rewards.departure, other.rewards.departure)
    np.testing.assert_array_equal(one.rewards.arrival, other.rewards.arrival)


@pytest.mark.parametrize(
    "states",
    [
        [0, 1, 2],
        ["mild", "schwer", "übel ☠"],
        [("mild", 1), ("mild", 2), ("severe", 1)],
        [1, "two", (3, "drei", (True, 4.5))],
        [None, False, "x"],
    ],
)
def test_a_process_comes_back_with_its_labels(tmp_path, states):
    rng = np.random.default_rng(0)
    mdp = ut.MDP(
        rng.dirichlet(np.ones(3), (3, 2)),
        rng.normal(size=(3, 2, 3)),
        states=states,
        actions=["é", ("a", 1)],
        final_reward=[1, 2, 3],
        available=rng.random((3, 2)) < 0.5,
        discount=0.97,
        minimise=True,
    )
    mdp.save(tmp_path / "process.npz")
    assert_same(ut.MDP.load(tmp_path / "process.npz"), mdp)


@given(
    chances=st.lists(st.lists(st.floats(1e-9, 1), min_size=1, max_size=12), min_size=1, max_size=4)
)
def test_rows_come_back_to_the_last_bit(tmp_path_factory, chances):
    """Rows that were scaled once are not scaled again: a study knows its process by its bits."""
    size = max(map(len, chances))
    rows = np.zeros((size, len(chances), size))
    for action, row in enumerate(chances):
        rows[:, action, : len(row)] = np.array(row) / np.sum(row)
    mdp, path = ut.MDP(rows, np.zeros(size)), tmp_path_factory.mktemp("rows") / "process.npz"
    mdp.save(path)
    assert_same(ut.MDP.load(path), mdp)


def test_the_file_has_exactly_the_name_that_was_given(tmp_path):
    mdp = ut.MDP([[[1.0]]], [2.0])
    mdp.save(tmp_path / "process")
    assert [file.name for file in tmp_path.iterdir()] == ["process"]
    assert_same(ut.MDP.load(str(tmp_path / "process")), mdp)


def test_labels_that_json_cannot_hold_are_refused(tmp_path):
    mdp = ut.MDP([[[1.0]]], [2.0], states=[frozenset({1})])
    with pytest.raises(ut.errors.InvalidFile, match="state labels must be strings, numbers"):
        mdp.save(tmp_path / "process.npz")


class Bomb:
    def __reduce__(self):
        return (pytest.fail, ("a pickle was run",))


def pickled(path):
    path.write_bytes(pickle.dumps(Bomb()))


def pickled_inside(path):
    array = np.empty(1, dtype=object)
    array[0] = Bomb()
    with open(path, "wb") as file:
        np.savez(file, format=array)


def text(path):
    path.write_text("state,action\n1,2\n")


def empty(path):
    path.write_bytes(b"")


def torn(path):
    ut.MDP([[[1.0]]], [2.0]).save(path)
    path.write_bytes(path.read_bytes()[:-40])


def garbled(path):
    ut.MDP(np.full((9, 3, 9), 1 / 9), np.arange(27.0).reshape(9, 3)).save(path)
    content = bytearray(path.read_bytes())
    middle = content.index(b"successors.npy") + 34
    content[middle : middle + 20] = b"\xff" * 20
    path.write_bytes(content)


def single_array(path):
    with open(path, "wb") as file:
        np.save(file, np.zeros(3))


WRITERS = (pickled, pickled_inside, text, empty, torn, garbled, single_array)


@pytest.mark.parametrize("write", WRITERS)
def test_foreign_files_are_refused_and_run_no_code(tmp_path, write):
    write(tmp_path / "file")
    with pytest.raises(ut.errors.InvalidFile, match="cannot be read as saved arrays") as raised:
        ut.MDP.load(tmp_path / "file")
    assert "pickle" not in str(raised.value)  # least of all how to trust one


def test_arrays_of_something_else_are_refused(tmp_path):
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    with pytest.raises(ut.errors.InvalidFile, match="holds 'no format'; expected 'untaken-process"):
        ut.MDP.load(tmp_path / "other.npz")
    np.savez(tmp_path / "other.npz", format=np.array("untaken-fit-9"))
    with pytest.raises(ut.errors.InvalidFile, match="holds 'untaken-fit-9'; expected"):
        ut.MDP.load(tmp_path / "other.npz")
    np.savez(tmp_path / "other.npz", format=np.array("untaken-process-1"))
    with pytest.raises(ut.errors.InvalidFile, match=r"is not a whole process: .*shape"):
        ut.MDP.load(tmp_path / "other.npz")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ut.errors.InvalidFile, match=r"there is no file .*nowhere.npz"):
        ut.MDP.load(tmp_path / "nowhere.npz")


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("shape", [2, 2], "offsets of 2 states and 2 actions are 5 numbers that start at 0"),
        ("shape", [2], "not enough values to unpack"),
        ("offsets", [0, 2], "are 3 numbers that start at 0 and never fall"),
        ("offsets", [1, 2, 3], "are 3 numbers that start at 0 and never fall"),
        ("offsets", [0, 3, 2], "are 3 numbers that start at 0 and never fall"),
        ("offsets", [0, 1, 2], "the offsets end at 2; 3 probabilities and 3 successors came"),
        ("probabilities", [0.5, 0.5], "the offsets end at 3; 2 probabilities"),
        ("successors", [0, 1, 2], "successors must be state codes from 0 to 1"),
        ("successors", [-1, 1, 0], "successors must be state codes from 0 to 1"),
        ("successors", [1, 0, 0], "the successors of a context must ascend, each of them once"),
        ("successors", [0, 0, 0], "the successors of a context must ascend, each of them once"),
        ("departure", [0.0], "departure rewards must have the shape"),
        ("arrival", [0.0], "3 entries of the rows go with as many arrival rewards; 1 came"),
        ("states", "[0", "is not a whole process"),
        ("options", '{"tempo": 3}', "unexpected keyword argument 'tempo'"),
    ],
)
def test_a_file_whose_arrays_do_not_fit_together_is_refused(tmp_path, name, values, message):
    path = tmp_path / "process.npz"
    ut.MDP([[[0.5, 0.5]], [[1.0, 0.0]]], [0, 1]).save(path)
    arrays = load_arrays(path, FORMAT) | {name: np.array(values)}
    arrays.pop("format")
    save_arrays(path, FORMAT, **arrays)
    with pytest.raises(ut.errors.InvalidFile, match=message):
        ut.MDP.load(path)

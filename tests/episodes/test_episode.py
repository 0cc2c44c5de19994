"""One episode, its labels, and complaints about what is none."""

from __future__ import annotations

import numpy as np
import pytest

import untaken as ut


def test_the_last_state_may_have_been_seen_or_not():
    seen, unseen = ut.Episode(["abc", "abc"], [0]), ut.Episode(["a"], [0])
    assert (seen.horizon, seen.final_state) == (1, "abc")
    assert (unseen.horizon, unseen.final_state) == (1, None)


def test_labels_become_plain_values():
    episode = ut.Episode(
        np.array([1, 2]), [np.str_("a"), ["b", np.int8(3)]], id=np.int64(4), rewards=np.ones(2)
    )
    assert episode.states == (1, 2)
    assert episode.actions == ("a", ("b", 3))
    assert type(episode.states[0]) is int
    assert type(episode.id) is int
    assert episode.rewards == (1.0, 1.0)
    assert episode == ut.Episode([1, 2], ["a", ("b", 3)], id=4, rewards=[1, 1])
    assert hash(episode)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], []), "an episode needs at least one action; the actions are empty"),
        (([], [], "P7"), "the actions of episode 'P7' are empty"),
        ((["a"], ["x", "y"]), "2 actions go with 2 states, or with 3 if .*; 1 came"),
        ((["a"] * 4, ["x", "y"], 3), "2 actions of episode 3 go with 2 states.*; 4 came"),
        ((["a"], ["x"], 3, [1, 2]), "1 actions of episode 3 go with 1 rewards; 2 came"),
        (("ab", ["x", "y"]), "expected a sequence of states; 'ab' came"),
        ((["a"], None), "expected a sequence of actions; None came"),
        ((["a", None], ["x"]), "one of the states is missing: None at step 1"),
        (([np.nan], ["x"]), "one of the states is missing: nan at step 0"),
        ((["a"], [{"x"}]), "actions are texts, numbers or tuples of these; {'x'} came at step 0"),
        ((["a"], ["x"], 3, ["much"]), r"rewards are numbers, one a step; \['much'\] came"),
    ],
)
def test_messages(arguments, message):
    with pytest.raises(ut.errors.InvalidEpisode, match=message):
        ut.Episode(*arguments)


def test_labels_are_found_by_value_and_named_when_unknown():
    labels = ut.Labels(("none", 1, ("a", 2)), "action")
    assert labels.code(np.int64(1)) == 1
    assert labels.code(["a", np.int32(2)]) == 2
    assert ["a", 2] in labels
    assert {} not in labels
    assert labels.codes([1, ["a", 2]]).tolist() == [1, 2]
    with pytest.raises(
        ut.errors.UnknownLabel, match=r"unknown action 'nona'; did you mean 'none'\?"
    ):
        labels.code("nona")
    with pytest.raises(ut.errors.UnknownLabel, match=r"unknown action \{\}\. The 3 known actions"):
        labels.code({})
    with pytest.raises(ut.errors.UnknownLabel, match=r"unknown action 7 at step 1\. The 3 known"):
        labels.codes([1, 7], "step")


def test_many_labels_are_not_all_listed():
    with pytest.raises(ut.errors.UnknownLabel, match=r"0, 1, 2, 3, 4, 5, 6, 7 and 92 more$"):
        ut.Labels.numbered(100, "state").code(-1)


def test_a_repeated_label_is_named():
    with pytest.raises(
        ut.errors.UntakenError, match="state label 1 stands more than once among the 3"
    ):
        ut.Labels((1, 2, 1))

"""Actions that open or close a course."""

import pytest

import untaken as ut


def episodes(*courses):
    return ut.Episodes.of(ut.Episode([0] * len(course), list(course)) for course in courses)


def test_a_welcome_and_a_farewell():
    found = ut.positional_actions(episodes("hxyb", "hyxyb", "hxb"))
    assert (found.first, found.last, found.pinned) == (("h",), ("b",), (0, -1))
    assert found.excluded == ("h", "b")


def test_steps_are_pinned_for_all_only_where_all_have_such_an_action():
    cohort = episodes("hxy", "hyx", "xyx")
    found = ut.positional_actions(cohort)
    assert (found.first, found.last, found.pinned) == (("h",), (), ())
    assert [found.pinned_in(episode) for episode in cohort] == [(0,), (0,), ()]


def test_what_happens_elsewhere_too_or_hardly_ever_is_not_positional():
    assert ut.positional_actions(episodes("hxh", "hxy", "hyx")).excluded == ()
    rare = episodes("hxy", "yyx", "xyx", "xyy")
    assert ut.positional_actions(rare).excluded == ()
    assert ut.positional_actions(rare, share=0.2).excluded == ("h",)


def test_courses_of_one_step_and_a_share_that_makes_no_sense():
    found = ut.positional_actions(episodes("a", "a"))
    assert (found.excluded, found.pinned) == (("a",), (0, -1))
    with pytest.raises(ut.errors.InvalidQuestion, match="share must be above 0 and at most 1; 0"):
        ut.positional_actions(episodes("a"), share=0)
    assert ut.positional_actions(ut.Episodes.of([])).excluded == ()

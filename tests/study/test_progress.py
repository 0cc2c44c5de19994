"""Progress is seen where somebody looks on, logged otherwise, and off on request."""

from __future__ import annotations

import logging

import untaken as ut
from tests.study.cohorts import cohort


def run(progress):
    data = cohort(6)
    options = {"depth": ut.Depth.FRONTIER, "chunk": 2, "progress": progress}
    return ut.explain_all(data.episodes, data.mdp, 1, **options)


def test_a_bar_on_request(capsys):
    run(True)
    shown = capsys.readouterr().err
    assert "6/6" in shown
    assert "episodes/s" in shown


def test_nothing_where_nobody_looks_on(capsys):
    run(None)
    assert capsys.readouterr().err == ""


def test_lines_in_the_log_every_so_often(monkeypatch, caplog):
    monkeypatch.setattr("untaken.study.progress.SECONDS", 0)
    with caplog.at_level(logging.INFO, "untaken.study"):
        run(None)
    lines = [record.getMessage() for record in caplog.records if record.name == "untaken.study"]
    assert len(lines) == 3
    assert lines[0].startswith("2 of 6 episodes, ")
    assert lines[0].endswith("seconds to go")


def test_off_on_request(monkeypatch, capsys, caplog):
    monkeypatch.setattr("untaken.study.progress.SECONDS", 0)
    with caplog.at_level(logging.INFO, "untaken.study"):
        run(False)
    assert capsys.readouterr().err == ""
    assert not [record for record in caplog.records if record.name == "untaken.study"]

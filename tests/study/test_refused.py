"""What is another study, a damaged one or none is refused in words, and left as it is."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import untaken as ut
from tests.study.begin import CHUNK, EPISODES, K, study
from tests.study.cohorts import cohort, content


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 1}, "k was 2 and is 1"),
        ({"chunk": 3}, "chunk was 2 and is 3"),
        ({"pinned": [0]}, r"pinned was \(\) and is \(0,\)"),
        ({"depth": ut.Depth(limit=5)}, "depth.limit was 1000 and is 5"),
        ({"seed": 1}, "seed was 0 and is 1"),
        (
            {"mechanism": ut.GumbelMaxSampled(d=5)},
            r"mechanism was GumbelMax\(\) and is GumbelMaxSampled\(d=5, seed=0\)",
        ),
    ],
)
def test_other_options_are_refused(copy, options, message):
    before = content(copy)
    with pytest.raises(ut.errors.InvalidStudy, match=message):
        study(copy, **options)
    assert content(copy) == before


def test_other_inputs_are_refused(copy):
    data, other = cohort(EPISODES), cohort(EPISODES, seed=1)
    options = {"out": copy, "chunk": CHUNK, "detail": True}
    with pytest.raises(ut.errors.InvalidStudy, match=r"process is another one \(transitions\)"):
        ut.explain_all(data.episodes, other.mdp, K, **options)
    worse = data.mdp.replace(minimise=True, available=np.eye(5, 3) < 1)
    told = r"another one \(available actions, discount or direction\)"
    with pytest.raises(ut.errors.InvalidStudy, match=told):
        ut.explain_all(data.episodes, worse, K, **options)
    with pytest.raises(ut.errors.InvalidStudy, match="there were 40 episodes and now there are 3"):
        ut.explain_all(data.episodes[:3], data.mdp, K, **options)
    with pytest.raises(ut.errors.InvalidStudy, match=r"as many, others \(ids, courses, "):
        ut.explain_all(data.episodes[::-1], data.mdp, K, **options)
    codes = data.episodes.action_codes.copy()
    codes[7] = (codes[7] + 1) % 3
    one_row = replace(data.episodes, action_codes=codes)
    with pytest.raises(ut.errors.InvalidStudy, match=r"study: [^;]* others \(courses\)\. Give"):
        ut.explain_all(one_row, data.mdp, K, **options)


def test_more_draws_do_not_make_another_process(tmp_path):
    data = cohort(4)
    fit = ut.fit(data.episodes, ut.uniform_prior(), reward=lambda state: state)
    ut.explain_all(data.episodes, fit, 1, out=tmp_path / "study")
    with pytest.raises(ut.errors.InvalidStudy) as caught:
        ut.explain_all(data.episodes, fit, 1, out=tmp_path / "study", leave_out=True)
    assert "study: leave_out was False and is True. Give another" in str(caught.value)


def test_the_rest_is_not_made_by_other_versions(copy):
    manifest = copy / "manifest.json"
    told = json.loads(manifest.read_text())
    told["versions"]["numpy"] = "1.0"
    manifest.write_text(json.dumps(told))
    assert study(copy).finished
    (copy / "done" / "part-00003.json").unlink()
    with pytest.raises(ut.errors.InvalidStudy, match=r"numpy was 1\.0 and is"):
        study(copy)
    assert ut.open_study(copy).done == EPISODES - CHUNK


def test_a_truncated_part_is_named_and_can_be_repaired(copy, whole):
    part = copy / "budgets" / "part-00007.parquet"
    part.write_bytes(part.read_bytes()[:-9])
    for look in (lambda: ut.open_study(copy), lambda: study(copy)):
        with pytest.raises(ut.errors.InvalidStudy, match=r"part-00007.parquet has .* bytes where"):
            look()
    (copy / "done" / "part-00007.json").unlink()
    study(copy)
    assert content(copy) == content(whole)


def test_a_missing_or_altered_part_is_named(copy):
    part = copy / "steps" / "part-00002.parquet"
    altered = bytearray(part.read_bytes())
    altered[40] ^= 1
    part.write_bytes(altered)
    opened = ut.open_study(copy)
    with pytest.raises(ut.errors.InvalidStudy, match=r"00002\.parquet is not what was written"):
        opened.verify()
    part.unlink()
    with pytest.raises(ut.errors.InvalidStudy, match=r"part-00002\.parquet is missing"):
        ut.open_study(copy)


def test_a_damaged_marker_is_named(copy, whole):
    marker = copy / "done" / "part-00004.json"
    marker.write_text(marker.read_text()[:20])
    with pytest.raises(ut.errors.InvalidStudy, match=r"part-00004\.json is damaged"):
        study(copy)
    marker.unlink()
    study(copy)
    assert content(copy) == content(whole)


@pytest.mark.parametrize(
    ("file", "damage"),
    [
        ("manifest.json", b"\xff\xfe"),
        ("manifest.json", b""),
        ("manifest.json", b"[]"),
        ("done/part-00004.json", b"[]"),
        ("done/part-00004.json", b'{"episodes": 2, "failed": 0, "open_ends": 0, "parts": []}'),
        ("done/part-00004.json", b'{"episodes": null, "failed": 0, "open_ends": 0, "parts": {}}'),
        (
            "done/part-00004.json",
            b'{"episodes": 2, "failed": 0, "open_ends": 0, "parts": {"steps": 3}}',
        ),
    ],
)
def test_damage_of_any_kind_is_named(copy, file, damage):
    (copy / file).write_bytes(damage)
    for look in (lambda: ut.open_study(copy), lambda: study(copy)):
        with pytest.raises(ut.errors.InvalidStudy, match=Path(file).stem):
            look()


@pytest.mark.parametrize("damage", ["truncated", "missing", "another"])
def test_a_damaged_process_is_named_and_written_again(copy, whole, damage, caplog):
    process = copy / "process.npz"
    content_before = process.read_bytes()
    if damage == "truncated":
        process.write_bytes(content_before[:-30])
    elif damage == "missing":
        process.unlink()
    else:
        cohort(EPISODES, seed=1).mdp.save(process)
    opened = ut.open_study(copy)
    for look in (opened.verify, lambda: opened.mdp, lambda: opened.explain(3)):
        with pytest.raises(ut.errors.InvalidStudy, match=r"process\.npz.* writes it again"):
            look()
    (copy / "done" / "part-00003.json").unlink()
    assert study(copy, n_jobs=2).finished
    assert "process.npz" in caplog.text
    assert content(copy) == content(whole)


def test_options_that_another_version_knows_are_named(copy):
    manifest = copy / "manifest.json"
    told = json.loads(manifest.read_text())
    told["options"]["novel"] = told["options"].pop("seed")
    manifest.write_text(json.dumps(told))
    with pytest.raises(ut.errors.InvalidStudy, match="novel was 0 and is None; seed was None"):
        study(copy)
    with pytest.raises(ut.errors.InvalidStudy, match=r"options that this version .* not have"):
        ut.open_study(copy)


def test_rules_are_told_apart_one_by_one(copy):
    with pytest.raises(ut.errors.InvalidStudy, match=r"rules\.drop_below was 0\.0 and is 0\.1"):
        study(copy, rules=ut.Rules(drop_below=0.1))


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(ut.errors.InvalidStudy, match=r"not empty \('thesis.tex' is there\)"):
        study(tmp_path)
    assert os.listdir(tmp_path) == ["thesis.tex"]
    with pytest.raises(ut.errors.InvalidStudy, match="holds no study"):
        ut.open_study(tmp_path)
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(ut.errors.InvalidStudy, match="not the manifest of a study"):
        ut.open_study(tmp_path)


@pytest.mark.parametrize("name", ["process.npz", "fit.npz", "manifest.json"])
def test_files_of_the_same_names_are_not_written_over(tmp_path, name):
    (tmp_path / name).write_text("a process that somebody saved")
    with pytest.raises(ut.errors.InvalidStudy):
        study(tmp_path)
    assert os.listdir(tmp_path) == [name]
    assert (tmp_path / name).read_text() == "a process that somebody saved"


def test_what_is_not_ours_is_left_alone(whole, tmp_path):
    """Hidden files and folders do not keep a study out, and it does not tidy them away."""
    folder = tmp_path / "study"
    (folder / ".git").mkdir(parents=True)
    (folder / ".gitignore").write_text("mine")
    (folder / "budgets").mkdir()
    (folder / "budgets" / ".part-of-me").write_text("mine")
    (folder / "budgets").rename(tmp_path / "aside")
    study(folder)
    (tmp_path / "aside" / ".part-of-me").rename(folder / "budgets" / ".part-of-me")
    study(folder)
    for name in (".gitignore", "budgets/.part-of-me"):
        assert (folder / name).read_text() == "mine"
        (folder / name).unlink()
    (folder / ".git").rmdir()
    assert content(folder) == content(whole)

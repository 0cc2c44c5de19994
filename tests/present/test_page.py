"""The page as a file: what is packed into it, and what it may do."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib

import numpy as np
import pytest

import untaken as ut
from tests.study.cohorts import cohort
from untaken.present.page.assembled import MODULES, one_script, piece
from untaken.present.page.contents import Contents
from untaken.present.page.report import write_report

K = 2
HERE = ("http://www.w3.org/2000/svg",)  # a name, not an address


@pytest.fixture(scope="module")
def data():
    return cohort()


@pytest.fixture(scope="module")
def study(data):
    return ut.explain_all(data.episodes, data.mdp, K, depth=ut.Depth(robust=True), progress=False)


@pytest.fixture(scope="module")
def page(study, tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("page") / "report.html"
    return write_report(study, path, title="<A & B>").read_text(encoding="utf-8")


def packed(page: str) -> dict:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(found[1])


def unpacked(text: str) -> dict:
    return json.loads(zlib.decompress(base64.b64decode(text)))


def test_the_cohort_is_told_as_the_study_knows_it(page, study):
    told = unpacked(packed(page)["cohort"])
    mean = [row.mean for row in study.summary().frontier]
    assert told["frontier"]["mean"] == pytest.approx(mean, rel=1e-5)
    rows = study.budgets.order("position, k").project("position, k, outcome").fetchall()
    for position, k, outcome in rows:
        assert told["rows"]["outcome"][position][k] == pytest.approx(outcome, rel=1e-5)


def test_each_episode_is_told_as_its_accounts_know_it(page, study, data):
    told = packed(page)["episodes"]
    assert len(told) == len(data.episodes)
    for position, text in told.items():
        document = unpacked(text)
        cf = study.explain(data.episodes[int(position)].id)
        assert document["frontier"] == pytest.approx(cf.frontier.tolist(), rel=1e-5)
        for k, answer in enumerate(document["budgets"]):
            at = cf.at(k)
            law = at.outcomes()
            assert answer["better"] == pytest.approx(1e4 * law.better.lower, abs=0.6)
            assert answer["changed"] == pytest.approx(1e4 * at.timeline().changed, abs=1)
            for row, chances in zip(answer["chances"], at.timeline().states, strict=True):
                seen = np.zeros(len(chances))
                seen[row[::2]] = row[1::2]
                assert seen == pytest.approx(1e4 * chances, abs=0.6)
            sure = at.robustness(limit=0).policy
            assert [gain for _, gain in answer["certainty"]["mechanisms"]] == pytest.approx(
                sure.gains.tolist(), rel=1e-5, abs=1e-9
            )


def test_a_what_if_is_told_as_the_library_answers(study, data):
    contents = Contents(study, ut.Words())
    episode = data.episodes[1]
    other = next(a for a in data.mdp.actions if a != episode.actions[0])
    found = contents.what_if(1, [(0, data.mdp.actions.code(other))])
    alone = study.explain(episode.id).what_if({0: other})
    assert found["outcome"] == pytest.approx(alone.outcome, rel=1e-5)
    assert found["changes"] == 1
    assert sum(found["law"]["chance"]) == pytest.approx(10_000, abs=20)


def test_the_page_lets_only_its_own_script_and_style_run(page):
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1]
    assert policy.startswith("default-src 'none';")
    for tag, rule in (('<script type="module">', "script-src"), ("<style>", "style-src")):
        body = page.split(tag)[1].split(f"</{tag[1:].split()[0].rstrip('>')}>")[0]
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{rule} 'sha256-{digest}'" in policy
    assert len(re.findall(r"<script\b", page)) == 2
    assert " style=" not in page
    assert not re.search(r"\son\w+=", re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL))


def test_the_page_names_no_address(page):
    for address in re.findall(r"\w+://[^\s\"'`<)]*", page):
        assert address in HERE
    assert not re.search(r"\b(?:src|href)=\"(?!#|data:)", page)


def test_titles_are_text(page):
    assert "<title>&lt;A &amp; B&gt;</title>" in page
    assert "<A & B>" not in page


def test_the_modules_become_one_script_without_imports():
    script = one_script()
    assert not re.search(r"^\s*(?:import|export)\b", script, re.MULTILINE)
    for name in MODULES:
        for imported in re.findall(r'from "\./([\w-]+)\.js"', piece(f"{name}.js")):
            assert MODULES.index(imported) < MODULES.index(name)


def test_few_or_no_episodes_may_be_packed(study, tmp_path):
    few = write_report(study, tmp_path / "few.html", episodes=1).read_text(encoding="utf-8")
    gains = study.episodes.filter("error IS NULL").order("gain DESC, position")
    most = gains.project("position").limit(1).fetchall()[0][0]
    assert list(packed(few)["episodes"]) == [str(most)]
    none = write_report(study, tmp_path / "none.html", episodes=0).read_text(encoding="utf-8")
    assert packed(none)["episodes"] == {}
    with pytest.raises(ut.errors.InvalidQuestion, match="a number from 0; -1 came"):
        write_report(study, tmp_path / "no.html", episodes=-1)


def test_ids_are_nowhere_in_a_redacted_file(tmp_path):
    mdp = ut.MDP([[[0.5, 0.5]] * 2] * 2, [0, 1])
    episodes = [ut.Episode([0, 1], [0, 1], id=f"secret {i}") for i in range(3)]
    study = ut.explain_all(episodes, mdp, 1, detail=True, progress=False)
    page = write_report(study, tmp_path / "r.html", redact=True).read_text(encoding="utf-8")
    data = packed(page)
    told = [unpacked(data["cohort"]), *map(unpacked, data["episodes"].values())]
    assert "secret" not in json.dumps(told)
    assert told[0]["rows"]["id"] == ["episode 1", "episode 2", "episode 3"]


def test_ids_that_look_alike_stay_apart():
    mdp = ut.MDP([[[0.5, 0.5]] * 2] * 2, [0, 1])
    episodes = [ut.Episode([0, 1], [0, 1], id=id) for id in ("1", 1, ("a", "b"), "a / b")]
    study = ut.explain_all(episodes, mdp, 1, progress=False)
    names = Contents(study, ut.Words()).cohort["rows"]["id"]
    assert len(set(names)) == 4


def test_a_file_that_cannot_be_written_is_named(study, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ut.errors.CannotWrite, match=r"report\.html cannot be written"):
        write_report(study, tmp_path / "file" / "report.html")


def test_a_study_of_nothing_but_failures_has_no_page(tmp_path):
    mdp = ut.MDP([[[0.5, 0.5]] * 2] * 2, [0, 1])
    episodes = [ut.Episode([0], [0], id="A"), ut.Episode([1], [1], id="B")]
    study = ut.explain_all(episodes, mdp, 1, pinned=[5], progress=False)
    with pytest.raises(ut.errors.InvalidQuestion, match=r"first that of A: .*pinned step 5"):
        write_report(study, tmp_path / "r.html")
    assert not (tmp_path / "r.html").exists()

"""The explorer's server: what it answers, to whom, and what it refuses."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

import untaken as ut
from tests.study.cohorts import cohort
from untaken.present.page.assembled import MODULES
from untaken.present.page.contents import Contents
from untaken.present.page.explorer import ADDRESS_LENGTH, explorer, serve


@pytest.fixture(scope="module")
def contents():
    data = cohort()
    return Contents(ut.explain_all(data.episodes, data.mdp, 2, progress=False), ut.Words())


@pytest.fixture(scope="module")
def client(contents):
    return TestClient(explorer(contents), base_url="http://127.0.0.1")


def test_the_page_and_its_modules_are_served(client):
    assert "static/main.js" in client.get("/").text
    for name in MODULES:
        served = client.get(f"/static/{name}.js")
        assert served.headers["content-type"].startswith("text/javascript")
    assert client.get("/static/page.css").headers["content-type"].startswith("text/css")


def test_answers_are_those_of_the_contents(client, contents):
    assert client.get("/api/cohort").json() == contents.cohort
    assert client.get("/api/episodes/1").json() == contents.episode(1)
    asked = client.get("/api/episodes/1/what-if", params={"change": ["0:1", "1:0"]})
    assert asked.json() == contents.what_if(1, [(0, 1), (1, 0)])


@pytest.mark.parametrize(
    "address", ["/", "/api/cohort", "/static/main.js", "/nowhere", "/api/episodes/99"]
)
def test_everything_forbids_what_is_foreign(client, address):
    headers = client.get(address).headers
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none';")
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("address", "status", "message"),
    [
        ("/api/episodes/99", 404, "no answer about an episode at position 99"),
        (f"/api/episodes/{'9' * 6000}", 404, "no answer about an episode at position 999"),
        ("/api/episodes/-1", 404, "an episode has a number; '-1' came"),
        ("/api/episodes/²/what-if", 404, "an episode has a number"),
        ("/api/episodes/1/what-if?change=0:99", 400, "actions 0 to"),
        ("/api/episodes/1/what-if?change=99:0", 400, "expected steps 0 to"),
        ("/api/episodes/1/what-if?change=-1:0", 400, "a step and an action, as 3:5"),
        ("/api/episodes/1/what-if?change=1:²", 400, "a step and an action, as 3:5"),
        ("/api/episodes/1/what-if?change=999999999999999999999:0", 400, "expected steps"),
        (f"/api/episodes/1/what-if?change={'1' * ADDRESS_LENGTH}", 414, "too long"),
        ("/static/report.py", 404, "no such file"),
        ("/static/dom", 404, "no such file"),
    ],
)
def test_what_cannot_be_answered_says_why(client, address, status, message):
    answer = client.get(address)
    assert answer.status_code == status
    assert message in answer.json()["error"]


@pytest.mark.parametrize(
    "address",
    [
        "/static/../contents.py",
        "/static/..%2fcontents.py",
        "/static/%2e%2e/%2e%2e/cli.py",
        "/etc/passwd",
    ],
)
def test_no_path_reaches_a_file(client, address):
    assert client.get(address).status_code == 404


def test_nothing_can_be_written(client):
    for method in (client.post, client.put, client.delete):
        assert method("/api/cohort").status_code == 405


def test_only_its_own_names_are_answered_on_the_loopback(client, contents):
    for name in ("127.0.0.1:8765", "localhost:8765", "localhost"):
        assert client.get("/", headers={"host": name}).status_code == 200
    assert client.get("/api/cohort", headers={"host": "elsewhere.example"}).status_code == 400
    open_to_all = TestClient(explorer(contents, "0.0.0.0"), base_url="http://ward.example")
    assert open_to_all.get("/").status_code == 200


def test_a_port_that_is_taken_is_named(contents):
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ut.errors.CannotServe, match=f"port {port}: .*another --port"):
            serve(contents, port=port)

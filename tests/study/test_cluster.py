"""The same study on a cluster of two worker processes, one of which dies on the way."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import joblib
import pytest

import untaken as ut
from tests.study.begin import CHUNK, EPISODES, study
from tests.study.cohorts import cohort, content

distributed = pytest.importorskip("distributed")


@pytest.fixture
def cluster(tmp_path, monkeypatch):
    """Two processes that share nothing with this one but the disk."""
    root = str(Path(__file__).parents[2])
    monkeypatch.setenv("PYTHONPATH", f"{root}/src:{root}:{os.environ.get('PYTHONPATH', '')}")
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            local_directory=str(tmp_path / "scratch"),
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def pids(client) -> list[int]:
    return list(client.run(os.getpid).values())


def test_a_worker_dies_and_nothing_is_lost_or_done_twice(cluster, tmp_path):
    folder, alone = tmp_path / "study", tmp_path / "alone"
    expected = study(alone, depth=ut.Depth(limit=999))
    victim = pids(cluster)[0]

    def kill():
        while len(list(folder.glob("done/*.json"))) < 3:
            time.sleep(0.005)
        os.kill(victim, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    with joblib.parallel_config("dask"):
        found = study(folder, n_jobs=None, depth=ut.Depth(limit=999))
    killer.join()
    assert found.finished
    assert content(folder) == content(alone)
    positions = found.episodes.project("position").fetchall()
    assert sorted(positions) == [(position,) for position in range(EPISODES)]
    assert found.done == expected.done
    assert victim not in pids(cluster)


def test_workers_read_the_process_once_from_the_folder(cluster, tmp_path):
    with joblib.parallel_config("dask"):
        study(tmp_path / "study", n_jobs=None)

    def read():
        from untaken.study.job import _of_folder

        return _of_folder.cache_info().misses

    found = list(cluster.run(read).values())  # tasks that travel together bring one job along
    assert set(found) <= {0, 1}
    assert sum(found) >= 1


def test_interrupting_on_a_cluster_says_what_is_done(cluster, tmp_path):  # noqa: ARG001
    """The workers end the chunks that they are at, or leave them, and the study goes on alone."""
    folder, alone = tmp_path / "study", tmp_path / "alone"
    study(alone)

    def interrupt():
        while len(list(folder.glob("done/*.json"))) < 2:
            time.sleep(0.005)
        os.kill(os.getpid(), signal.SIGINT)

    stopper = threading.Thread(target=interrupt)
    stopper.start()
    with (
        pytest.raises(ut.errors.StudyInterrupted, match="of 40 episodes are done and safe"),
        joblib.parallel_config("dask"),
    ):
        study(folder, n_jobs=None)
    stopper.join()
    assert 2 * CHUNK <= ut.open_study(folder).done < EPISODES
    assert study(folder).finished
    assert content(folder) == content(alone)


def test_workers_may_stand_in_another_folder(cluster, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    here = os.getcwd()
    assert here not in cluster.run(os.getcwd).values()
    with joblib.parallel_config("dask"):
        found = study(Path("study"), n_jobs=None)
    assert found.finished
    assert content(tmp_path / "study") == content(study(tmp_path / "alone").store.path)


def test_without_a_folder_rows_come_back(cluster):
    data = cohort()
    assert cluster.status == "running"
    with joblib.parallel_config("dask"):
        found = ut.explain_all(data.episodes, data.mdp, 2, chunk=3)
    expected = ut.explain_all(data.episodes, data.mdp, 2)
    assert sorted(found.budgets.fetchall()) == sorted(expected.budgets.fetchall())

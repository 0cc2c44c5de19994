"""What must work in an environment that has the package and nothing else of the project.

python release/smoke.py [core] [plot] [icu] [dask] [app]

Each part uses what its extra brings; without an extra, it must say which one is missing.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import untaken as ut

os.environ.setdefault("MPLBACKEND", "Agg")


def core() -> None:
    """A log, a process, an answer, a study on disk, and the command."""
    assert "site-packages" in str(ut.__file__), f"the package was not installed: {ut.__file__}"
    assert (Path(str(ut.__file__)).parent / "py.typed").exists()
    cf = answer()
    assert np.allclose(cf.frontier, [0, 80 / 81, 35 / 27])
    assert "100.0%  step 0: wait → treat" in str(cf.at(1).explanations())
    assert cf.bounds("none").certified[1] > 0.98
    assert ut.Account.from_json(cf.account().to_json()) == cf.account()
    with tempfile.TemporaryDirectory() as folder:
        trial = ut.datasets.cbt_trial()
        log = f"{folder}/sessions.csv"
        trial.episodes.to_frame().to_csv(log)
        episodes = ut.read_episodes(
            log, episode="episode", step="step", state="state", action="action"
        )
        assert len(episodes) == len(trial.episodes)
        fit = ut.fit(episodes, prior=ut.neighbour_prior(), reward=trial.reward)
        study = ut.explain_all(episodes, fit, k=2, out=f"{folder}/study", progress=False)
        assert study.finished
        assert study.failed == 0
        assert ut.open_study(f"{folder}/study").budgets.aggregate("count(*)").fetchall() == [(219,)]
        fit.mdp.save(f"{folder}/process.npz")
        assert ut.MDP.load(f"{folder}/process.npz").states == fit.mdp.states
        columns = ("--episode", "episode", "--step", "step", "--state", "state", "--action")
        told = command("explain", log, *columns, "action", "--id", "17", "-k", "2")
        assert "at most 2 changes" in told
    assert command("--version").split()[-1] == ut.__version__


def plot() -> None:
    """Figures, or word of the extra that they need."""
    with_extra("matplotlib", "untaken[plot]", lambda: draw(answer()))


def draw(cf: ut.Counterfactual) -> None:
    """A page of figures into a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.svg"
        cf.plot().savefig(path)
        assert path.stat().st_size > 10_000


def icu() -> None:
    """The process of intensive care, or word of the extra."""

    def read() -> None:
        assert len(ut.datasets.icu_sepsis(episodes=3).episodes) == 3

    with_extra("icu_sepsis", "untaken[icu]", read)


def dask() -> None:
    """A study on a cluster of one worker; without the extra there is nothing of ours to ask."""
    if find_spec("distributed") is None:
        return
    import joblib
    from distributed import Client

    data = ut.datasets.synthetic(episodes=4, seed=0)
    with (
        Client(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0"),
        joblib.parallel_config("dask"),
    ):
        found = ut.explain_all(data.episodes, data.mdp, k=1, progress=False)
    assert found.finished


def app() -> None:
    """The page, or word of the extra."""
    if "report" not in command("--help"):
        return
    with tempfile.TemporaryDirectory() as folder:
        data = ut.datasets.synthetic(episodes=3, horizon=5, seed=0)
        ut.explain_all(
            data.episodes, data.mdp, k=2, out=f"{folder}/study", detail=True, progress=False
        )
        command("report", f"{folder}/study", "-o", f"{folder}/report.html")
        page = Path(f"{folder}/report.html").read_text(encoding="utf-8")
        assert "<html" in page
        assert "http-equiv" in page


def with_extra(module: str, extra: str, use: Callable[[], None]) -> None:
    """Use what an extra brings; where it is not installed, the error must name the extra."""
    if find_spec(module) is not None:
        use()
        return
    try:
        use()
    except ut.errors.MissingExtra as missing:
        if extra not in str(missing):
            raise
    except ModuleNotFoundError as missing:
        raise AssertionError(f"{missing}, and no word of {extra}") from None
    else:
        raise AssertionError(f"{module} is not installed, and yet nothing was missing")


def answer() -> ut.Counterfactual:
    """The example of the documentation, whose frontier can be found by hand."""
    mdp = ut.MDP(
        [[[0.9, 0.1], [0.4, 0.6]], [[0.2, 0.8], [0.1, 0.9]]],
        [0, 1],
        states=["ill", "well"],
        actions=["wait", "treat"],
    )
    return ut.explain(ut.Episode(["ill"] * 3, ["wait"] * 3), mdp, k=2)


def command(*arguments: str) -> str:
    """What the installed command prints."""
    program = Path(sys.executable).parent / "untaken"
    done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"untaken {' '.join(arguments)} failed:\n{done.stderr}"
    return done.stdout


PARTS = {"core": core, "plot": plot, "icu": icu, "dask": dask, "app": app}


def main() -> None:
    """Run the parts that are named, all without any name."""
    for name in sys.argv[1:] or PARTS:
        PARTS[name]()
        print(f"  {name}: works")


if __name__ == "__main__":
    main()

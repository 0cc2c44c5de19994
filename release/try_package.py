"""Try built packages as strangers get them: each in a bare environment, then extra by extra.

python release/try_package.py dist [--python PYTHON ...] [--lowest]

With `--lowest` every direct dependency has the lowest version that pyproject.toml allows.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
PROJECT = tomllib.loads((HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = ("plot", "icu", "dask", "app")


def run(*command: str | Path, environment: dict[str, str] | None = None) -> str:
    """Run a command away from the sources, which must not be found in place of the package."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with tempfile.TemporaryDirectory() as elsewhere:
        done = subprocess.run(
            [str(part) for part in command],
            capture_output=True,
            text=True,
            cwd=elsewhere,
            env=kept | (environment or {}),
        )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def lowest(requirements: list[str]) -> list[str]:
    """Each requirement at its lower bound."""
    return [requirement.replace(">=", "==") for requirement in requirements]


def bare(folder: Path, python: str) -> Path:
    """A new environment; its Python."""
    run(python, "-m", "venv", folder)
    return folder / "bin" / "python"


def install(python: Path, what: str | Path, pins: Path | None) -> None:
    """Install, from the pinned versions or under the given pins."""
    constraint = pins or HERE.parent / "constraints.txt"
    pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(*pip, what, environment={"PIP_CONSTRAINT": str(constraint.resolve())})


def import_seconds(python: Path) -> float:
    """How long `import untaken` takes in a fresh process, beyond starting Python: the median."""
    times = []
    for _ in range(5):
        code = (
            "import time; start = time.perf_counter(); import untaken; "
            "print(time.perf_counter() - start)"
        )
        times.append(float(run(python, "-c", code)))
    return statistics.median(times)


def try_one(package: Path, interpreter: str, pins: Path | None) -> None:
    """One package under one Python."""
    with tempfile.TemporaryDirectory() as folder:
        python = bare(Path(folder) / "env", interpreter)
        version = run(python, "--version").strip()
        print(f"{package.name}, {package.stat().st_size / 1024:.0f} kB, {version}", flush=True)
        install(python, package.resolve(), pins)
        start = time.perf_counter()
        print(run(python, (HERE / "smoke.py").resolve()), end="")
        print(f"  in {time.perf_counter() - start:.0f} s, kernels compiled on the way")
        print(f"  import untaken: {import_seconds(python):.2f} s", flush=True)
        for extra in EXTRAS:
            if extra in PROJECT["optional-dependencies"]:
                install(python, f"{package.resolve()}[{extra}]", pins)
                print(
                    f"  with [{extra}]", run(python, (HERE / "smoke.py").resolve(), extra), end=""
                )


def main() -> None:
    """Try every package in a folder under every Python that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--python", nargs="+", default=[sys.executable])
    parser.add_argument("--lowest", action="store_true")
    given = parser.parse_args()
    packages = sorted([*given.folder.glob("*.whl"), *given.folder.glob("*.tar.gz")])
    if not packages:
        sys.exit(f"{given.folder} holds neither a wheel nor an sdist; build them first")
    with tempfile.TemporaryDirectory() as folder:
        pins = None
        if given.lowest:
            pins = Path(folder) / "lowest.txt"
            extras = [r for name in EXTRAS for r in PROJECT["optional-dependencies"].get(name, [])]
            pins.write_text("\n".join(lowest(PROJECT["dependencies"] + extras)) + "\n")
        for interpreter in given.python:
            for package in packages:
                try_one(package, interpreter, pins)


if __name__ == "__main__":
    main()

"""All experiments, in the order of the paper, and one page about them."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from pathlib import Path

from untaken.errors import CannotWrite, InvalidQuestion, MissingExtra
from untaken.paper.page import Drawn, Run, page
from untaken.paper.sections import Panel, Section
from untaken.paper.settings import Settings
from untaken.paper.style import journal
from untaken.paper.therapy import load

EXPERIMENTS = {
    "graph": "untaken.paper.causal_graph",
    "synthetic": "untaken.paper.synthetic_section",
    "therapy": "untaken.paper.therapy_section",
    "patients": "untaken.paper.patients",
    "baselines": "untaken.paper.baselines",
    "sepsis": "untaken.paper.sepsis_section",
    "sampling": "untaken.paper.sampling_section",
}
"""What can be asked for, and the module whose `section` answers it."""
FIGURES = {
    "1": "graph",
    "2": "synthetic",
    "3": "synthetic",
    "4": "therapy",
    "5": "patients",
    "6": "baselines",
    "7": "therapy",
    "8": "patients",
}
"""The experiment that draws a figure of the paper."""
FORMATS = ("svg", "pdf", "png")
QUICK_FORMATS = ("svg",)


@dataclass(frozen=True)
class Reproduced:
    """What a run has written."""

    page: Path
    runs: tuple[Run, ...]

    @property
    def sections(self) -> tuple[Section, ...]:
        """What each experiment found."""
        return tuple(run.section for run in self.runs)


def reproduce(
    experiments: str | Iterable[str] = (),
    out: str | PathLike[str] = "paper",
    settings: Settings | None = None,
    tell: Callable[[str], None] | None = None,
) -> Reproduced:
    """Run the named experiments (or those that draw the figures of the paper with these numbers),
    all of them if none is named, and write figures, their data and one page into a folder. `tell`
    is told how far it has come. What cannot be done is refused before anything is computed."""
    settings = settings or Settings()
    asked = [experiments] if isinstance(experiments, str) else list(experiments)
    names = _known(asked)
    if settings.trial is not None:
        load(settings)
    folder = _writable(Path(out))
    forms = QUICK_FORMATS if settings.quick else FORMATS
    runs = []
    for position, name in enumerate(names):
        if tell:
            tell(f"[{position + 1}/{len(names)}] {name}")
        start, used = time.perf_counter(), time.process_time()
        section = _section(name, settings, asked_for=bool(asked))
        with journal(), _writing(folder):
            drawn = tuple(_drawn(panel, folder, forms) for panel in section.panels)
        spent = time.perf_counter() - start, time.process_time() - used
        runs.append(Run(section, drawn, *spent))
    index = folder / "index.html"
    with _writing(folder):
        index.write_text(page(tuple(runs), settings), encoding="utf-8")
    return Reproduced(index, tuple(runs))


def _writable(folder: Path) -> Path:
    """The folder, made if need be, once it is certain that files can be put there."""
    with _writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    return folder


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """Say what is wrong with the folder where the system only gives a number."""
    try:
        yield
    except OSError as error:
        raise CannotWrite(
            f"{folder} cannot be written: {error.strerror}. "
            "Name a folder in which you may write, with -o or out="
        ) from None


def _section(name: str, settings: Settings, asked_for: bool) -> Section:
    """What an experiment found. One that lacks an extra is left out, unless it was asked for."""
    try:
        section: Section = import_module(EXPERIMENTS[name]).section(settings)
    except MissingExtra as error:
        if asked_for:
            raise
        return Section(name, f"{name.capitalize()} (not run)", (f"Left out: {error}",), ())
    return section


def _known(experiments: list[str]) -> list[str]:
    asked = [FIGURES.get(name, name) for name in experiments] or list(EXPERIMENTS)
    unknown = [name for name in asked if name not in EXPERIMENTS]
    if unknown:
        raise InvalidQuestion(
            f"there is no experiment {unknown[0]!r}; there are {', '.join(EXPERIMENTS)}, and the "
            "numbers 1 to 8 for what draws that figure of the paper"
        )
    return [name for name in EXPERIMENTS if name in asked]


def _drawn(panel: Panel, folder: Path, forms: tuple[str, ...]) -> Drawn:
    """Save a figure in some formats, and its data."""
    figure = panel.draw(panel.data)
    for form in forms:
        dates = {"png": None, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[form]
        figure.savefig(folder / f"{panel.name}.{form}", dpi=200, metadata=dates)
    panel.data.write(folder / f"{panel.name}.csv")
    return Drawn(panel, (folder / f"{panel.name}.svg").read_bytes(), figure.get_figwidth(), forms)


def on_screen(message: str) -> None:
    """Tell it to whoever looks at the terminal."""
    print(message, file=sys.stderr, flush=True)

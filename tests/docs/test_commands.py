"""Commands that README and site show exist, with the options that are shown."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from untaken.present.cli import untaken

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SHOWN = re.compile(r"^(?:\$ |!)(untaken (?:[^\\\n]|\\\n)*)", re.MULTILINE)
LATER = {"report", "explore"}
"""Commands that are being built: once they are there, they are checked like the others."""


def shown() -> list[tuple[str, str]]:
    """Every command line, with the page that shows it."""
    return [
        (str(page.relative_to(ROOT)), line.replace("\\\n", " "))
        for page in PAGES
        for line in SHOWN.findall(page.read_text(encoding="utf-8"))
    ]


def words_of(line: str) -> list[str]:
    """The words of a command, up to a pipe or a redirection, without dots that stand for more."""
    words = shlex.split(line, comments=True)[1:]
    end = next((at for at, word in enumerate(words) if word in ("|", ">", "2>&1")), len(words))
    return [word for word in words[:end] if word != "..."]


def test_commands_are_found():
    assert len(shown()) > 10


@pytest.mark.parametrize(("page", "line"), shown())
def test_a_command_that_is_shown_exists_and_has_the_options(page, line):
    words = words_of(line)
    names = [word for word in words if word in untaken.commands]
    if not names:
        assert words[0].startswith("-") or words[0] in LATER, f"{page} shows: {line}"
        return
    command = untaken.commands[names[0]]
    known = {name for option in command.params for name in option.opts} | {"--help"}
    used = {word.split("=")[0] for word in words if re.match(r"--?[a-z]", word)}
    assert used <= known, f"{page} shows: {line}"

"""Every public name is described, and shows what it does."""

from __future__ import annotations

import doctest
import inspect
from pathlib import Path

import pytest

import untaken as ut

DOCS = Path(__file__).parents[2] / "docs"


def documentation(name: str) -> str:
    described = ut if name == "__version__" else getattr(ut, name)
    return inspect.getdoc(described) or ""


def page_of(name: str) -> str:
    """The page of the reference that describes a name: that of its layer."""
    value = getattr(ut, name)
    home = value if inspect.ismodule(value) else inspect.getmodule(value)
    return "errors" if home is None else home.__name__.split(".")[1]


@pytest.mark.parametrize("name", ut.__all__)
def test_every_public_name_has_an_example_that_stands_by_itself(name):
    lines = documentation(name).partition(">>>")
    examples = doctest.DocTestParser().get_examples("".join(lines[1:]))
    assert examples
    told: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    runner.run(doctest.DocTest(examples, {}, name, None, 0, None), out=told.append)
    assert not told, "".join(told)


@pytest.mark.parametrize("name", ut.__all__)
def test_every_public_name_belongs_to_a_page_of_the_reference(name):
    page = DOCS / "reference" / f"{page_of(name)}.md"
    assert f"{{layer}} {page_of(name)}" in page.read_text(encoding="utf-8")


def test_the_reference_begins_with_a_table_of_every_name():
    assert "{public-names}" in (DOCS / "reference" / "index.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ut.errors.__dict__)
def test_every_error_says_when_it_is_raised(name):
    error = getattr(ut.errors, name)
    if inspect.isclass(error) and issubclass(error, (ut.errors.UntakenError, Warning)):
        assert len(inspect.getdoc(error) or "") > 40

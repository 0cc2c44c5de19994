"""The reference writes itself: whatever is public is listed and described, nothing by hand.

`{public-names}` is a table of every name in `untaken.__all__`, `{layer} episodes` describes those
of one layer.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

import untaken

LAYERS = {
    "episodes": "What was observed",
    "model": "The process",
    "mechanism": "Counterfactual worlds",
    "search": "The search",
    "analysis": "The answer",
    "study": "A cohort",
    "present": "For people",
    "datasets": "Datasets",
    "errors": "Errors",
}
"""The pages of the reference, in the order of the design."""


@dataclass(frozen=True)
class Public:
    """One public name."""

    name: str
    value: Any

    @property
    def layer(self) -> str:
        """The page that describes it."""
        home = self.value if isinstance(self.value, ModuleType) else inspect.getmodule(self.value)
        return "errors" if home is None else home.__name__.split(".")[1]

    @property
    def documentation(self) -> str:
        """Its docstring; a version number has that of the package."""
        described = self.value if not isinstance(self.value, str) else untaken
        return inspect.getdoc(described) or ""

    @property
    def summary(self) -> str:
        """The first sentence of it."""
        if isinstance(self.value, str):
            return "The version of the package."
        first = self.documentation.split("\n\n")[0].replace("\n", " ")
        return first.split(". ")[0].rstrip(".").replace("|", "\\|") + "."

    def described(self) -> str:
        """The directive that describes it."""
        place = f"untaken.{self.name}"
        if isinstance(self.value, ModuleType):
            return f".. automodule:: {place}\n   :members:\n"
        if isinstance(self.value, type):
            options = ":members:", ":undoc-members:", ":exclude-members: form"  # kernels know forms
            return "\n   ".join([f".. autoclass:: {place}", *options]) + "\n"
        if callable(self.value):
            return f".. autofunction:: {place}\n"
        return f".. autodata:: {place}\n   :no-value:\n"


def public_names() -> tuple[Public, ...]:
    """All of them, in the order of `untaken.__all__`."""
    return tuple(Public(name, getattr(untaken, name)) for name in untaken.__all__)


class PublicNames(SphinxDirective):
    """The table of all names."""

    def run(self) -> list[nodes.Node]:
        """One row a name, with a link to its description."""
        rows = [
            f"| {{py:obj}}`~untaken.{each.name}` | {{doc}}`{each.layer}` | {each.summary} |"
            for each in public_names()
        ]
        return self.parse_text_to_nodes(
            "\n".join(["| Name | Where | What |", "|---|---|---|", *rows])
        )


class Layer(SphinxDirective):
    """The names of one layer, described."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Every name, by the means of autodoc."""
        mine = [each for each in public_names() if each.layer == self.arguments[0]]
        if not mine:
            raise self.error(f"no public name belongs to the layer {self.arguments[0]!r}")
        mine.sort(key=lambda each: not inspect.isfunction(each.value))  # what one calls first
        described = "\n".join(each.described() for each in mine)
        return self.parse_text_to_nodes(f"```{{eval-rst}}\n{described}\n```")


def setup(app: Any) -> dict[str, bool]:
    """Tell Sphinx of the two directives."""
    app.add_directive("public-names", PublicNames)
    app.add_directive("layer", Layer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

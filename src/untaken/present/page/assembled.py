"""One page out of its pieces: as files that a server hands out, or all in one."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any

from untaken._version import __version__
from untaken.present.words import CAUTION

MODULES = (
    "dom", "data", "words", "address", "axes", "layout", "course", "law", "certainty", "table",
    "cohort", "ways", "what-if", "episode", "main",
)  # fmt: skip
"""The page's script, each module after those that it imports."""
EXPORT = re.compile(r"^export (?:async )?(?:function|const|class) (\w+)", re.MULTILINE)
IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./([\w-]+)\.js";$', re.MULTILINE)
NOTHING_ELSE = "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'"
"""What a page may load beside its own script and style."""


@cache
def piece(name: str) -> str:
    """A file of the page."""
    return (files("untaken.present.page") / "static" / name).read_text(encoding="utf-8")


def served_page(title: str) -> str:
    """The page that loads its style, its script and its data from where it came from."""
    return _filled(
        title,
        policy="",
        style='<link rel="stylesheet" href="static/page.css">',
        data="",
        script='<script type="module" src="static/main.js"></script>',
    )


def single_page(title: str, data: Mapping[str, Any]) -> str:
    """The page with everything in it. Its policy lets it run its own script and nothing else."""
    style, script = piece("page.css"), one_script()
    policy = f"{NOTHING_ELSE}; script-src '{_hash(script)}'; style-src '{_hash(style)}'"
    told = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    return _filled(
        title,
        policy=f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        style=f"<style>{style}</style>",
        data=f'<script type="application/json" id="data">{told}</script>',
        script=f'<script type="module">{script}</script>',
    )


def _filled(title: str, **parts: str) -> str:
    return Template(piece("page.html")).substitute(
        title=html.escape(title), caution=html.escape(CAUTION), version=__version__, **parts
    )


@cache
def one_script() -> str:
    """The modules one after the other, each in a function of its own, so that names stay apart."""
    return "".join(_alone(name, piece(f"{name}.js")) for name in MODULES)


def _alone(name: str, module: str) -> str:
    """A module as a constant that holds what it exports; what it imports it takes from those."""
    exports = ", ".join(EXPORT.findall(module))
    body = IMPORT.sub(
        lambda found: f"const {found[1]} = {_constant(found[2])};",
        re.sub(r"^export ", "", module, flags=re.MULTILINE),
    )
    return f"const {_constant(name)} = (() => {{\n{body}\nreturn {{ {exports} }};\n}})();\n"


def _constant(name: str) -> str:
    return "module_" + name.replace("-", "_")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"

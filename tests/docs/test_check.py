"""The check of the site finds what it is there to find."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

PATH = Path(__file__).parents[2] / "docs" / "check.py"


@pytest.fixture(scope="module")
def check():
    spec = importlib.util.spec_from_file_location("docs_check", PATH)
    module = sys.modules["docs_check"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def site(tmp_path):
    (tmp_path / "other.html").write_text('<h1 id="here">Other</h1>', encoding="utf-8")
    (tmp_path / "style.css").write_text("a { background: url(dot.svg) }", encoding="utf-8")
    (tmp_path / "dot.svg").write_text("<svg/>", encoding="utf-8")
    return tmp_path


def complaints(check, site, body):
    (site / "index.html").write_text(body, encoding="utf-8")
    return check.complaints(site)


@pytest.mark.parametrize(
    "body",
    [
        '<a href="other.html#here">a place on another page</a>',
        '<p id="top"></p><a href="#top">a place on this one</a>',
        '<a href="https://example.org">a link that somebody may follow</a>',
        '<link rel="stylesheet" href="style.css"><img src="dot.svg">',
        '<link rel="canonical" href="https://example.org/index.html">',
        '<img src="data:image/png;base64,AAAA">',
    ],
)
def test_a_sound_site_is_left_in_peace(check, site, body):
    assert complaints(check, site, body) == []


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ('<a href="gone.html">x</a>', "index.html links to gone.html, which is not there"),
        ('<a href="other.html#gone">x</a>', "index.html links to other.html#gone, which is not"),
        ('<a href="#gone">x</a>', "index.html links to #gone, which is not there"),
        ('<img src="gone.png">', "index.html links to gone.png, which is not there"),
        ('<script src="https://example.org/x.js"></script>', "loads https://example.org/x.js"),
        ('<link rel="stylesheet" href="//example.org/x.css">', "loads //example.org/x.css"),
        ('<img src="http://example.org/x.png">', "loads http://example.org/x.png"),
    ],
)
def test_what_is_wrong_is_named(check, site, body, complaint):
    (found,) = complaints(check, site, body)
    assert complaint in found


@pytest.mark.parametrize("url", ["https://example.org/font.woff2", "gone.woff2"])
def test_styles_are_read_as_well(check, site, url):
    (site / "style.css").write_text(f"@font-face {{ src: url('{url}') }}", encoding="utf-8")
    (found,) = complaints(check, site, "")
    assert url in found

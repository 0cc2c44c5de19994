"""Check a built site: every link inside it leads somewhere, and no page asks anything of the net.

python docs/check.py out/docs
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADS = {
    ("script", "src"),
    ("img", "src"),
    ("iframe", "src"),
    ("source", "src"),
    ("source", "srcset"),
    ("video", "src"),
    ("audio", "src"),
    ("object", "data"),
    ("link", "href"),
}
"""What a browser fetches without being asked."""
NAMES_ONLY = {"canonical", "prev", "next", "search", "index", "author", "copyright"}
"""Relations of links that are never fetched."""
FROM_STYLE = re.compile(r"url\(\s*['\"]?(?!data:|#)([^'\")]+)|@import\s+['\"]([^'\"]+)")


@dataclass
class Page(HTMLParser):
    """What one page links to, what it loads, and where it can be linked to."""

    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the addresses of one element."""
        given = {name: value for name, value in attrs if value is not None}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "link" and given.get("rel", "") in NAMES_ONLY:
            return
        for name, value in given.items():
            if (tag, name) in LOADS:
                self.loads.append(value)
            elif name == "href" and tag == "a":
                self.links.append(value)


def pages_of(site: Path) -> list[Path]:
    """The pages that are read; templates that themes leave among their files are not."""
    return sorted(p for p in site.rglob("*.html") if "_static" not in p.relative_to(site).parts)


def read(path: Path) -> Page:
    """The page in a file."""
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def complaints(site: Path) -> list[str]:
    """Everything that is wrong, one line each."""
    pages = {path.resolve(): read(path) for path in pages_of(site)}
    wrong = []
    for path, page in pages.items():
        where = path.relative_to(site.resolve())
        wrong += [f"{where} loads {url}" for url in page.loads if is_external(url)]
        for url in page.links + page.loads:
            if not is_external(url) and not leads(path, url, pages):
                wrong.append(f"{where} links to {url}, which is not there")
    for style in site.rglob("*.css"):
        for groups in FROM_STYLE.findall(style.read_text(encoding="utf-8")):
            url = "".join(groups)
            if is_external(url):
                wrong.append(f"{style.relative_to(site)} loads {url}")
            elif not (style.parent / unquote(urlsplit(url).path)).exists():
                wrong.append(f"{style.relative_to(site)} loads {url}, which is not there")
    return wrong


def is_external(url: str) -> bool:
    """Whether an address leads off the site."""
    return url.startswith("//") or urlsplit(url).scheme in ("http", "https", "ftp")


def leads(path: Path, url: str, pages: dict[Path, Page]) -> bool:
    """Whether there is a file, and in it the place, to which a link leads."""
    parts = urlsplit(url)
    if parts.scheme:  # data:, mailto:
        return True
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not target.exists():
        return False
    place = unquote(parts.fragment)
    return not place or target not in pages or place in pages[target].anchors


def main() -> None:
    """Check the site that is named; status 1 if anything is wrong."""
    site = Path(sys.argv[1])
    wrong = complaints(site)
    for line in wrong:
        print(line, file=sys.stderr)
    print(f"{len(pages_of(site))} pages, {len(wrong)} bad links")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()

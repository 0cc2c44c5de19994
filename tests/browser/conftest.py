"""A browser, pages to look at, and what every page must keep to: no error, no foreign request."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_core_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser import cohorts
from untaken.present.inputs import keep_words
from untaken.present.page.report import write_report

COMMAND = Path(sys.executable).parent / "untaken"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 10_000  # milliseconds


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    assert found, f"none of {', '.join(BROWSERS)} is installed (Debian: apt-get install chromium)"
    with sync_playwright() as play:
        running = play.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture(scope="session")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("studies")


@pytest.fixture(scope="session")
def study(folder):
    made = cohorts.plain_study(folder / "plain")
    keep_words(cohorts.PLAIN, str(folder / "plain"))
    return made


@pytest.fixture(scope="session")
def report(study, folder) -> str:
    path = write_report(study, folder / "plain.html", cohorts.PLAIN, title="A simulated trial")
    return path.as_uri()


@pytest.fixture(scope="session")
def hostile(folder) -> str:
    made = cohorts.hostile_study(folder / "hostile")
    title = "</script><script>window.hurt=1</script>"
    return write_report(made, folder / "hostile.html", cohorts.HOSTILE, title=title).as_uri()


@pytest.fixture(scope="session")
def explorer(study, folder) -> Iterator[str]:
    """The address of a running `untaken explore`."""
    assert study.finished
    command = [str(COMMAND), "explore", str(folder / "plain"), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        yield server.stdout.readline().split()[0]
        server.terminate()


@pytest.fixture
def visit(browser) -> Iterator[Callable[..., Page]]:
    """Open an address; afterwards, see that the page complained of nothing and asked nobody."""
    opened: list[Page] = []
    troubles: list[str] = []

    def open_page(address: str, width: int = 1280, scheme: str = "light") -> Page:
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page.set_default_timeout(PATIENCE)
        home = address.split("#")[0]
        page.on("console", lambda said: troubles.append(f"console: {said.text}"))
        page.on("pageerror", lambda error: troubles.append(f"error: {error}"))
        page.on(
            "request",
            lambda request: (
                request.url.startswith((home, "data:", "blob:"))
                or troubles.append(f"request: {request.url}")
            ),
        )
        page.goto(address)
        page.wait_for_selector("main[aria-busy=false]")
        opened.append(page)
        return page

    yield open_page
    for page in opened:
        page.close()
    assert troubles == []


@pytest.fixture
def accessible() -> Callable[[Page], None]:
    """See that axe finds nothing to complain of."""

    def check(page: Page) -> None:
        found = Axe().run(page)["violations"]
        told = [(each["id"], [node["html"][:160] for node in each["nodes"][:3]]) for each in found]
        assert told == []

    return check

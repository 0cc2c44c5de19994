"""Take the pictures of the page that the README shows: Chromium, the test extra, `make demo` first.

python docs/images/shoot.py
"""

from __future__ import annotations

import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

from untaken.present.demo import FOLDER

HERE = Path(__file__).parent
SHOTS = (
    ("cohort.png", "#/?k=3", "light", 1180, 860),
    ("episode.png", "#/episode/73?k=3", "light", 1180, 980),
    ("phone.png", "#/episode/73?k=3", "dark", 390, 980),
)


def main() -> None:
    """One picture for each address of the demo's report."""
    report = (FOLDER / "report.html").resolve().as_uri()
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for name, address, scheme, width, height in SHOTS:
            page = browser.new_page(
                viewport={"width": width, "height": height},
                color_scheme=scheme,
                device_scale_factor=1.25,
            )
            page.goto(report + address)
            page.wait_for_selector("main[aria-busy=false]")
            if "episode" in address and width > 500:
                page.locator(".explanations tbody tr").first.hover()
            page.screenshot(path=HERE / name)
            page.close()
        browser.close()


if __name__ == "__main__":
    main()

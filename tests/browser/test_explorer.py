"""The explorer, as a reader meets it: the same page, and it answers back."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from untaken.present.words import number, share, signed


def test_it_is_the_same_page(visit, explorer, report):
    live, file = visit(f"{explorer}#/?k=2"), visit(f"{report}#/?k=2")
    assert live.locator(".numbers").inner_text() == file.locator(".numbers").inner_text()
    assert live.locator(".rows").inner_text() == file.locator(".rows").inner_text()


def test_another_action_is_answered_as_the_library_does(visit, explorer, study):
    page = visit(f"{explorer}#/episode/7?k=2")
    section = page.locator(".what-if")
    expect(section.locator(".numbers")).to_contain_text("0 changes")
    cf = study.explain(7)
    section.get_by_label("session 4:", exact=False).select_option("BHA")
    expect(section.locator(".numbers")).to_contain_text("1 change")
    found = cf.what_if({3: "BHA"})
    shown = section.locator(".numbers dd").first.evaluate("cell => cell.firstChild.textContent")
    assert float(shown) == pytest.approx(found.outcome, abs=0.005)
    expect(section.locator("figure svg")).to_have_count(2)
    expect(section.locator(".legend").last).to_contain_text(f"mean: {number(found.outcome)}")
    section.get_by_role("button", name="As it was").click()
    expect(section.locator(".numbers")).to_contain_text("0 changes")


def test_an_explanation_can_be_tried(visit, explorer, study):
    page = visit(f"{explorer}#/episode/7?k=2")
    page.get_by_role("button", name="try").first.click()
    first = study.account(7, 2).explanations[0]
    shown = page.locator(".what-if .numbers dd").first
    expect(page.locator(".what-if .numbers")).to_contain_text(f"{len(first.changes)} change")
    value = float(shown.evaluate("cell => cell.firstChild.textContent"))
    assert value == pytest.approx(first.forced_outcome, abs=0.005)


def test_keys_alone_change_an_action(visit, explorer):
    page = visit(f"{explorer}#/episode/7?k=2")
    page.locator("#choice-3").focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".what-if .numbers")).to_contain_text("1 change")


@pytest.mark.parametrize("width", [1280, 390])
def test_everybody_can_use_it(visit, accessible, explorer, width):
    page = visit(f"{explorer}#/episode/7?k=2", width, "dark")
    expect(page.locator(".what-if .numbers")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    accessible(page)


def test_numbers_are_written_as_in_texts(visit, explorer):
    page = visit(explorer)
    between = (unit for unit in range(130) if unit % 5)  # ties are rounded either way
    units = [0, *between, 994, 4_840, 9_940, 9_949, 9_950, 9_951, 9_994, 9_999, 10_000]
    values = [0, 1e-13, 0.00123, 0.0999, 0.1, 0.996, 5, 38.25, 999.994, 1234.6, -0.5, -43.2]
    shares, numbers, signs = page.evaluate(
        """async ([units, values]) => {
            const words = await import("/static/words.js");
            return [units.map(words.share), values.map(words.number), values.map(words.signed)];
        }""",
        [units, values],
    )
    assert [told.replace(" %", "%") for told in shares] == [share(each / 1e4) for each in units]
    assert [told.replace("−", "-") for told in numbers] == [number(each) for each in values]
    assert [told.replace("−", "-") for told in signs] == [signed(each) for each in values]


@pytest.mark.parametrize(
    ("text", "letters", "expected"),
    [
        ("short", 5, "short"),
        ("session one", 8, "sess…one"),
        ("abc", 1, "a"),
        ("薬物療法を続ける", 15, "薬物療法を続ける"),
        ("薬物療法を続ける", 8, "薬物…る"),
    ],
)
def test_labels_are_shortened_by_their_breadth(visit, explorer, text, letters, expected):
    asked = "async ([text, n]) => (await import('/static/words.js')).shortened(text, n)"
    assert visit(explorer).evaluate(asked, [text, letters]) == expected

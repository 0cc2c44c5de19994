"""The report, as a reader meets it: opened from disk, clicked, typed at, printed."""

from __future__ import annotations

import re
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import untaken as ut
from tests.browser import cohorts
from untaken.present.page.report import write_report
from untaken.present.words import share

GAIN = ".numbers div:has(dt:text-is('gain')) dd"


def at(report: str, id: str, k: int) -> str:
    return f"{report}#/episode/{quote(id, safe='')}?k={k}"


def told(page: Page, name: str) -> str:
    """One of the numbers at the top, without its remark."""
    cell = page.locator(f".numbers div:has(dt:text-is('{name}')) dd")
    return cell.evaluate("cell => cell.firstChild.textContent")


def spaced(chance: float | ut.Bracket) -> str:
    """A probability as the page writes it."""
    return share(chance).replace("%", " %")


def slide(page: Page, k: int) -> None:
    page.locator("#budget").evaluate(
        "(slider, k) => { slider.value = k; slider.dispatchEvent(new Event('input')); }", k
    )


def test_the_cohort_at_a_glance(visit, report, study):
    page = visit(report)
    expect(page.locator("h1")).to_have_text("A simulated trial")
    expect(page.locator(".lead")).to_contain_text(f"{cohorts.PATIENTS} episodes of")
    mean = [row.mean for row in study.summary().frontier]
    assert told(page, "observed well-being, mean") == f"{mean[0]:.2f}".rstrip("0").rstrip(".")
    assert told(page, "mean gain") == f"+{mean[3] - mean[0]:.2f}".rstrip("0").rstrip(".")
    expect(page.get_by_text("Read with care.")).to_be_visible()


def test_the_slider_moves_everything_of_the_cohort(visit, report):
    page = visit(report)
    seen = {}
    for k in (0, 1, cohorts.BUDGET):
        slide(page, k)
        assert page.url.endswith(f"#/?k={k}")
        expect(page.locator("#budget-value")).to_have_text(str(k))
        figures = page.locator("figure")
        seen[k] = (told(page, "mean gain"), *(figures.nth(i).inner_html() for i in range(4)))
    assert seen[0][0] == "±0"
    for before, after in ((seen[0], seen[1]), (seen[1], seen[cohorts.BUDGET])):
        assert all(a != b for a, b in zip(before, after, strict=True))


def test_groups_are_lines_of_their_own(visit, report):
    page = visit(report)
    page.locator(".choice select").select_option(label="by clinic")
    chart = page.locator("figure").first
    expect(chart.locator("path.group-line")).to_have_count(2)
    expect(page.locator(".legend").first).to_contain_text("north (12)")


def test_the_table_sorts_by_what_is_clicked(visit, report):
    page = visit(report)
    header = page.locator("th", has_text="observed").last
    for direction, order in (("descending", True), ("ascending", False)):
        header.get_by_role("button").click()
        expect(header).to_have_attribute("aria-sort", direction)
        column = [
            float(text) for text in page.locator(".rows tbody td:nth-child(4)").all_inner_texts()
        ]
        assert len(column) > 10
        assert column == sorted(column, reverse=order)


def test_the_table_filters_by_id_group_and_gain(visit, report, study):
    page = visit(report)
    page.locator("#search").fill("NORTH")
    expect(page.locator(".filters output")).to_have_text("12 of 24 episodes")
    page.locator("#search").fill("")
    page.locator("#least").fill("5")
    many = study.budgets.filter("k = 3 AND gain >= 5").count("*").fetchall()[0][0]
    assert 0 < many < 24
    expect(page.locator(".filters output")).to_have_text(f"{many} of 24 episodes")
    page.locator("#search").fill("nobody")
    expect(page.locator(".filters output")).to_have_text("0 of 24 episodes")


def test_a_row_leads_to_its_episode_and_back(visit, report):
    page = visit(report)
    row = page.locator(".rows tbody tr[aria-rowindex='3']")
    id = row.locator("a").inner_text()
    row.locator("td").nth(3).click()
    expect(page.locator("h1")).to_have_text(f"Episode {id}")
    assert page.evaluate("document.activeElement.id") == "main"
    page.get_by_role("link", name="← All episodes").click()
    expect(page.locator("h1")).to_have_text("A simulated trial")
    page.go_back()
    expect(page.locator("h1")).to_have_text(f"Episode {id}")


def test_keys_alone_reach_an_episode_and_set_its_budget(visit, report):
    page = visit(report)
    link = page.locator(".rows tbody a").first
    link.focus()
    id = link.inner_text()
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text(f"Episode {id}")
    page.locator("#budget").focus()
    page.keyboard.press("Home")
    expect(page.locator("#budget-value")).to_have_text("0")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#budget-value")).to_have_text("1")
    assert page.evaluate("document.activeElement.id") == "budget"
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).not_to_have_text(f"Episode {id}")


def test_one_episode_tells_what_the_library_tells(visit, report, study):
    page = visit(at(report, "7", 2))
    account = study.account(7, 2)
    assert float(told(page, "expected at best")) == pytest.approx(account.outcome, abs=0.005)
    assert float(told(page, "gain")) == pytest.approx(account.gain, abs=0.005)
    assert told(page, "better") == spaced(account.better)
    first = account.explanations[0]
    row = page.locator(".explanations tbody tr").first
    expect(row.locator("button").first).to_have_text(spaced(first.probability))
    change = first.changes[0]
    expect(row.locator("li").first).to_have_text(
        f"session {change.step + 1} {change.observed} → {change.alternative}"
    )
    assert float(row.locator("td").nth(3).inner_text()) == pytest.approx(
        first.forced_outcome, abs=0.005
    )
    expect(page.locator(".quote")).to_have_text(account.certainty.sentence)
    expect(page.locator(".sure")).to_contain_text("what the data leave open")


def test_the_slider_moves_everything_of_an_episode(visit, report):
    page = visit(at(report, "7", 0))
    seen = {}
    for k in (0, 1, cohorts.BUDGET):
        slide(page, k)
        assert page.url.endswith(f"?k={k}")
        parts = (".numbers", "figure", ".explanations", ".quote")
        seen[k] = [page.locator(part).first.inner_html() for part in parts]
    for before, after in ((0, 1), (1, cohorts.BUDGET)):
        changed = [a != b for a, b in zip(seen[before], seen[after], strict=True)]
        assert changed[:3] == [True] * 3
    assert seen[0][3] != seen[1][3]


def test_pointing_at_an_explanation_shows_its_course(visit, report):
    page = visit(at(report, "7", 3))
    green = page.locator(".shown-line")
    expect(green).to_have_count(0)
    rows = page.locator(".explanations tbody tr")
    rows.nth(0).hover()
    expect(page.locator("figure .shown-line")).to_have_count(1)
    page.locator("h1").hover()
    expect(page.locator("figure .shown-line")).to_have_count(0)
    rows.nth(1).locator("button").first.focus()
    expect(page.locator("figure .shown-line")).to_have_count(1)
    expect(rows.nth(1)).to_have_class(re.compile("shown"))
    page.keyboard.press("Enter")
    expect(rows.nth(1).locator("button").first).to_have_attribute("aria-pressed", "true")
    page.locator("h1").hover()
    page.locator("#budget").focus()
    expect(page.locator("figure .shown-line")).to_have_count(1)
    instead = page.locator("figure .chip-shown")
    assert instead.count() == rows.nth(1).locator("li").count()


def test_the_course_marks_what_was_done_how_often_it_changes_and_to_what(visit, report, study):
    account = study.account(7, 3)
    chart = visit(at(report, "7", 3)).locator("figure svg").first
    expect(chart.locator(".chip-done")).to_have_count(len(account.observed.actions))
    titles = chart.locator("rect.fill > title").all_text_contents()
    bars = [title for title in titles if title.startswith("changed in")]
    assert bars == [f"changed in {spaced(chance)}" for chance in account.changed if chance]
    expect(chart.locator(".chip-instead")).to_have_count(sum(c >= 0.01 for c in account.changed))
    cells = [title for title in titles if not title.startswith("changed in")]
    likely = sum(chance >= 0.00005 for row in account.state_chances for chance in row)
    assert len(cells) == likely
    assert "object" not in chart.text_content()


def test_the_course_is_a_table_too(visit, report, study):
    page = visit(at(report, "7", 2))
    page.get_by_text("The same as a table").click()
    rows = page.get_by_role("region", name="The course as a table").locator("tbody tr")
    expect(rows).to_have_count(study.episode(7).horizon)
    expect(rows.first.locator("td").nth(2)).to_have_text("STR")


def test_addresses_that_lead_nowhere_say_so(visit, report):
    page = visit(at(report, "nobody", 2))
    expect(page.get_by_role("alert")).to_contain_text("no episode called nobody")
    page.get_by_role("link", name="All episodes").click()
    expect(page.locator("h1")).to_have_text("A simulated trial")
    page.goto(f"{report}#/?k=99")
    expect(page.locator("#budget-value")).to_have_text(str(cohorts.BUDGET))


def test_what_the_words_mean_is_one_key_away(visit, report):
    page = visit(report)
    button = page.get_by_role("button", name="What the words mean")
    button.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="What the words mean")
    expect(dialog).to_be_visible()
    expect(dialog).to_contain_text("Unmeasured confounding")
    page.keyboard.press("Escape")
    expect(dialog).not_to_be_visible()
    assert page.evaluate("document.activeElement.id") == "open-words"


def test_light_and_dark_by_hand_and_by_wish(visit, report):
    paper = "getComputedStyle(document.body).backgroundColor"
    page, night = visit(report), visit(report, scheme="dark")
    light, dark = page.evaluate(paper), night.evaluate(paper)
    assert light != dark
    theme = page.locator("#theme")
    theme.click()
    theme.click()
    expect(theme).to_have_text("Theme: dark")
    assert page.evaluate(paper) == dark


def test_a_file_with_some_episodes_only(visit, study, folder):
    path = write_report(study, folder / "few.html", cohorts.PLAIN, episodes=2)
    page = visit(path.as_uri())
    expect(page.locator(".rows tbody a")).to_have_count(2)
    absent = page.locator(".rows tbody span[title]").first.inner_text()
    page.goto(at(path.as_uri(), absent, 1))
    expect(page.get_by_role("alert")).to_contain_text("some episodes only")


def test_hostile_labels_stay_text(visit, hostile):
    page = visit(hostile)
    expect(page.locator("h1")).to_have_text("</script><script>window.hurt=1</script>")
    page.locator(".rows tbody tr[aria-rowindex='2'] a").click()
    expect(page.locator("h1")).to_contain_text("<img src=x onerror=window.hurt=1> 患者")
    expect(page.locator(".numbers")).to_contain_text("cost of <i>care</i>")
    expect(page.locator(".explanations li").first).to_contain_text("\"'&")
    page.get_by_text("The same as a table").click()
    expect(page.locator("details td", has_text="<script>").first).to_be_visible()
    assert page.evaluate("window.hurt") is None
    assert page.locator("main img, main script, main i").count() == 0


def test_costs_gain_where_they_fall(visit, hostile):
    page = visit(hostile)
    slide(page, 2)
    expect(page.locator(".lead")).to_contain_text("Less cost of <i>care</i> is better.")
    assert told(page, "mean gain").startswith("+")


def test_an_episode_without_an_answer_says_why(visit, hostile):
    page = visit(hostile)
    expect(page.locator(".lead")).to_contain_text("1 without an answer")
    page.get_by_role("link", name="too short").click()
    expect(page.locator(".problem")).to_contain_text("pinned step 3 is outside the episode")


def test_thousands_of_rows_draw_only_those_in_sight(visit, folder):
    study = cohorts.many_episodes(folder / "many")
    page = visit(write_report(study, folder / "many.html", episodes=3).as_uri())
    expect(page.locator(".filters output")).to_have_text("5,000 episodes")
    assert page.locator(".rows tbody tr").count() < 60
    page.locator(".rows").evaluate("rows => rows.scrollTo(0, rows.scrollHeight)")
    expect(page.locator(".rows tbody tr[aria-rowindex='5001']")).to_be_visible()
    assert page.locator(".rows tbody tr").count() < 60


def test_it_prints_with_every_row(visit, report):
    page = visit(report)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(page.locator(".rows tbody tr[aria-rowindex]")).to_have_count(cohorts.PATIENTS)
    page.emulate_media(media="print")
    expect(page.locator("#theme")).not_to_be_visible()
    assert page.pdf().startswith(b"%PDF")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_everybody_can_read_it(visit, accessible, report, hostile, width, scheme):
    hostile_id = "<img src=x onerror=window.hurt=1> 患者 b"
    for address in (report, at(report, "7", 3), hostile, at(hostile, hostile_id, 2)):
        page = visit(address, width, scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        accessible(page)
        page.locator("#open-words").click()
        accessible(page)


def test_keys_alone_walk_through_thousands_of_rows(visit, folder):
    path = write_report(cohorts.many_episodes(folder / "walk", 300), folder / "walk.html")
    page = visit(path.as_uri())
    page.locator(".rows tbody a").first.focus()
    for row in range(3, 63):
        page.keyboard.press("Tab")
        page.wait_for_function(
            "row => document.activeElement.closest('tr')?.ariaRowIndex === row", arg=str(row)
        )
    page.evaluate("new Promise(requestAnimationFrame)")
    assert page.evaluate("document.activeElement.closest('tr')?.ariaRowIndex") == "62"
    page.locator(".rows").evaluate("rows => rows.scrollTo(0, 0)")
    expect(page.locator(".rows")).to_be_focused()


def test_skipping_to_the_content_keeps_the_address(visit, report):
    page = visit(at(report, "7", 2))
    page.locator(".skip").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.wait_for_timeout(100)
    assert page.url.endswith("#/episode/7?k=2")
    expect(page.locator("h1")).to_have_text("Episode 7")


def test_ids_find_room_on_a_phone(visit, report):
    page = visit(report, 390)
    cells = page.locator(".rows tbody td.col-id")
    room = cells.evaluate_all("cells => cells.map(cell => cell.clientWidth - cell.scrollWidth)")
    assert len(room) > 10
    assert min(room) >= 0
    assert cells.first.evaluate("cell => cell.clientWidth") > 60


def test_bars_of_gains_begin_side_by_side(visit, report):
    bars = visit(report).locator(".rows .gain-bar")
    starts = bars.evaluate_all("bars => bars.map(bar => bar.getBoundingClientRect().left)")
    assert len(starts) > 10
    assert max(starts) - min(starts) < 1


def test_bars_stay_beside_long_labels_on_a_phone(visit, hostile):
    bars = visit(f"{hostile}#/?k=2", 390).locator(".bars svg")
    widths = bars.evaluate_all("bars => bars.map(bar => bar.getBoundingClientRect().width)")
    assert widths
    assert min(widths) > 30


def test_labels_stay_inside_their_chips(visit, folder):
    names = ["wait", "薬物療法を続けています", "stop"]
    rows = np.full((3, 3, 3), 1 / 3)
    mdp = ut.MDP(rows, [0, 1, 2], states=["重症患者の状態が続く", "b", "c"], actions=names)
    course = ut.Episode(
        [mdp.states[s % 3] for s in range(13)], [names[t % 3] for t in range(12)], "A"
    )
    study = ut.explain_all([course], mdp, 2, progress=False)
    path = write_report(study, folder / "chips.html")
    for width in (390, 1280):
        page = visit(at(path.as_uri(), "A", 2), width)
        over = page.locator("figure .chip-done").evaluate_all(
            """boxes => boxes.map(box => {
                const [a, b] = [box, box.nextElementSibling].map(e => e.getBoundingClientRect());
                return Math.max(b.width - a.width, b.height - a.height);
            })"""
        )
        assert len(over) == 12
        assert max(over) <= 0


def test_ids_can_be_left_out(visit, folder, study):
    path = write_report(study, folder / "redacted.html", redact=True)
    page = visit(path.as_uri())
    ids = page.locator(".rows tbody a").all_inner_texts()
    assert all(re.fullmatch(r"episode \d+", id) for id in ids)


def test_one_patient_alone(visit, folder):
    mdp = ut.MDP([[[0.5, 0.5]] * 2] * 2, [0, 1], states=["ill", "well"], actions=["wait", "treat"])
    study = ut.explain_all(
        [ut.Episode(["ill"], ["wait"], id="A")], mdp, 0, depth=ut.Depth.FRONTIER, progress=False
    )
    page = visit(write_report(study, folder / "one.html").as_uri())
    expect(page.locator("#budget")).to_be_disabled()
    page.get_by_role("link", name="A", exact=True).click()
    expect(page.locator("h1")).to_have_text("A")

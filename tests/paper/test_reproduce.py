"""A quick run of everything: numbers within their bands, files that hold what figures show."""

from __future__ import annotations

import csv
import io
import re
from contextlib import suppress
from dataclasses import replace
from html import unescape
from itertools import product

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

from matplotlib.patches import Rectangle

import untaken as ut
from untaken.paper import EXPERIMENTS, Settings, Table, Verdict, causal_graph, reproduce
from untaken.paper.__main__ import main
from untaken.paper.page import page
from untaken.paper.processes import published
from untaken.paper.published_values import GAIN_ERROR, OUTCOME_ERROR
from untaken.paper.reproduce import Run
from untaken.paper.sampling import CHANGES, Trial, _error, _seed, _trial
from untaken.paper.sections import Section, table
from untaken.paper.settings import each
from untaken.paper.style import journal


def panels(run):
    return {panel.name: panel for section in run.sections for panel in section.panels}


def section(run, name):
    return next(section for section in run.sections if section.name == name)


def numbers(data: Table, *columns: str) -> np.ndarray:
    return np.array([data.column(name) for name in columns], dtype=np.float64)


def test_every_experiment_is_there_in_the_papers_order(run):
    assert [section.name for section in run.sections] == list(EXPERIMENTS)


def test_every_figure_has_its_picture_and_its_data(run, folder):
    for name, panel in panels(run).items():
        assert (folder / f"{name}.svg").stat().st_size > 2000
        with open(folder / f"{name}.csv", encoding="utf-8", newline="") as file:
            header, *rows = list(csv.reader(file))
        assert tuple(header) == panel.data.columns
        told = [["" if cell is None else str(cell) for cell in row] for row in panel.data.rows]
        assert rows == told


@pytest.mark.parametrize("name", ["synthetic_outcomes", "therapy_outcomes", "sepsis_outcomes"])
def test_frontiers_rise_and_lie_within_their_bands(run, name):
    data = panels(run)[name].data
    where = [i for i, c in enumerate(data.columns) if c in ("processes", "alpha", "mode", "who")]
    lines: dict[tuple, list] = {}
    for row, (k, mean, low, high) in zip(
        data.rows, numbers(data, "k", "mean", "lower95", "upper95").T, strict=True
    ):
        lines.setdefault(tuple(row[place] for place in where), []).append((k, mean, low, high))
    for line in lines.values():
        k, mean, low, high = np.array(line).T
        np.testing.assert_array_equal(k, np.arange(11))
        assert np.all(np.diff(mean) >= -1e-9)
        assert np.all((low <= mean + 1e-12) & (mean <= high + 1e-12))


def test_gains_on_the_published_processes_are_those_of_the_paper(run):
    findings = section(run, "synthetic").findings
    gains = [f for f in findings if "relative gain" in f.what and "published noise" in f.how]
    assert len(gains) == 6
    for finding in gains:
        assert abs(finding.difference) < 0.5, finding  # the noise is measured on one course only
    fresh = [f for f in findings if "relative gain" in f.what and "fresh" in f.how]
    assert all(finding.verdict is Verdict.AGREES for finding in fresh)
    assert all(0.3 < finding.allowance < 2 for finding in fresh)


def test_outcomes_of_the_published_processes_agree(run):
    findings = section(run, "synthetic").findings
    same = [f for f in findings if "mean outcome" in f.what and "published" in f.how]
    assert {finding.verdict for finding in same} == {Verdict.AGREES}


def test_the_histogram_shows_what_is_saved(run):
    panel = panels(run)["synthetic_gain_histograms"]
    with journal():
        figure = panel.draw(panel.data)
    data = panel.data
    for ax, k in zip(figure.axes, (2, 5, 10), strict=True):
        shown = [r for r in data.rows if r[0] == "published" and r[3] == k]
        bars = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
        assert sum(bar.get_height() for bar in bars) == len(shown)
        assert len(shown) == 500


def test_lines_are_drawn_where_the_file_says(run):
    panel = panels(run)["baselines"]
    with journal():
        ax = panel.draw(panel.data).axes[0]
    drawn = {line.get_label(): line.get_ydata() for line in ax.lines}
    for policy in ("optimal", "greedy", "noisy greedy", "random"):
        saved = [row[2] for row in panel.data.rows if row[0] == policy]
        np.testing.assert_allclose(drawn[policy], saved)


def test_the_optimum_lies_above_all_baselines(run):
    for name, key in (("baselines", "policy"), ("sepsis_baselines", "who")):
        data = panels(run)[name].data
        means: dict[str, list[float]] = {}
        for who, mean in zip(data.column(key), data.column("mean"), strict=True):
            means.setdefault(who, []).append(mean)
        for who, line in means.items():
            assert np.all(np.array(means["optimal"]) >= np.array(line) - 1e-9), who
            assert line[0] == pytest.approx(means["optimal"][0])


def test_simulated_patients_are_never_judged_and_always_named(run):
    for name in ("therapy", "patients", "baselines"):
        part = section(run, name)
        assert "SIMULATED" in part.title
        assert {finding.verdict for finding in part.findings} == {Verdict.NOT_JUDGED}
        assert all(claim.simulated for claim in part.claims)
        assert all("simulated" in finding.how for finding in part.findings)
        for panel in part.panels:
            assert "SIMULATED" in panel.caption
            with journal():
                assert "SIMULATED" in panel.draw(panel.data).get_suptitle()


def test_counts_of_explanations_are_brackets_within_their_draws(run):
    low, high, drawn = numbers(
        panels(run)["synthetic_explanations"].data,
        "expected_at_least", "expected_at_most", "drawn_with_published_seeds",
    )  # fmt: skip
    assert np.all((low >= 0) & (low <= high + 1e-12) & (high <= 100))
    assert np.all(high - low <= 0.05 * np.maximum(1, low) + 1e-9)
    assert np.all((drawn >= 0) & (drawn <= 100))


def test_sampling_is_optimistic_and_attains_no_more_than_the_optimum(run):
    draws, bias, error, shortfall, spread = numbers(
        panels(run)["sampling_errors"].data,
        "draws", "bias", "bias_error95", "shortfall", "spread",
    )  # fmt: skip
    assert bias[0] > error[0] > 0
    assert np.all(np.diff(bias) < 0)
    assert np.all(bias >= 0)
    assert np.all(shortfall <= 1e-9)
    ratio = spread[0] / spread[1]
    assert 0.4 < ratio / np.sqrt(draws[1] / draws[0]) < 2.5


def test_the_reference_of_the_bias_has_the_exact_optimum_as_its_mean():
    """So that the bias is that of the optimum, told with less luck."""
    process = published(0.4, 0)
    exact = ut.explain(process.courses[1], process.mdp, CHANGES)
    tried = [
        _trial(exact, ut.GumbelMaxSampled(20, seed), Trial(1, 20, 0, 0, 0, 0, 0, False))
        for seed in range(300)
    ]
    claimed, reference = (
        np.array([getattr(trial, name) - trial.exact for trial in tried])
        for name in ("claimed", "reference")
    )
    assert abs(reference.mean()) < 4 * reference.std(ddof=1) / np.sqrt(300)
    assert np.all(claimed >= reference - 1e-9)
    bias = _error(20, tried).bias
    assert bias == pytest.approx(claimed.mean() - reference.mean())
    assert abs(bias - claimed.mean()) < 4 * reference.std(ddof=1) / np.sqrt(300)
    assert (claimed - reference).std() < claimed.std()


def test_no_two_sampled_answers_share_a_seed():
    seeds = {_seed(*answer) for answer in product(range(3), (10, 30, 10_000), range(60))}
    assert len(seeds) == 3 * 3 * 60


def test_the_page_holds_everything_and_fetches_nothing(run):
    text = run.page.read_text(encoding="utf-8")
    assert not re.search(r'(src|href)="(?!data:|#)', text)
    assert "@import" not in text
    assert "url(" not in text
    assert "<script" not in text
    assert text.count("<img ") == len(panels(run))
    for part in run.sections:
        assert f'id="{part.name}"' in text
        for finding in part.findings:
            assert finding.what in unescape(text)
        for claim in part.claims:
            assert claim.said in unescape(text)
    judged = [f.verdict for part in run.sections for f in part.findings]
    agree, differ = (judged.count(v) for v in (Verdict.AGREES, Verdict.DIFFERS))
    assert f"{agree} agree and {differ} differ" in text
    assert "A quick run" in text


def test_the_page_escapes_what_it_is_given():
    part = Section("x", "<script>", ("a & b",), ())
    text = page((Run(part, (), 0.0, 0.0),), Settings())
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert "a &amp; b" in text


def test_every_figure_says_what_is_paid_and_who_wins_ties(run):
    text = unescape(run.page.read_text(encoding="utf-8"))
    for name, panel in panels(run).items():
        if name == "causal_graph":
            assert not panel.rules
        else:
            assert re.search(r"\bpays\b|severity|survives", panel.rules), name
            assert "ties to the observed action" in panel.rules, name
            assert panel.rules in text
    for name in ("therapy_gains", "therapy_outcomes", "therapy_explanations"):
        assert "as in the published code: ties to the first action" in panels(run)[name].rules


def test_published_numbers_stand_below_the_figure_they_were_read_off(run):
    text = unescape(run.page.read_text(encoding="utf-8"))
    figures = text.split("<figure>")[1:]
    for panel, part in zip(panels(run).values(), figures, strict=True):
        told = part.split("</figure>")[1].split("</section>")[0]
        rows = re.findall(r"<tr><td>(.*?)</td>.*?<td class=.n.>(.*?)</td>", told)
        assert rows == [(f.what, f.told[0]) for f in panel.findings]


def test_every_published_number_is_there(run):
    """Those of section 4 for the alphas of a quick run; those of section 5 for every mode."""

    def told(name: str) -> list[float]:
        return [finding.published for finding in panels(run)[name].findings]

    assert set(told("synthetic_outcomes")) == {268, 223}
    assert set(told("synthetic_gains")) == {3.5, 6.9, 9.5, 4.9, 8.4, 11.1}
    assert set(told("synthetic_explanations")) == {1, 24, 70, 86, 97}
    assert told("therapy_gains") == [20] * 3
    assert told("therapy_outcomes") == [59.6] * 3 + [61.9] * 3
    assert told("therapy_explanations") == [1] * 3 + [3] * 3 + [38] * 3
    assert set(told("baselines")) == {68.2, 67.3, 63.8, 56.2}
    patient = told("published_patient")
    assert patient[:3] == [9.5] * 3
    by_share = [51.3, 40.5, 30.7, 39.0, 12.4, 48.6, 3.0, 52.0, 2.6, 44.2]
    assert patient[3:13] == by_share


def test_what_is_not_judged_says_why(run):
    for part in run.sections:
        for finding in part.findings:
            if finding.verdict is Verdict.NOT_JUDGED:
                assert re.search("simulated|seeds|noise|every eighth", finding.how)


def test_what_differs_says_why(run):
    for part in run.sections:
        for finding in part.findings:
            far = replace(finding, ours=finding.published + 99, allowance=1.0)
            assert re.search(r"\. Likely why: .{20}", far.judged), finding.what
            assert "why:" not in replace(far, ours=far.published).judged


def test_claims_about_patients_are_not_judged_by_simulated_ones(run):
    text = unescape(run.page.read_text(encoding="utf-8"))
    rows = text.split('<section id="claims">')[1].split("<tr>")[2:]
    claims = [claim for part in run.sections for claim in part.claims]
    assert 'href="#claims"' in text
    for claim, row in zip(claims, rows, strict=True):
        assert ("for simulated patients</td>" in row) is claim.simulated, claim.said
        assert ("Simulated patients: " in row) is claim.simulated
        assert ('class="not-judged"' in row) is claim.simulated
    patients = [claim.holds for claim in claims if claim.simulated]
    assert f"{sum(patients)} of {len(patients)} hold for simulated patients" in text


@pytest.mark.parametrize(
    "name",
    ["synthetic_gain_histograms", "synthetic_gains", "synthetic_explanations", "therapy_gains",
     "baselines", "sepsis_outcomes", "sampling_errors", "sampling_times", "causal_graph"],
)  # fmt: skip
def test_a_figure_can_be_drawn_again_from_its_file(run, folder, name):
    panel = panels(run)[name]
    with open(folder / f"{name}.csv", encoding="utf-8", newline="") as file:
        header, *rows = list(csv.reader(file))
    saved = table(header, [[cell_of(text) for text in row] for row in rows])
    with journal():
        drawn, again = panel.draw(panel.data), panel.draw(saved)
    for ax, same in zip(drawn.axes, again.axes, strict=True):
        for one, other in zip(ax.lines, same.lines, strict=True):
            np.testing.assert_array_equal(one.get_xydata(), other.get_xydata())
        boxes, others = ([p.get_path().vertices for p in a.patches] for a in (ax, same))
        for one, other in zip(boxes, others, strict=True):
            np.testing.assert_array_equal(one, other)


def cell_of(text):
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return {"": None, "True": True, "False": False}.get(text, text)


def test_the_page_says_which_rules_the_published_curves_follow(run):
    told = " ".join(section(run, "synthetic").text)
    assert "Which rules the published counts follow" in told
    assert "the published curve lies closer to the " in told
    assert "cannot be told from simulated patients" in " ".join(section(run, "therapy").text)
    assert "both rules choose alike" in " ".join(section(run, "baselines").text)


def test_the_page_says_how_far_a_fresh_draw_may_lie_from_the_published(run):
    results = section(run, "synthetic")
    said = re.search(
        r"within (\S+) in the mean outcome and (\S+) points in the mean gain at k = 10 \(alpha = "
        r"0.1; (\S+) points if",
        " ".join(results.text),
    )
    outcome, gain, alone = map(float, said.groups())
    assert alone < gain  # the luck that the published episodes share
    allowed = {
        finding.what: finding.allowance for finding in results.findings if "fresh" in finding.how
    }
    assert allowed["mean outcome, k = 0, alpha = 0.1"] == pytest.approx(
        OUTCOME_ERROR + outcome, abs=0.051
    )
    assert allowed["mean relative gain, k = 10, alpha = 0.1"] == pytest.approx(
        GAIN_ERROR + gain, abs=0.0051
    )


def test_the_hours_of_the_authors_procedure_are_worked_out(run):
    told = " ".join(section(run, "sampling").text)
    assert "10 processes x 50 episodes x 9 levels of uncertainty = 4,500 sweeps" in told
    assert pytest.approx(13.75) == 10 * 50 * 9 * 11 / 3600
    assert "that is 13.8 hours" in told
    route, seconds, measured = panels(run)["sampling_times"].data.rows[0]
    assert (route, measured) == ("exact", True)
    assert f"At {1000 * seconds:.2f} ms, measured in this run" in told


def test_a_single_figure_can_be_asked_for(tmp_path, capsys):
    assert main(["graph", "-o", str(tmp_path)]) == 0
    for form in ("csv", "svg", "pdf", "png"):
        assert (tmp_path / f"causal_graph.{form}").exists()
    assert not (tmp_path / "synthetic_gains.csv").exists()
    assert capsys.readouterr().out.strip() == str(tmp_path / "index.html")


def test_an_unknown_figure_is_refused(tmp_path):
    with pytest.raises(ut.errors.InvalidQuestion, match="no experiment 'x'; there are graph, "):
        reproduce(["x"], tmp_path)
    with pytest.raises(ut.errors.InvalidQuestion, match="no experiment 'nothing'"):
        reproduce("nothing", tmp_path)
    with pytest.raises(ut.errors.InvalidQuestion, match="threads must be 1 or more; 0 came"):
        Settings(threads=0)
    with pytest.raises(SystemExit):
        main(["x", "-o", str(tmp_path)])


def test_the_file_of_a_trial_is_read_and_judged(run, tmp_path):
    """The file is a simulated one; written to disk, it is taken for the trial it could be."""
    path = tmp_path / "trial.csv"
    ut.datasets.cbt_trial().write(path)
    names = ["therapy", "patients", "baselines"]
    done = reproduce(names, tmp_path / "out", Settings(quick=True, trial=path))
    assert "simulated" not in done.page.read_text(encoding="utf-8").lower()
    for part in done.sections:
        for finding in part.findings:
            partly = "unique" in finding.what and "every eighth patient" in finding.how
            assert (finding.verdict is Verdict.NOT_JUDGED) is partly, finding
        assert not any(claim.simulated for claim in part.claims)
        assert all("the real trial" in finding.how for finding in part.findings)
    told = " ".join(text for part in done.sections for text in part.text)
    assert "the published curves follow: mean distance" in told
    for name in ("therapy", "baselines"):  # the same patients, hence the same numbers
        ours, again = ([f.ours for f in section(r, name).findings] for r in (run, done))
        assert ours == again


def test_an_extra_that_is_missing_leaves_the_rest_of_the_page_standing(tmp_path, monkeypatch):
    def lacking(_: Settings) -> Section:
        raise ut.errors.MissingExtra("pip install 'untaken[icu]'")

    monkeypatch.setattr(causal_graph, "section", lacking)
    for name in list(EXPERIMENTS)[1:]:
        monkeypatch.delitem(EXPERIMENTS, name)
    done = reproduce(out=tmp_path)
    assert done.sections[0].panels == ()
    assert "Left out: pip install" in unescape(done.page.read_text(encoding="utf-8"))
    with pytest.raises(ut.errors.MissingExtra):
        reproduce(["graph"], tmp_path)


def test_what_takes_time_shows_on_a_terminal_how_far_it_is(monkeypatch):
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return watched

    for watched in (True, False):
        screen = Screen()
        monkeypatch.setattr("sys.stderr", screen)
        assert each(abs, [-1, -2, -3], 2, "courses") == [1, 2, 3]
        assert ("courses" in screen.getvalue()) is watched


def test_tables_hold_plain_numbers():
    data = table(("a", "b"), [(np.float64(0.5), np.int64(2))])
    assert [type(cell) for cell in data.rows[0]] == [float, int]

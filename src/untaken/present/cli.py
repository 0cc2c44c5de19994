"""The command line: thin, it reads options, asks the library and prints what it answers."""

from __future__ import annotations

import io
import sys
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import click

from untaken._version import __version__
from untaken.analysis import Account, explain
from untaken.errors import CannotWrite, MissingExtra, StudyInterrupted, UntakenError
from untaken.model import MDP
from untaken.present.cohort_text import cohort_summary
from untaken.present.doubts import keep_doubts
from untaken.present.frames import explanations_columns, records_columns
from untaken.present.inputs import keep_words
from untaken.present.options import Given, changes_option, log_options, word_options
from untaken.present.page.commands import explore, report
from untaken.present.tables import to_csv, to_json, to_markdown
from untaken.present.text import summary
from untaken.present.words import Words
from untaken.study import Depth, Study, explain_all

WRITERS = {"json": to_json, "csv": to_csv, "markdown": to_markdown}


def main() -> None:
    """Run the command line. Bad input ends with status 2 and one message, never a traceback,
    unless `--debug` asks for it."""
    debug = "--debug" in sys.argv
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Labels that a terminal or a pipe has no letters for are spelt out instead of refused.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        untaken(prog_name="untaken", standalone_mode=False)
    except click.exceptions.Abort as stopped:
        told = stopped.__cause__
        click.echo(str(told) if isinstance(told, StudyInterrupted) else "stopped", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (UntakenError, OSError) as error:
        if debug:
            raise
        click.echo(f"Error: {error}", err=True)
        sys.exit(2)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="untaken")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def untaken(debug: bool) -> None:
    """Which few actions, had they been different, would have led to a better outcome?

    \b
    untaken demo
    untaken explain sessions.csv --episode patient --step session \\
        --state severity --action theme --id 17 -k 3

    Shell completion: eval "$(_UNTAKEN_COMPLETE=bash_source untaken)", or zsh_source; in fish:
    _UNTAKEN_COMPLETE=fish_source untaken | source
    """


@untaken.command()
def demo() -> None:
    """Explain a patient of a simulated trial.

    \b
    untaken demo
    """
    from untaken.present.demo import main as run

    run()


@untaken.command("explain", short_help="Explain one episode of a log.")
@log_options
@click.option("--id", "id", required=True, help="The episode to explain.")
@changes_option(3)
@click.option(
    "--format",
    "form",
    default="text",
    show_default=True,
    type=click.Choice(["text", "json", "csv", "markdown"]),
)
@click.option(
    "--plot",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Draw the page of figures into a file: .png, .pdf, .svg.",
)
@word_options
def explain_command(
    source: str, id: str, k: int, form: str, plot: str | None, **options: Any
) -> None:
    """Explain one episode of a log: which few changes would have helped.

    SOURCE is a file (CSV, Parquet or JSON, a row for each step of each episode), a glob of such
    files, or SQL.

    \b
    untaken explain sessions.csv --episode patient --step session \\
        --state severity --action theme --id 17 -k 3
    untaken explain "select * from 'log.parquet' where ward = 3" --config columns.toml \\
        --id 17 --format json
    """
    given = Given(source, options)
    episode = given.episodes[given.position_of(id)]
    cf = explain(
        episode,
        given.mdp,
        k,
        pinned=given.fixed.pinned_in(episode),
        excluded=given.fixed.excluded,
    )
    words = given.words
    fit = None if isinstance(given.estimate, MDP) else given.estimate
    account = cf.account(robustness=cf.robustness(fit))
    if plot:
        _draw(account, words, plot)
    columns = explanations_columns(account, words)
    if form == "text":
        click.echo(summary(account, words))
    elif form == "json":
        click.echo(account.to_json())
    else:
        click.echo(WRITERS[form](columns), nl=False)


def _draw(account: Account, words: Words, path: str) -> None:
    """Draw the page of figures into a file of the kind that its name ends in."""
    from untaken.present.plots import page

    figure = page(account, words)
    known = figure.canvas.get_supported_filetypes()
    kind = Path(path).suffix.lower().removeprefix(".")
    if kind not in known:
        raise click.BadParameter(
            f"expected a name that ends in one of {', '.join(sorted(known))}; {path} came",
            param_hint="--plot",
        )
    with warnings.catch_warnings(record=True) as told:
        warnings.filterwarnings("always", "Glyph .* missing from")
        try:
            figure.savefig(path)
        except OSError as error:
            raise CannotWrite(f"{path} cannot be written: {error.strerror}") from None
    if told:
        click.echo(
            "The figure's font lacks some letters of the labels: boxes stand there.", err=True
        )
    click.echo(f"drawn: {path}", err=True)


def _threads(_context: click.Context, _parameter: click.Parameter, jobs: int) -> int:
    if jobs == 0:
        raise click.BadParameter("expected a number of threads, or -1 for one a core; 0 came")
    return jobs


@untaken.command()
@log_options
@click.option(
    "--out", required=True, metavar="DIR", type=click.Path(), help="Where the study is kept."
)
@changes_option(10)
@click.option("--keep", multiple=True, metavar="COLUMN", help="Column to keep, for grouping.")
@click.option("--by", metavar="COLUMN", help="Group the summary by a column, which is kept too.")
@click.option(
    "--jobs", default=1, show_default=True, callback=_threads, help="Threads; -1 for one a core."
)
@click.option("--dask", metavar="ADDRESS", help="Scheduler of a Dask cluster that sees DIR.")
@click.option(
    "--detail",
    is_flag=True,
    help="Keep all there is to tell, for every number of changes: more on disk, faster pages.",
)
@click.option(
    "--robust",
    is_flag=True,
    help="Ask how sure each gain is: whether it also holds under other causal models.",
)
@click.option(
    "--draws",
    default=0,
    show_default=True,
    type=click.IntRange(min=0),
    help="With --robust, ask under so many processes too that fit the data as well.",
)
@click.option(
    "--leave-out", is_flag=True, help="Explain each episode by a process estimated without it."
)
@click.option("--quiet", is_flag=True, help="No progress.")
@click.option(
    "--format",
    "form",
    default="text",
    show_default=True,
    type=click.Choice(["text", "json", "csv", "markdown"]),
)
@word_options
def study(source: str, **options: Any) -> None:
    """Explain every episode of a log, and keep the answers in a folder.

    SOURCE is a file (CSV, Parquet or JSON, a row for each step of each episode), a glob of such
    files, or SQL. The same command goes on where it was stopped.

    \b
    untaken study sessions.csv --config columns.toml -k 10 --out study/
    untaken study "logs/*.parquet" --config columns.toml --by ward --out study/
    """
    if options["draws"] and not options["robust"]:
        raise click.UsageError("--draws belongs to --robust: give that too.")
    if options["by"] and options["by"] not in options["keep"]:
        options["keep"] = (*options["keep"], options["by"])
    given = Given(source, options)
    words = given.words
    found = _studied(given, options)
    keep_words(words, options["out"])
    keep_doubts(given.doubts, options["out"])
    summary = found.summary(by=options["by"])
    if options["form"] == "text":
        click.echo(cohort_summary(summary, words))
    else:
        click.echo(WRITERS[options["form"]](records_columns(summary.frontier)), nl=False)
    out = options["out"]
    click.echo(f"kept: {out}\nnext: untaken report {out}, or untaken explore {out}", err=True)


def _studied(given: Given, options: dict[str, Any]) -> Study:
    """The study, in this process or on a cluster."""
    if told := given.fixed.told():
        click.echo(told, err=True)
    ask = partial(
        explain_all,
        given.episodes,
        given.estimate,
        options["k"],
        out=options["out"],
        depth=Depth(robust=options["robust"], posterior=options["draws"]),
        detail=options["detail"],
        leave_out=options["leave_out"],
        pinned=given.fixed.pinned,
        excluded=given.fixed.excluded,
        progress=False if options["quiet"] else None,
    )
    if options["dask"] is None:
        return ask(n_jobs=options["jobs"])
    try:
        from distributed import Client
    except ImportError:
        raise MissingExtra("--dask needs: pip install 'untaken[dask]'") from None
    import joblib

    cluster: Any = Client
    with cluster(options["dask"]), joblib.parallel_config("dask"):
        return ask()


untaken.add_command(report)
untaken.add_command(explore)


@untaken.command(short_help="Every figure and number of the paper, on one page.")
@click.argument("figures", nargs=-1)
@click.option(
    "-o", "--out", default="paper", show_default=True, metavar="DIR", help="Where to write."
)
@click.option("--quick", is_flag=True, help="Fewer draws: a check, not a result.")
@click.option("--trial", metavar="PATH", help="The file of the real therapy trial.")
@click.option("--threads", default=2, show_default=True, type=click.IntRange(min=1))
def paper(figures: tuple[str, ...], out: str, quick: bool, trial: str | None, threads: int) -> None:
    """Every figure and number of the paper, computed exactly, on one page.

    FIGURES: graph, synthetic, therapy, patients, baselines, sepsis, sampling, or 1 to 8 for the
    experiment that draws that figure of the paper; all without any.

    \b
    untaken paper -o paper/
    untaken paper synthetic --quick -o paper/
    """
    from untaken.paper.reproduce import on_screen, reproduce
    from untaken.paper.settings import Settings

    settings = Settings(quick=quick, trial=trial, threads=threads)
    click.echo(reproduce(figures, out, settings, on_screen).page)

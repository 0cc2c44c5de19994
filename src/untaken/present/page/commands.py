"""The commands that turn a study into a page."""

from __future__ import annotations

from typing import Any

import click

from untaken.present.inputs import kept_words
from untaken.present.options import word_options, worded
from untaken.present.page.contents import Contents
from untaken.present.page.explorer import LOOPBACK, is_loopback, serve
from untaken.present.page.report import EPISODES, write_report
from untaken.study import open_study


def _page_options(command: Any) -> Any:
    title = click.option("--title", default="", help="What the study is called on the page.")
    redact = click.option("--redact", is_flag=True, help="Running numbers in place of episode ids.")
    return title(redact(word_options(command)))


@click.command(short_help="Write a study as one file, to open in a browser.")
@click.argument("study", metavar="STUDY", type=click.Path())
@click.option(
    "-o",
    "--out",
    default="report.html",
    show_default=True,
    metavar="FILE.html",
    type=click.Path(dir_okay=False),
)
@click.option(
    "--episodes",
    default=EPISODES,
    show_default=True,
    type=click.IntRange(min=0),
    help="Of how many episodes, those that gain most, the file holds everything.",
)
@_page_options
def report(study: str, out: str, episodes: int, title: str, redact: bool, **options: Any) -> None:
    """Write a study as one file: it opens from disk, and asks nobody for anything.

    STUDY is a folder that `untaken study` made.

    \b
    untaken report study/ -o report.html
    untaken report study/ -o report.html --title "Ward 3" --redact
    """
    words = worded(options, kept_words(study))
    path = write_report(
        open_study(study), out, words, title=title, episodes=episodes, redact=redact
    )
    click.echo(f"{path} ({path.stat().st_size / 1e6:.1f} MB)")


@click.command(short_help="Serve a study as a page that answers what-ifs.")
@click.argument("study", metavar="STUDY", type=click.Path())
@click.option("--host", default=LOOPBACK, show_default=True, help="The address to listen at.")
@click.option(
    "--port", default=8765, show_default=True, type=click.IntRange(0, 65535), help="0: any free."
)
@_page_options
def explore(study: str, host: str, port: int, title: str, redact: bool, **options: Any) -> None:
    """Serve a study as a page that answers back: change any action and see what follows.

    STUDY is a folder that `untaken study` made. Only this machine can see it, unless --host says
    otherwise.

    \b
    untaken explore study/
    untaken explore study/ --port 8080 --redact
    """
    found = open_study(study)
    contents = Contents(found, worded(options, kept_words(study)), title, redact)

    def ready(address: str) -> None:
        click.echo(f"{address}  (Ctrl-C ends it)")
        if not is_loopback(host):
            click.echo(
                f"Whoever can reach {host} can read this study: there is no password.", err=True
            )

    serve(contents, host, port, ready)

"""The options of every command that reads a log, and what they amount to."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import click

from untaken.errors import InvalidFile
from untaken.model import MDP, Fit
from untaken.present.doubts import doubts
from untaken.present.estimate import Estimate
from untaken.present.inputs import (
    Fixed,
    Log,
    fixed,
    position_of_id,
    redacted,
    tallied,
)
from untaken.present.words import Words

Command = Callable[..., Any]


def _configured(context: click.Context, _parameter: Any, path: str | None) -> str | None:
    """Options from a TOML file become defaults: what is typed counts more."""
    if path is not None:
        told = _toml(path)
        known = {
            name.lstrip("-"): option for option in context.command.params for name in option.opts
        }
        defaults: dict[str, Any] = {}
        for key, value in told.items():
            option = known.get(key.replace("_", "-"))
            if option is None:
                raise InvalidFile(
                    f"{path} sets {key!r}, which is no option of `untaken {context.command.name}`;"
                    f" the options are {', '.join(sorted(known))}"
                )
            defaults[str(option.name)] = _default(option, value)
        context.default_map = defaults
    return path


def _toml(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise InvalidFile(f"{path} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidFile(f"{path} is not TOML: {error}") from None


def _default(option: click.Parameter, value: Any) -> Any:
    """A value as an option takes it: what may be given several times comes as a list."""
    if isinstance(option, click.Option) and option.multiple:
        return value if isinstance(value, list) else [value]
    return value


def _labels(_context: click.Context, _parameter: click.Parameter, told: Any) -> tuple[str, ...]:
    """Labels parted by commas; a file of options may hold a list of them instead."""
    parts = told.split(",") if isinstance(told, str) else told or ()
    if not isinstance(parts, (list, tuple)):
        raise click.BadParameter(f"expected labels parted by commas, or a list; {told!r} came")
    return tuple(str(part).strip() for part in parts)


_LOG_OPTIONS = (
    click.argument("source", type=click.Path()),
    click.option(
        "--config",
        metavar="FILE.toml",
        type=click.Path(),
        is_eager=True,
        expose_value=False,
        callback=_configured,
        help='Options by name, e.g. episode = "patient".',
    ),
    click.option(
        "--episode", required=True, multiple=True, help="Column that says whose row it is."
    ),
    click.option("--step", required=True, help="Column that orders an episode's rows."),
    click.option(
        "--state", required=True, multiple=True, help="Column of the state; may be several."
    ),
    click.option(
        "--action",
        required=True,
        multiple=True,
        help="Column of the action; may be several.",
    ),
    click.option(
        "--reward",
        help="Column of the reward of each step; without it, each pays the rank of its state.",
    ),
    click.option("--cost", help="Column of the cost, in place of a reward: less is better."),
    click.option(
        "--better",
        type=click.Choice(["lower", "higher"]),
        default="lower",
        show_default=True,
        help="Which end of the order of states is the better one, where no reward is given.",
    ),
    click.option("--states",
        type=click.UNPROCESSED,
        callback=_labels,
        metavar="A,B,C",
        help="All states in their order; needed where they are words and no reward is given.",
    ),
    click.option(
        "--gaps",
        type=click.Choice(["error", "split", "ignore"]),
        default="error",
        show_default=True,
        help="What a skipped step is: an error, the end of one course, or nothing.",
    ),
    click.option(
        "--duplicates",
        type=click.Choice(["error", "merge", "first", "last"]),
        default="error",
        show_default=True,
        help="Which of several rows of one step counts.",
    ),
    click.option(
        "--missing", multiple=True, metavar="TEXT", help="What stands for a missing value."
    ),
    click.option(
        "--drop-bad-rows", is_flag=True, help="Leave out rows that fit nowhere."
    ),
    click.option(
        "--process",
        metavar="FILE.npz",
        type=click.Path(),
        help="A process saved in Python; without it, one is estimated from the log.",
    ),
    click.option(
        "--near",
        default=1.0,
        show_default=True,
        help="How many transitions the estimate assumes before any data: to the same state, and "
        "to those beside it.",
    ),
    click.option(
        "--far", default=0.01, show_default=True, help="The same, to each other state."
    ),
    click.option(
        "--pin",
        type=int,
        multiple=True,
        metavar="STEP",
        help="A step that stays as it is, by its number in the output; negative from the end. "
        "Give it again for another one.",
    ),
    click.option(
        "--exclude",
        multiple=True,
        metavar="ACTION",
        help="An action that is never proposed; give it again for another one."
    ),
    click.option(
        "--keep-ends",
        is_flag=True,
        help="Leave first and last actions as they are, where they occur nowhere else.",
    ),
    click.option("--redact", is_flag=True, help="Running numbers in place of episode ids."),
)  # fmt: skip


def changes_option(default: int) -> Callable[[Command], Command]:
    """The largest budget, which is another one for one episode than for a cohort."""
    return click.option(
        "-k",
        default=default,
        show_default=True,
        type=click.IntRange(min=0),
        help="How many actions may be changed, at most.",
    )


def log_options(command: Command) -> Command:
    """The options of every command that reads a log."""
    for option in reversed(_LOG_OPTIONS):
        command = option(command)
    return command


def word_options(command: Command) -> Command:
    """What things are called in what a person reads."""
    options = (
        click.option("--outcome-name", help='What rewards add up to; "outcome" by default.'),
        click.option("--step-name", help="What a step is called; its column's name by default."),
        click.option(
            "--first-step", type=int, help="The number of the first step; as the log counts."
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def worded(options: dict[str, Any], otherwise: Words) -> Words:
    """The words that were given, and others for those that were not."""
    given = {
        "outcome": options["outcome_name"],
        "step": options["step_name"],
        "first_step": options["first_step"],
    }
    return replace(otherwise, **{name: word for name, word in given.items() if word is not None})


class Given:
    """What the options of a log amount to: episodes, a process, and what may not change."""

    def __init__(self, source: str, options: dict[str, Any]) -> None:
        if options["reward"] and options["cost"]:
            raise click.UsageError("Give --reward or --cost: a step pays or costs.")
        self.log = Log(
            source,
            episode=options["episode"],
            step=options["step"],
            state=options["state"],
            action=options["action"],
            reward=options["reward"] or options["cost"],
            keep=tuple(options.get("keep", ())),
            states=options["states"],
            gaps=options["gaps"],
            duplicates=options["duplicates"],
            missing=options["missing"],
            on_error="drop" if options["drop_bad_rows"] else "raise",
        )
        self._redact: bool = options["redact"]
        self._named = self.log.read(self._redact)
        rejected = self._named.rejected
        if rejected:
            told = f" {tallied(rejected)}" if self._redact else f"\n{rejected}"
            click.echo(f"left out:{told}", err=True)
        self.episodes = redacted(self._named) if self._redact else self._named
        estimate = Estimate(
            options["process"],
            options["near"],
            options["far"],
            options["better"],
            minimise=bool(options["cost"]),
            ordered=bool(options["states"]),
        )
        self.estimate = estimate.find(self.episodes)
        self.words = worded(options, Words(step=self.log.step, first_step=self.log.first_step()))
        """What things are called: as told, else as in the log."""
        self.fixed: Fixed = fixed(
            self.episodes,
            options["pin"],
            options["exclude"],
            options["keep_ends"],
            self.words.first_step,
        )
        self.told = estimate.told(self.episodes)
        if self.told:
            click.echo(self.told, err=True)
        self.doubts = list(doubts(self.estimate)) if isinstance(self.estimate, Fit) else []
        for doubt in self.doubts:
            click.echo(doubt, err=True)

    def position_of(self, id: str) -> int:
        """Where the episode stands that the log calls so."""
        return position_of_id(id, self._named, self._redact)

    @property
    def mdp(self) -> MDP:
        """The process."""
        return self.estimate if isinstance(self.estimate, MDP) else self.estimate.mdp

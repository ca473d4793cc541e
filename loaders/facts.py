"""`load facts FILE --world W`: someone's own notes, from JSON, JSON Lines or CSV."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from pathlib import Path

import click

from loaders.checks import read_day, why_no_name, why_no_world
from loaders.fact_files import read_rows
from loaders.fact_items import FactReader
from loaders.problems import Problems, kind, plural
from pace_graph.dates import read_given
from pace_graph.errors import ConfigError
from pace_graph.formats import Format
from pace_graph.records import Case, Person, Timeline


class DateReader:
    """Reads the dates of facts and counts those that name no zone."""

    def __init__(self, zone: str) -> None:
        """Takes dates without a zone to be in `zone`."""
        self.zone = zone
        self.naive = 0

    def read(self, value: object) -> str | None:
        """The date as given; None for null and "", as an empty cell of a table is.

        Raises:
            ValueError: when it is no date.
        """
        if value is None or value == "":
            return None
        if not isinstance(value, str):
            raise ValueError(f"is {kind(value)}, not a string as 2026-03-01")
        self.naive += _is_naive(value, self.zone)
        return value


@lru_cache(maxsize=10_000)  # notes share days
def _is_naive(value: str, zone: str) -> bool:
    return read_given(value, zone).naive


def read(
    path: Path,
    *,
    world: str,
    form: str | None = None,
    ref_date: date | str | None = None,
    persona: str | None = None,
    zone: str = "UTC",
    skip_invalid: bool = False,
) -> Iterator[Case]:
    """The one world of a file of facts.

    Args:
        path: a file with id, text and, if wanted, date of each fact.
        world: the name of the world.
        form: `json`, `jsonl` or `csv`; None is told by the file's ending.
        ref_date: the day that requests are made on.
        persona: the name of the person whose facts these are.
        zone: of dates that name none.
        skip_invalid: leaves out records that cannot be used, instead of refusing the file.

    Raises:
        ConfigError: when an option cannot be used.
        DataError: with everything that is wrong with the file.
    """
    path = Path(path)
    people = _people(persona)
    timeline = Timeline(ref_date=_day(ref_date))
    _check_names(world, zone)
    problems = Problems(path, skip_invalid=skip_invalid)
    dates = DateReader(zone)
    reader = FactReader(problems, dates.read)
    reader.read([read_rows(path, form, problems)])
    problems.check()
    notes = _notes(reader, problems, dates)
    yield Case(world, tuple(reader.facts), people=people, timeline=timeline, zone=zone, notes=notes)


def _people(persona: str | None) -> tuple[Person, ...]:
    if persona is None:
        return ()
    why = why_no_name(persona, "name")
    if why is not None:
        raise ConfigError(f"--persona: {why}")
    return (Person(persona, "ego"),)


def _day(value: date | str | None) -> date | None:
    try:
        return None if value is None else read_day(value)
    except ValueError as error:
        raise ConfigError(f"--ref-date: {error}") from error


def _check_names(world: str, zone: str) -> None:
    why = why_no_world(world)
    if why is not None:
        raise ConfigError(f"--world: {why}")
    try:
        read_given("2026-01-01", zone)
    except ValueError as error:
        raise ConfigError(f"--zone: there is no time zone {zone!r}; give a name as Europe/Berlin") from error


def _notes(reader: FactReader, problems: Problems, dates: DateReader) -> tuple[str, ...]:
    notes = []
    if problems.skipped:
        notes.append(f"{problems.skipped} skipped, as they cannot be used; without --skip-invalid each is named.")
    if not reader.facts:
        notes.append("The world has no facts.")
    if dates.naive:
        count = plural(dates.naive, "date names", "dates name")
        notes.append(
            f"{count} no time zone and is read in {dates.zone} (--zone)."
            if dates.naive == 1
            else f"{count} no time zone and are read in {dates.zone} (--zone)."
        )
    return tuple(notes)


FORMAT = Format(
    help="Load your own notes from FILE: JSON, JSON Lines or CSV with id, text and, if wanted, date.",
    metavar="FILE",
    read=read,
    options=(
        click.Option(["--world"], required=True, metavar="W", help="Name of the world; made if it is new."),
        click.Option(
            ["--as", "form"],
            type=click.Choice(["json", "jsonl", "csv"]),
            help="Format of FILE; told by its ending otherwise.",
        ),
        click.Option(["--ref-date"], metavar="YYYY-MM-DD", help="The day that requests are made on."),
        click.Option(["--persona"], metavar="NAME", help="The person whose facts these are."),
        click.Option(
            ["--zone"], default="UTC", show_default=True, metavar="ZONE", help="Zone of dates that name none."
        ),
        click.Option(["--skip-invalid"], is_flag=True, help="Leave out what cannot be used and load the rest."),
    ),
    merges=True,
)

"""What commands show: one line beside the output, progress, JSON, and options they share."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from functools import lru_cache
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from pace_graph.cli.pipe import leave_quietly

as_json = click.option("--json", "machine", is_flag=True, help="Print JSON, and nothing else, on stdout.")


def say(line: str) -> None:
    """Tells the user what goes on, beside the output."""
    click.echo(line, err=True)


def give(value: Any) -> None:
    """Prints a value as JSON on stdout."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


@lru_cache(1)
def _width() -> int | None:
    # Rich cuts tables to 80 columns when its output is no terminal; a file or a pipe has no edge.
    return None if sys.stdout.isatty() else 120


class Screen(Console):
    """A console whose reader may go away."""

    def on_broken_pipe(self) -> None:
        """Ends with status 0, not with rich's 1."""
        leave_quietly()


def screen() -> Console:
    """Where tables and trees are drawn."""
    return Screen(width=_width(), highlight=False)


class Day(click.ParamType[date]):
    """An ISO day."""

    name = "YYYY-MM-DD"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> date:
        """The day; fails with a sentence when it is none."""
        if isinstance(value, date):
            return value
        try:
            return date.fromisoformat(value)
        except ValueError:
            self.fail(f"{value!r} is no day; write it as 2026-03-14", param, ctx)


class Progressing:
    """The progress of a load: a bar on a terminal, a line per world and stage otherwise."""

    def __init__(self, bar: Progress | None) -> None:
        """Shows on `bar`, or in lines without one."""
        self._bar = bar
        self._tasks: dict[tuple[str, str], Any] = {}

    def __call__(self, world: str, stage: str, done: int, total: int) -> None:
        """Told of (world, stage, done, of how many)."""
        key = (world, stage)
        if self._bar is None:
            if done >= total > 0 and key not in self._tasks:
                self._tasks[key] = True
                say(f"  {world}: {total} {stage} written")
            return
        if not total:
            return
        if key not in self._tasks:
            self._tasks[key] = self._bar.add_task(f"{world} {stage}", total=total)
        self._bar.update(self._tasks[key], completed=done, total=total)


@contextmanager
def progressing() -> Iterator[Progressing]:
    """A progress for a load, on stderr."""
    if not sys.stderr.isatty():
        yield Progressing(None)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        yield Progressing(bar)


def short(text: str, length: int = 100) -> str:
    """A text on one line, cut at a length in characters."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"


def printable(text: str) -> str:
    """A text without control characters, which could command a terminal."""
    return "".join(sign if sign.isprintable() else " " for sign in text)

"""The progress of a run: a live table of systems and worlds on a terminal, plain lines otherwise."""

from __future__ import annotations

import sys
import time
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.table import Table

from pace_graph.cli.terminal import say
from pace_graph.evaluation.run import Progress

_LINE_EVERY_S = 15.0
_MOST_WORLDS = 8


class RunScreen:
    """Shows how far a run is, with rate, errors, money and the time left."""

    def __init__(self, total: int) -> None:
        """Shows the progress towards `total` requests."""
        self._total = total
        self._live = Live(console=Console(stderr=True), refresh_per_second=4) if sys.stderr.isatty() else None
        self._began = self._said = time.monotonic()
        self._before: int | None = None

    def __enter__(self) -> Self:
        if self._live:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._live.stop()

    def __call__(self, progress: Progress) -> None:
        """Told after each record."""
        done = sum(progress.done.values())
        if self._before is None:
            self._before = max(0, done - 1)
        if self._live:
            self._live.update(self._table(progress, done))
        elif time.monotonic() - self._said >= _LINE_EVERY_S or done == self._total:
            self._said = time.monotonic()
            say(self._line(progress, done))

    def _line(self, progress: Progress, done: int) -> str:
        errors = sum(progress.errors.values())
        rate = (done - (self._before or 0)) / max(time.monotonic() - self._began, 1e-9)
        left = f", {_duration((self._total - done) / rate)} left" if rate > 0 and done < self._total else ""
        money = "" if progress.unpriced or not progress.usd else f", {progress.usd:.2f} USD"
        return f"  {done} of {self._total} requests, {rate:.1f} a second, {errors} failed{money}{left}"

    def _table(self, progress: Progress, done: int) -> Table:
        worlds = list(dict.fromkeys(world for _, world in progress.todo))
        shown = worlds if len(worlds) <= _MOST_WORLDS else []
        table = Table("system", *shown, "all", box=None, caption=self._line(progress, done), caption_justify="left")
        for system in dict.fromkeys(system for system, _ in progress.todo):
            cells = [_cell(progress, system, [world]) for world in shown]
            table.add_row(system, *cells, _cell(progress, system, worlds))
        return table


def _cell(progress: Progress, system: str, worlds: list[str]) -> str:
    done, todo, errors = (
        sum(count.get((system, world), 0) for world in worlds)
        for count in (progress.done, progress.todo, progress.errors)
    )
    return f"{done}/{todo}" + (f" [red]{errors} failed[/red]" if errors else "")


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s" if minutes else f"{rest} s"

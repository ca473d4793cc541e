"""`pace-graph cost`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from pace_graph.cli.terminal import as_json, give, printable, say, screen
from pace_graph.config import Settings
from pace_graph.env import open_graph
from pace_graph.errors import ConfigError
from pace_graph.evaluation.cost import SystemCost, costs, indexing_seconds
from pace_graph.evaluation.folder import RunFolder

_COLUMNS = ("requests", "indexing s", "s/request", "cold start s", "calls indexing", "calls retrieval")


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path, file_okay=False), metavar="RUN...")
@click.option("--world", help="Only the requests of this world, as in the paper's table.")
@click.option(
    "--index-seconds",
    type=click.FloatRange(min=0),
    help="What loading the worlds took; otherwise what the graph keeps of their loads.",
)
@as_json
def cost(runs: tuple[Path, ...], world: str | None, index_seconds: float | None, machine: bool) -> None:
    """Show what finding evidence cost: indexing, seconds a request, model calls, and all from a cold start."""
    folders = [RunFolder.there(run) for run in runs]
    found = list(_found(folders, world, index_seconds))
    if machine:
        give([_row(run, each) for run, each in found])
        return
    screen().print(_table(found))
    for run, each in found:
        for note in _notes(each):
            click.echo(printable(f"{run} {each.system}: {note}"))


def _found(
    folders: list[RunFolder], world: str | None, index_seconds: float | None
) -> Iterator[tuple[str, SystemCost]]:
    with ExitStack() as stack:
        graph = None if index_seconds is not None else stack.enter_context(open_graph(Settings.read(), say))
        for folder in folders:
            worlds = _worlds(folder, world)
            seconds = index_seconds if graph is None else indexing_seconds(graph, worlds)
            rows = (row for row in folder.retrievals() if row.key.world in worlds)
            by_system = {each.system: each for each in costs(rows, seconds)}
            # In the order in which they were named; records come in the order in which they were done.
            yield from ((folder.name, by_system[name]) for name in folder.config()["systems"] if name in by_system)


def _worlds(folder: RunFolder, world: str | None) -> dict[str, str]:
    """The worlds that are looked at, each with its digest when it was run."""
    there = {name: str(kept["digest"]) for name, kept in folder.config()["worlds"].items()}
    if world is not None and world not in there:
        raise ConfigError(f"{folder.path} is no run of world {world}; its worlds are: {', '.join(there)}")
    return there if world is None else {world: there[world]}


def _row(run: str, found: SystemCost) -> dict[str, Any]:
    return {"run": run, **asdict(found), "cold_start_s": found.cold_start_s}


def _table(found: list[tuple[str, SystemCost]]) -> Table:
    table = Table("run", "system", box=None)
    for name in _COLUMNS:
        table.add_column(name, justify="right")
    for run, each in found:
        seconds = (each.indexing_s, each.online_s, each.cold_start_s)
        told = ("-" if value is None else f"{value:.2f}" for value in seconds)
        named = Text(printable(run)), Text(printable(each.system))
        table.add_row(*named, str(each.queries), *told, str(each.calls_indexing), str(each.calls))
    return table


def _notes(found: SystemCost) -> Iterator[str]:
    if found.errors:
        yield f"not final, {found.errors} retrievals failed and are not counted"
    if found.replayed:
        yield f"{found.replayed} retrievals had replies from the cache: their seconds are not those of a first run"
    if found.indexing_s is None:
        yield "what loading took is not known; give --index-seconds for the total"

"""`pace-graph load`: one sub-command a format, found by entry point."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

from loaders.write import Loaded, write_world
from pace_graph.cli.terminal import as_json, give, progressing, say
from pace_graph.config import Settings
from pace_graph.env import open_graph
from pace_graph.formats import GROUP, Format, find_format, formats
from pace_graph.graph import Graph
from pace_graph.records import Case


class Formats(click.Group):
    """The group whose commands are the installed formats."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names of the installed formats."""
        return list(formats())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command that loads a format."""
        return _command(cmd_name, find_format(cmd_name)) if cmd_name in formats() else None


@click.group(
    cls=Formats,
    help=f"Load worlds from files; the formats are its sub-commands.\n\nThey come by entry point ({GROUP}).",
)
def load() -> None:
    """See the help above."""


def _command(name: str, found: Format) -> click.Command:
    def run(path: Path, machine: bool, k_graph: int, **options: Any) -> None:
        loaded = load_path(found, path, k_graph=k_graph, **options)
        if machine:
            give([row(each) for each in loaded])
        else:
            for each in loaded:
                click.echo(told(each))

    command = click.command(name, help=found.help)(run)
    command.params = [
        click.Argument(["path"], metavar=found.metavar, type=click.Path(path_type=Path)),
        *found.options,
        click.Option(
            ["--k-graph"],
            type=click.IntRange(1, 100),
            default=10,
            show_default=True,
            help="SIMILAR_TO edges per fact.",
        ),
    ]
    return as_json(command)


def load_path(found: Format, path: Path, *, k_graph: int = 10, **options: Any) -> list[Loaded]:
    """Loads every world of a path. All of it is read and checked before anything is written."""
    notes = {case.world: case.notes for case in found.read(path, **options)}
    for world, said in notes.items():
        for note in said:
            say(f"{world}: {note}")
    settings = Settings.read()
    with open_graph(settings, say) as graph:
        return write_all(
            graph,
            settings,
            found.read(path, **options),
            str(path.resolve()),
            merge=found.merges,
            k_graph=k_graph,
        )


def write_all(
    graph: Graph, settings: Settings, cases: Iterable[Case], source: str, *, merge: bool = False, k_graph: int = 10,
    write: Callable[..., Loaded] = write_world,
) -> list[Loaded]:  # fmt: skip
    """Writes worlds one after the other, showing progress, and has the managed server keep them for good."""
    with progressing() as progress:
        loaded = [
            write(graph, settings, case, source=source, merge=merge, k_graph=k_graph, progress=progress)
            for case in cases
        ]
    if settings.managed and not all(each.untouched for each in loaded):
        from pace_graph import server

        # A store that never made a checkpoint rebuilds its indexes after a crash, which takes minutes.
        server.checkpoint(settings)
    return loaded


def told(loaded: Loaded) -> str:
    """What a load did, in a line."""
    if not loaded.facts:
        return f"{loaded.world}: holds no fact"
    size = f"{loaded.facts} facts, {loaded.edges} SIMILAR_TO edges"
    if loaded.untouched:
        return f"{loaded.world}: unchanged ({size})"
    did = [
        f"{count} {what}"
        for what, count in (("added", loaded.added), ("changed", loaded.changed), ("removed", loaded.removed))
        if count
    ]
    return f"{loaded.world}: {', '.join(did) or 'finished'} ({size}, embedded with {loaded.embedding_model})"


def row(loaded: Loaded) -> dict[str, Any]:
    """What a load did, as JSON."""
    return {
        "world": loaded.world,
        "facts": loaded.facts,
        "edges": loaded.edges,
        "added": loaded.added,
        "changed": loaded.changed,
        "removed": loaded.removed,
        "edges_changed": loaded.edges_changed,
        "embedding_model": loaded.embedding_model,
        "digest": loaded.digest,
    }

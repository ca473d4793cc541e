"""`pace-graph worlds` and `pace-graph world`."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from loaders.write import re_embed as re_embed_world
from pace_graph import worlds as kept
from pace_graph.cli.load import row as loaded_row
from pace_graph.cli.load import told
from pace_graph.cli.terminal import as_json, give, printable, progressing, say, screen
from pace_graph.config import Settings
from pace_graph.env import open_graph
from pace_graph.export import export_world
from pace_graph.graph import Graph
from pace_graph.verify import verify_world


@click.command()
@as_json
def worlds(machine: bool) -> None:
    """List the worlds."""
    with open_graph(Settings.read(), say) as graph:
        found = kept.list_worlds(graph)
    if machine:
        give([asdict(each) for each in found])
        return
    if not found:
        click.echo("There is no world yet; load one, or run: pace-graph demo")
        return
    table = Table("world", "status", "person", "facts", "queries", "reference date", "embedding model", box=None)
    for each in found:
        named = Text(printable(each.world)), each.status, Text(printable(each.persona or ""))
        table.add_row(*named, str(each.facts or ""), str(each.queries), each.ref_date or "", each.embedding_model or "")
    screen().print(table)


@click.group()
def world() -> None:
    """Show, verify, re-embed, delete or export a world."""


@world.command()
@click.argument("name")
@as_json
def show(name: str, machine: bool) -> None:
    """Show a world: its person, the people around, its dates and what it holds."""
    with open_graph(Settings.read(), say) as graph:
        shown = _shown(graph, name)
    if machine:
        give(shown)
        return
    for key in ("world", "status", "person", "ref_date", "window", "embedding_model", "digest"):
        click.echo(f"{key.replace('_', ' '):<16}{printable(str(shown[key] or '-'))}")
    click.echo("holds           " + ", ".join(f"{count} {what}" for what, count in shown["counts"].items()))
    for alter in shown["alters"]:
        click.echo(
            f"alter           {printable(alter['name'])} ({printable(alter['relation'] or 'no relation given')})"
        )
    for label, count in shown["queries"].items():
        click.echo(f"queries         {count} {label}")


def _shown(graph: Graph, name: str) -> dict[str, Any]:
    row = kept.world_row(graph, name)
    people = row["people"]
    labels = Counter(f"{q.situation or 'untyped'} {q.label or 'unlabelled'}" for q in kept.read_queries(graph, name))
    return {
        "world": name,
        "status": row["status"],
        "person": next((person["name"] for person in people if person["role"] == "ego"), None),
        "ref_date": row["ref_date"],
        "window": f"{row['window_start']} to {row['window_end']}" if row["window_start"] else None,
        "embedding_model": f"{row['embedding_model']} ({row['dimension']} dimensions)",
        "digest": row["digest"],
        "counts": kept.counts(graph, name),
        "alters": [{"name": p["name"], "relation": p["relation"]} for p in people if p["role"] == "alter"],
        "queries": dict(sorted(labels.items())),
    }


@world.command()
@click.argument("name")
@as_json
@click.pass_context
def verify(context: click.Context, name: str, machine: bool) -> None:
    """Work a world's edges and digest out again; exit 1 when something is wrong, with what mends it."""
    with open_graph(Settings.read(), say) as graph:
        found = verify_world(graph, name)
    if machine:
        give(asdict(found))
    else:
        click.echo(f"{name}: {'sound' if not found.findings else 'NOT sound'}, digest {found.digest}")
        for finding in found.findings:
            click.echo(f"  {finding.what}\n    mend: {finding.mend}")
    context.exit(1 if found.findings else 0)


@world.command("re-embed")
@click.argument("name")
@as_json
def re_embed(name: str, machine: bool) -> None:
    """Give every fact a vector of the embedding model that is set now."""
    settings = Settings.read()
    with open_graph(settings, say) as graph, progressing() as progress:
        loaded = re_embed_world(graph, settings, name, progress)
    if machine:
        give(loaded_row(loaded))
    else:
        click.echo(told(loaded))


@world.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
def delete(name: str, yes: bool) -> None:
    """Delete a world whole: facts, edges, people, queries and traces."""
    with open_graph(Settings.read(), say) as graph:
        if name not in {each.world for each in kept.list_worlds(graph)}:
            click.echo(f"There is no world named {name}: nothing to delete.")
            return
        if not yes and not _agreed(name):
            raise click.Abort
        removed = kept.delete_world(graph, name)
    click.echo(f"{name}: deleted ({removed} nodes).")


def _agreed(name: str) -> bool:
    try:
        return click.confirm(f"Delete world {name} for good?", err=True)
    except click.Abort as error:
        if sys.stdin.isatty():
            raise
        raise click.UsageError("there is nobody to ask whether to delete it; say --yes") from error


@world.command()
@click.argument("name")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def export(name: str, folder: Path) -> None:
    """Write a world to FOLDER in the layout that `load pace` reads."""
    with open_graph(Settings.read(), say) as graph:
        written = export_world(graph, name, folder)
    for path in written:
        click.echo(str(path))

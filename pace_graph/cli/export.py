"""`pace-graph export`."""

from __future__ import annotations

from pathlib import Path

import click

from pace_graph.cli.terminal import say
from pace_graph.config import Settings
from pace_graph.env import open_graph
from pace_graph.evaluation.export_beir import export_beir
from pace_graph.evaluation.export_trec import export_trec
from pace_graph.evaluation.folder import RunFolder


@click.command()
@click.argument("run", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--format",
    "form",
    type=click.Choice(["trec", "beir"]),
    required=True,
    help="trec: qrels and a ranked list per system; beir: corpus, queries and qrels per world.",
)
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="Where the files go; made if new."
)
def export(run: Path, form: str, out: Path) -> None:
    """Write a run for other tools: as TREC files, or its worlds in BEIR's layout."""
    folder = RunFolder.there(run)
    for path in _trec(folder, out) if form == "trec" else _beir(folder, out):
        click.echo(str(path))


def _trec(folder: RunFolder, out: Path) -> tuple[Path, ...]:
    exported = export_trec(folder, out)
    for system, count in exported.errors.items():
        say(f"{system}: {count} failed and not in the file; evaluators will count them as if nothing was found")
    for system in exported.unranked:
        say(f"{system}: ranks nothing, so there is no file")
    return exported.files


def _beir(folder: RunFolder, out: Path) -> tuple[Path, ...]:
    with open_graph(Settings.read(), say) as graph:
        return export_beir(graph, folder, out)

"""`pace-graph explain`."""

from __future__ import annotations

import click

from pace_graph.cli.evidence import evidence_tree
from pace_graph.cli.terminal import as_json, give, say, screen
from pace_graph.config import Settings
from pace_graph.env import open_graph
from pace_graph.traces import browser_statement, last_trace


@click.command()
@click.option("--last", is_flag=True, required=True, help="Explain the newest request.")
@click.option("--world", help="The newest request of this world.")
@click.option("--cypher", is_flag=True, help="Print the statement that draws it in Neo4j Browser instead.")
@as_json
def explain(last: bool, world: str | None, cypher: bool, machine: bool) -> None:  # noqa: ARG001 - runs of `run` will come by name
    """Show how evidence was found: views, seeds, hops, what was kept."""
    with open_graph(Settings.read(), say) as graph:
        trace = last_trace(graph, world)
    if machine:
        give(trace)
    elif cypher:
        click.echo(browser_statement(trace["trace_id"]))
    else:
        screen().print(evidence_tree(trace))

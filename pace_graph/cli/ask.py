"""`pace-graph ask`."""

from __future__ import annotations

from datetime import date
from typing import Any

import click

from pace_graph.asking import Reply
from pace_graph.asking import ask as run_ask
from pace_graph.cli import options
from pace_graph.cli.evidence import evidence_tree
from pace_graph.cli.terminal import Day, as_json, give, say, screen
from pace_graph.config import Settings
from pace_graph.env import open_env
from pace_graph.errors import ConfigError
from pace_graph.ledger import StageCost
from pace_graph.retrievers import SYSTEMS, find_system
from pace_graph.traces import last_trace


@click.command()
@click.argument("world")
@click.argument("request")
@click.option("--date", "day", type=Day(), help="The day of the request; otherwise the world's reference date.")
@click.option(
    "--system",
    default="pacemaker-rules",
    show_default=True,
    type=click.Choice(list(SYSTEMS)),
    help="How to look.",
)
@options.settings
@click.option("--trace/--no-trace", default=True, show_default=True, help="Leave the evidence path in the graph.")
@as_json
def ask(
    world: str,
    request: str,
    day: date | None,
    system: str,
    settings: tuple[tuple[str, str], ...],
    trace: bool,
    machine: bool,
) -> None:
    """Ask a world what speaks against a request, or clears it."""
    _check(system, settings)
    with open_env(Settings.read(), say) as env:
        reply = run_ask(env, world, request, day=day, system=system, trace=trace, **dict(settings))
        kept = last_trace(env.graph, world) if reply.trace_id and not machine else None
    if machine:
        give(as_row(reply))
        return
    if reply.answered.text:
        verdict = {"proceed": "Go ahead. ", "decline": "Not as asked. ", None: ""}[reply.answered.verdict]
        click.echo(f"{verdict}{reply.answered.text}\n")
    else:
        say("No chat model is set, so there is evidence but no verdict (see PACE_GRAPH_AGENT__MODEL in the README).")
    screen().print(evidence_tree(kept) if kept else _plain(reply))


def _check(system: str, settings: tuple[tuple[str, str], ...]) -> None:
    """Refuses settings that the system does not have or cannot take, before a graph is reached."""
    try:
        find_system(system).config(**dict(settings))
    except ConfigError as error:
        raise click.BadParameter(str(error), param_hint="'--set'") from error


def _plain(reply: Reply) -> str:
    facts = reply.kb.facts
    return "\n".join(
        f"{rank:3}. [{hit.fact_id}] {facts[hit.fact_id].text}" for rank, hit in enumerate(reply.retrieved.hits, 1)
    )


def as_row(reply: Reply) -> dict[str, Any]:
    """A reply as JSON."""
    return {
        "system": reply.system,
        "verdict": reply.answered.verdict,
        "answer": reply.answered.text or None,
        "views": [view.text for view in reply.retrieved.rankings.views.views],
        "evidence": [
            {
                "fact_id": hit.fact_id,
                "text": reply.kb.facts[hit.fact_id].text,
                "rank": rank,
                "hop": hit.hop,
                "path": list(hit.path),
            }
            for rank, hit in enumerate(reply.retrieved.hits, start=1)
        ],
        "cost": _costs(reply.costs),
    }


def _costs(costs: tuple[StageCost, ...]) -> dict[str, Any]:
    total = StageCost("total")
    for cost in costs:
        total = total.plus(cost)
    rows = [
        {
            "stage": cost.stage,
            "seconds": round(cost.seconds, 6),
            "calls": cost.calls,
            "tokens_in": cost.tokens_in,
            "tokens_out": cost.tokens_out,
            "tokens_cached": cost.tokens_cached,
        }
        for cost in (*costs, total)
    ]
    return {**{key: value for key, value in rows[-1].items() if key != "stage"}, "stages": rows[:-1]}

"""`pace-graph search`."""

from __future__ import annotations

from datetime import date
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from pace_graph.asking import search as run_search
from pace_graph.cli.terminal import Day, as_json, give, printable, say, screen
from pace_graph.config import Settings
from pace_graph.env import open_env
from pace_graph.records import Hit, KnowledgeBase, Leg

_LEGS: dict[str, tuple[Leg, ...]] = {
    "dense": ("dense",),
    "lexical": ("lexical",),
    "both": ("dense", "lexical"),
}


@click.command()
@click.argument("world")
@click.argument("query")
@click.option("-k", default=10, show_default=True, type=click.IntRange(min=1), help="How many facts.")
@click.option(
    "--legs",
    default="both",
    show_default=True,
    type=click.Choice(list(_LEGS)),
    help="By meaning, words or both.",
)
@click.option("--until", type=Day(), help="Leave out facts dated after this day; facts without a date stay.")
@as_json
def search(world: str, query: str, k: int, legs: str, until: date | None, machine: bool) -> None:
    """Search the facts of a world by meaning, by words, or both."""
    with open_env(Settings.read(), say) as env:
        found = run_search(env, world, query, k, _LEGS[legs], until)
        kb = env.world(world)
    if machine:
        give([_row(hit, kb) for hit in found.hits])
        return
    table = Table("", "fact", "score", *_LEGS[legs], "text", box=None, header_style="bold")
    for rank, hit in enumerate(found.hits, start=1):
        ranks = [str(next((s.rank for s in hit.shares if s.leg == leg), "")) for leg in _LEGS[legs]]
        table.add_row(
            str(rank),
            Text(printable(hit.fact_id)),
            f"{hit.score:.4f}",
            *ranks,
            Text(printable(kb.facts[hit.fact_id].text)),
        )
    screen().print(table if found.hits else "Nothing was found.")


def _row(hit: Hit, kb: KnowledgeBase) -> dict[str, Any]:
    return {
        "fact_id": hit.fact_id,
        "text": kb.facts[hit.fact_id].text,
        "score": hit.score,
        "legs": {share.leg: {"rank": share.rank, "score": share.score} for share in hit.shares},
    }

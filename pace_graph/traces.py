"""Traces: the evidence path of one retrieval, kept in the graph beside the facts it runs over."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

from pace_graph.config import PaceConfig
from pace_graph.errors import WorldError
from pace_graph.graph import Graph
from pace_graph.records import Hit, Retrieved, Verdict
from pace_graph.texts import statement


@dataclass(frozen=True, slots=True)
class Asked:
    """Who asked, and what came of it: what a trace says beside its path."""

    system: str
    run: str = ""
    verdict: Verdict | None = None
    answer: str | None = None


def write_trace(graph: Graph, retrieved: Retrieved, asked: Asked, config: PaceConfig) -> str:
    """The id of a new trace: seeds, what each hop reached, and what was kept.

    Raises:
        WorldError: when the world is no longer ready.
    """
    query = retrieved.query
    rows = graph.write(
        "trace/write",
        world=query.world,
        trace_id=secrets.token_hex(8),
        run=asked.run,
        system=asked.system,
        query_id=query.query_id,
        text=query.text,
        ref_date=query.ref_date,
        views=[view.text for view in retrieved.rankings.views.views],
        verdict=asked.verdict,
        answer=asked.answer,
        config=config.model_dump_json(),
        seeds=[_seed(rank, hit) for rank, hit in enumerate(seeds(retrieved), start=1)],
        reached=[_reached(position, hit) for position, hit in enumerate(walked(retrieved), start=1)],
        kept=[
            {"fact_id": hit.fact_id, "rank": rank, "score": hit.score, "path": list(hit.path)}
            for rank, hit in enumerate(retrieved.hits, start=1)
        ],
    )
    if not rows:
        raise WorldError(f"world {query.world} is no longer ready; nothing was traced")
    return str(rows[0]["trace_id"])


def seeds(retrieved: Retrieved) -> tuple[Hit, ...]:
    """Where the walk began; for a system without a walk, what it found."""
    filtered = any(step.stage == "pre-hop" for step in retrieved.trail)
    return retrieved.after("pre-hop" if filtered else "fuse")


def walked(retrieved: Retrieved) -> tuple[Hit, ...]:
    """What the hops discovered, in order."""
    return tuple(hit for step in retrieved.trail if step.stage.startswith("hop ") for hit in step.hits)


def _seed(rank: int, hit: Hit) -> dict[str, Any]:
    legs = [f"view {share.view} {share.leg} rank {share.rank} score {share.score:.4f}" for share in hit.shares]
    return {"fact_id": hit.fact_id, "rank": rank, "score": hit.score, "legs": legs}


def _reached(position: int, hit: Hit) -> dict[str, Any]:
    return {"fact_id": hit.fact_id, "hop": hit.hop, "parent": hit.path[-2], "position": position}


def last_trace(graph: Graph, world: str | None = None) -> dict[str, Any]:
    """The newest trace, of one world or of all, with the texts of its facts.

    Raises:
        WorldError: when there is none.
    """
    rows = graph.read("trace/last", world=world)
    if not rows:
        raise WorldError(
            f"nothing was asked yet{f' of world {world}' if world else ''}; try: pace-graph ask WORLD REQUEST"
        )
    return rows[0]


def browser_statement(trace_id: str) -> str:
    """The statement that draws a trace in Neo4j Browser, its id put in so that it can be pasted.

    Ids are made by us, of hexadecimal digits: nothing of a user's is put into Cypher.
    """
    return statement("explore/why_kept").text.replace("$trace_id", f"'{trace_id}'")

"""Whether a world is what it says it is: counts, ranks, scores, and the digest worked out again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pace_graph.graph import Graph, Row
from pace_graph.knn import neighbours, world_digest
from pace_graph.worlds import counts, read_case, read_edges, read_vectors, world_row


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not right, and how to mend it."""

    what: str
    mend: str


@dataclass(frozen=True, slots=True)
class Verified:
    """A world looked at whole. It is sound when there is no finding."""

    world: str
    digest: str
    counts: dict[str, int]
    findings: tuple[Finding, ...]


def verify_world(graph: Graph, world: str) -> Verified:
    """Reads the whole world and works its edges and digest out again.

    Raises:
        WorldError: when there is no such world.
    """
    row = world_row(graph, world)
    found = counts(graph, world)
    case = read_case(graph, world)
    edges = read_edges(graph, world)
    ranked = sorted(((a, b, rank) for (a, b), (rank, _) in edges.items()), key=lambda edge: (edge[0], edge[2]))
    facts = ((fact.fact_id, fact.text, fact.date) for fact in case.facts)
    digest = world_digest(facts, ranked, row["embedding_model"] or "")
    strays = graph.read("world/strays", world=world)[0]["strays"]
    findings = (*_state(world, row, found, strays), *_edges(graph, world, row, edges, len(case.facts)))
    if row["digest"] != digest and not findings:
        findings = (Finding("its digest is not the one it was loaded with", _again(row)),)
    return Verified(world, digest, found, findings)


def _again(row: Row) -> str:
    return f"load {row['source'] or 'it'} again"


def _state(world: str, row: Row, found: dict[str, int], strays: int) -> Iterator[Finding]:
    if row["status"] != "ready":
        yield Finding(f"it is {row['status']}, not ready", _again(row))
        return
    if found["facts"] != row["facts"]:
        yield Finding(f"it has {found['facts']} facts where {row['facts']} were loaded", _again(row))
    if found["embedded"] != found["facts"]:
        missing = found["facts"] - found["embedded"]
        yield Finding(f"{missing} facts have no vector", f"pace-graph world re-embed {world}")
    if strays:
        yield Finding(
            f"{strays} SIMILAR_TO edges lead into another world",
            f"pace-graph world delete {world}, then {_again(row)}",
        )


def _edges(
    graph: Graph, world: str, row: Row, edges: dict[tuple[str, str], tuple[int, float]], facts: int
) -> Iterator[Finding]:
    if not facts or row["status"] != "ready":
        return
    ids, vectors = read_vectors(graph, world, row["dimension"])
    if not np.isfinite(vectors).all():
        yield Finding(
            f"vectors are missing or not of dimension {row['dimension']}",
            f"pace-graph world re-embed {world}",
        )
        return
    wanted = {
        (ids[edge.source], ids[edge.target]): (edge.rank, edge.score) for edge in neighbours(vectors, row["k_graph"])
    }
    for what, count in (
        ("are missing", len(wanted.keys() - edges.keys())),
        ("should not be there", len(edges.keys() - wanted.keys())),
        (
            "have another rank or score than their vectors give",
            sum(edges[ends] != wanted[ends] for ends in edges.keys() & wanted.keys()),
        ),
    ):
        if count:
            yield Finding(f"{count} SIMILAR_TO edges {what}", f"pace-graph world re-embed {world}")

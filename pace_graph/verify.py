"""Whether a world is what it says it is: counts, ranks, scores, and the digest worked out again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from pace_graph.graph import Graph, Row
from pace_graph.knn import neighbours, world_digest
from pace_graph.records import Case
from pace_graph.worlds import counts, read_case, read_edges, read_vectors, world_row

_Edges = dict[tuple[str, str], list[tuple[Any, Any]]]


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
    ranked = ((ends, rank) for ends, there in edges.items() for rank, _ in there)
    digest = _digest(case, ranked, row)
    if row["status"] != "ready":
        return Verified(world, digest, found, (_not_ready(world, row),))
    findings = (*_facts(row, found), *_strays(graph, world, row), *_vectors(graph, world, row, case, edges))
    if row["digest"] != digest and not findings:
        findings = (Finding("its digest is not the one it was loaded with", _again(row)),)
    return Verified(world, digest, found, findings)


def _digest(case: Case, edges: Iterable[tuple[tuple[str, str], Any]], row: Row) -> str:
    ranked = sorted(
        ((a, b, rank) for (a, b), rank in edges),
        key=lambda edge: (edge[0], edge[2] if isinstance(edge[2], int) else 0),
    )
    facts = ((fact.fact_id, fact.text, fact.date) for fact in case.facts)
    return world_digest(facts, ranked, row["embedding_model"] or "")


def _again(row: Row) -> str:
    return f"load {row['source'] or 'it'} again"


def _re_embed(world: str) -> str:
    return f"pace-graph world re-embed {world}"


def _not_ready(world: str, row: Row) -> Finding:
    mend = f"pace-graph world delete {world} --yes" if row["status"] == "deleting" else _again(row)
    return Finding(f"it is {row['status']}, not ready", mend)


def _facts(row: Row, found: dict[str, int]) -> Iterator[Finding]:
    if found["facts"] != row["facts"]:
        yield Finding(f"it has {found['facts']} facts where {row['facts']} were loaded", _again(row))


def _strays(graph: Graph, world: str, row: Row) -> Iterator[Finding]:
    strays = graph.read("world/strays", world=world)[0]["strays"]
    if strays:
        yield Finding(
            f"{strays} SIMILAR_TO edges lead into another world",
            f"pace-graph world delete {world} --yes, then {_again(row)}",
        )


def _vectors(graph: Graph, world: str, row: Row, case: Case, edges: _Edges) -> Iterator[Finding]:
    ids, vectors = read_vectors(graph, world, row["dimension"])
    lost = int((~np.isfinite(vectors).all(axis=1)).sum())
    if lost:
        yield Finding(
            f"{lost} facts have no vector of dimension {row['dimension']}",
            f"{_again(row)}, or where that is gone: {_re_embed(world)}",
        )
        return
    wanted = {
        (ids[edge.source], ids[edge.target]): (edge.rank, edge.score) for edge in neighbours(vectors, row["k_graph"])
    }
    as_loaded = _digest(case, ((ends, rank) for ends, (rank, _) in wanted.items()), row)
    if len(ids) == row["facts"] and as_loaded != row["digest"]:
        # First, since a re-embedding takes the facts as they are.
        yield Finding("its facts or their vectors are not those it was loaded with", _again(row))
    yield from _edges(world, wanted, edges)


def _edges(world: str, wanted: dict[tuple[str, str], tuple[int, float]], edges: _Edges) -> Iterator[Finding]:
    for what, count in (
        ("are missing", len(wanted.keys() - edges.keys())),
        ("should not be there", len(edges.keys() - wanted.keys())),
        ("are there more than once", sum(len(there) > 1 for there in edges.values())),
        (
            "have another rank or score than their vectors give",
            sum(not _same(edges[ends][0], wanted[ends]) for ends in edges.keys() & wanted.keys()),
        ),
    ):
        if count:
            yield Finding(f"{count} SIMILAR_TO edges {what}", _re_embed(world))


def _same(there: tuple[Any, Any], wanted: tuple[int, float]) -> bool:
    # Scores are rounded to 9 decimals; machines may differ in the last one.
    rank, score = there
    return bool(rank == wanted[0] and isinstance(score, float) and abs(score - wanted[1]) < 2e-9)

"""SIMILAR_TO edges: what they should be, what they are, and the writes between the two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pace_graph.graph import Graph, Row
from pace_graph.knn import neighbours
from pace_graph.worlds import read_edges, read_vectors

_BATCH = 20_000


@dataclass(frozen=True)
class Linked:
    """The edges of a world (source id, target id, rank), and how many had to be written, changed or removed."""

    edges: list[tuple[str, str, int]]
    changed: int


def link(
    graph: Graph,
    write: Callable[..., Row],
    world: str,
    dimension: int,
    k: int,
    progress: Callable[[str, str, int, int], None],
) -> Linked:
    """Makes the edges of a world those of its exact k-NN graph.

    Only what differs is written, so that a changed fact costs the edges it touches and an interrupted load goes on
    where it stopped.

    Args:
        write: sends a write statement for the load that holds the world.
        k: neighbours per fact.
    """
    ids, vectors = read_vectors(graph, world, dimension)
    wanted = {(edge.source, edge.target): (edge.rank, edge.score) for edge in neighbours(vectors, k)}
    there = read_edges(graph, world)
    named = {(ids[a], ids[b]): (a, b, rank, score) for (a, b), (rank, score) in wanted.items()}
    twice = {ends for ends, found in there.items() if len(found) > 1}
    gone = [list(ends) for ends in there if ends not in named or ends in twice]
    moved = [
        [*ends, *named[ends][2:]]
        for ends, found in there.items()
        if ends in named and ends not in twice and named[ends][2:] != found[0]
    ]
    new = [list(edge) for ends, edge in named.items() if ends not in there or ends in twice]
    _send(write, "load/unlink", gone)
    _send(write, "load/relink", moved)
    for start in range(0, len(new), _BATCH):
        progress(world, "edges", start, len(new))
        write("load/link", rows=new[start : start + _BATCH])
    progress(world, "edges", len(new), len(new))
    edges = sorted(((a, b, edge[2]) for (a, b), edge in named.items()), key=lambda edge: (edge[0], edge[2]))
    return Linked(edges, len(gone) + len(moved) + len(new))


def _send(write: Callable[..., Row], name: str, rows: list[list[Any]]) -> None:
    for start in range(0, len(rows), _BATCH):
        write(name, rows=rows[start : start + _BATCH])

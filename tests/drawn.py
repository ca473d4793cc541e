"""Worlds drawn by hand: facts at given vectors, edges at given ranks, with no embedding model and no k-NN between.

What is drawn here has the shape that a load leaves (`pace_graph/worlds.py` reads it), so that a walk or a search can be
worked out on paper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from neo4j.vector import Vector
from numpy.typing import NDArray

from pace_graph.graph import Graph

Lists = Mapping[str, Sequence[str | tuple[str, float]]]
"""For every fact its neighbours, nearest first; each with a score, or with one that falls with its rank."""

_SCHEMA = ("world_key", "fact_key", "query_key", "person_key", "trace_key", "fact_world", "trace_world")

_prepared: set[tuple[int, int]] = set()
_WORLD = """
MERGE (w:World {world: $world})
SET w.status = 'ready', w.digest = $world, w.embedding_model = $model, w.dimension = $dimension, w.k_graph = 10,
    w.facts = size($rows), w.zone = 'UTC'
WITH w
UNWIND $rows AS row
CREATE (f:Fact {world: $world, fact_id: row.fact_id, text: row.text})-[:IN_WORLD]->(w)
WITH f, row WHERE row.embedding IS NOT NULL
SET f:$($label)
WITH f, row
CALL db.create.setNodeVectorProperty(f, 'embedding', row.embedding)
"""
_EDGES = """
UNWIND $rows AS row
MATCH (a:Fact {world: $world, fact_id: row[0]}), (b:Fact {world: $world, fact_id: row[1]})
CREATE (a)-[:SIMILAR_TO {rank: row[2], score: row[3]}]->(b)
"""


def draw(graph: Graph, world: str, lists: Lists, vectors: Mapping[str, NDArray[np.float32]] | None = None) -> None:
    """Puts a world into the graph.

    Args:
        lists: every fact with its neighbours.
        vectors: of the facts, for the vector index of their dimension.
    """
    dimension = len(next(iter(vectors.values()))) if vectors else 64
    _prepare(graph, dimension)
    rows = [
        {"fact_id": name, "text": f"fact {name}", "embedding": _vector(vectors[name]) if vectors else None}
        for name in lists
    ]
    run(
        graph,
        _WORLD,
        world=world,
        rows=rows,
        model=f"hash-{dimension}",
        dimension=dimension,
        label=f"Vector{dimension}",
    )
    edges = [[name, *edge] for name, near in lists.items() for edge in _ranked(near)]
    run(graph, _EDGES, world=world, rows=edges)


def _prepare(graph: Graph, dimension: int) -> None:
    if (id(graph), dimension) in _prepared:
        return
    for name in _SCHEMA:
        graph.write(f"schema/{name}")
    graph.write("schema/vectors", shape={"dimension": dimension})
    graph.write("schema/await", seconds=60)
    _prepared.add((id(graph), dimension))


def run(graph: Graph, cypher: str, **params: object) -> list[dict[str, object]]:
    """The rows of a statement of a test's own."""
    found = graph._driver.execute_query("CYPHER 25 " + cypher, params, database_=graph._database)
    return [record.data() for record in found.records]


def _ranked(near: Sequence[str | tuple[str, float]]) -> list[tuple[str, int, float]]:
    scored = [(each, 1 - rank / 100) if isinstance(each, str) else each for rank, each in enumerate(near, start=1)]
    return [(name, rank, score) for rank, (name, score) in enumerate(scored, start=1)]


def _vector(numbers: NDArray[np.float32]) -> Vector:
    return Vector(numbers.astype("<f4").tobytes(), "f32", byteorder="little")

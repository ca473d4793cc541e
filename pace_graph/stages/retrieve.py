"""Views → Rankings: for every view, the nearest facts by meaning and by words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.runnables import Runnable

from pace_graph.embed import Embedder
from pace_graph.graph import Graph, Row
from pace_graph.knn import Floats
from pace_graph.lexical import Lexical
from pace_graph.records import KnowledgeBase, Leg, Ranking, Rankings, Views
from pace_graph.stages.stage import stage

_MORE = 300
"""Candidates beyond k. On worlds of tight clusters (2,035 facts, 64 and 384 dimensions) 50 more leave recall@10 at
0.97, 200 more at 0.992, 300 more at 1.000; it costs some milliseconds for four views."""
_NONE: Row = {"fact_ids": [], "scores": []}


def retrieve(
    graph: Graph, embedder: Embedder, lexical: Lexical, kb: KnowledgeBase, *, k: int, depth: int = 0,
    legs: Sequence[Leg] = ("dense", "lexical"), prefix: str = "",
) -> Runnable[Views, Rankings]:  # fmt: skip
    """Hybrid retrieval: `k` hits per view and leg, all views in one statement.

    Args:
        depth: how deep the lists of the request itself go when that is deeper than `k`; fusion never looks beyond its
            own depth, a later rescoring may.
        prefix: put before a view when it is embedded, for models that want an instruction (A20).

    Source:
        PACE, section on hybrid retrieval.
    """

    def step(views: Views) -> Rankings:
        texts = [view.text for view in views.views]
        lists: list[Ranking] = []
        if "dense" in legs and kb.facts:
            lists += nearest(graph, kb, embedder.embed([prefix + text for text in texts]), k, depth)
        if "lexical" in legs:
            lists += [_by_words(i, lexical.search(text, k if i else max(k, depth))) for i, text in enumerate(texts)]
        # By view, dense first: the order in which ties were met in the paper's own release.
        return Rankings(views, tuple(sorted(lists, key=lambda ranking: ranking.view)))

    return stage("retrieve", step)


def nearest(graph: Graph, kb: KnowledgeBase, vectors: Floats, k: int, depth: int = 0) -> list[Ranking]:
    """The k nearest facts of the world for every vector: exactly min(k, size of the world) of them, ties by id.

    The index is asked for more than is wanted, which brings its recall to that of a full scan; should it still return
    too few (an index lags behind a write), every fact is looked at instead.

    Args:
        vectors: float32, shape (views, dimension).
        depth: hits for the first vector, when that is more than k.
    """
    if kb.dimension != vectors.shape[1]:
        raise ValueError(f"vectors of dimension {vectors.shape[1]} in a world of dimension {kb.dimension}")
    wanted = [max(k, depth), *[k] * (len(vectors) - 1)]
    sent = [_vector(vector) for vector in vectors]
    rows = graph.read(
        "search/dense",
        shape={"dimension": kb.dimension},
        world=kb.world,
        vectors=sent,
        k=k,
        fetch=fetched(k),
        first_k=wanted[0],
        first_fetch=fetched(wanted[0]),
    )
    found = {row["view"]: row for row in rows}
    if any(len(found.get(view, _NONE)["fact_ids"]) < min(most, len(kb.facts)) for view, most in enumerate(wanted)):
        rows = graph.read("search/exact", world=kb.world, vectors=sent, k=wanted[0])
        found = {row["view"]: row for row in rows}
    return [_nearest_of(found.get(view, _NONE), view, most) for view, most in enumerate(wanted)]


def _nearest_of(row: Row, view: int, most: int) -> Ranking:
    return Ranking(view, "dense", tuple(row["fact_ids"][:most]), tuple(row["scores"][:most]))


def fetched(k: int) -> int:
    """How many candidates the index is asked for so that the best k of them are the best k of the world."""
    return k + max(_MORE, k // 10)


def _vector(vector: Floats) -> Any:
    from neo4j.vector import Vector

    return Vector(vector.astype("<f4").tobytes(), "f32", byteorder="little")


def _by_words(view: int, hits: Sequence[tuple[str, float]]) -> Ranking:
    return Ranking(view, "lexical", tuple(fact_id for fact_id, _ in hits), tuple(score for _, score in hits))

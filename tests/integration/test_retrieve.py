"""Retrieval against exact arithmetic: how many, of which world, in which order, whoever else is loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from unittest import mock
from uuid import uuid4

import numpy as np
import pytest
from numpy.typing import NDArray

from pace_graph.embed.hashed import HashEmbedder
from pace_graph.graph import Graph
from pace_graph.lexical import Lexical
from pace_graph.records import KnowledgeBase, Leg, Plan, Query, Ranking, View, Views
from pace_graph.stages.retrieve import nearest, retrieve
from pace_graph.worlds import open_world
from tests.drawn import draw, run

NewWorld = Callable[[], str]
Floats = NDArray[np.float32]
DIMENSION = 64


def clustered(count: int, seed: int, clusters: int = 12) -> dict[str, Floats]:
    """Unit vectors in tight clusters, as the facts of a person are: where an approximate index errs first."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((clusters, DIMENSION))
    vectors = centres[rng.integers(clusters, size=count)] + 0.35 * rng.standard_normal((count, DIMENSION))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    # Written in another order than that of their ids.
    return {f"d{i:04d}": vectors[i].astype(np.float32) for i in rng.permutation(count)}


def place(graph: Graph, world: str, vectors: dict[str, Floats]) -> KnowledgeBase:
    draw(graph, world, {name: [] for name in vectors}, vectors)
    return open_world(graph, world)


def views_near(vectors: dict[str, Floats], count: int, seed: int) -> Floats:
    """Unit vectors of requests: near facts, and somewhere between them."""
    rng = np.random.default_rng(seed)
    facts = np.array([vectors[name] for name in sorted(vectors)])
    made = facts[rng.integers(len(facts), size=count)] + 0.3 * rng.standard_normal((count, DIMENSION))
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    return np.asarray(made, dtype=np.float32)


def exact(vectors: dict[str, Floats], view: Floats, k: int) -> list[str]:
    """The k nearest by cosine in 64 bits, ties by id."""
    names = sorted(vectors)
    facts = np.array([vectors[name] for name in names], dtype=np.float64)
    cosines = facts @ view.astype(np.float64) / np.linalg.norm(facts, axis=1) / np.linalg.norm(view.astype(np.float64))
    return [names[i] for i in np.argsort(-cosines, kind="stable")[:k]]


def recall(found: list[Ranking], vectors: dict[str, Floats], views: Floats, k: int) -> float:
    hits = sum(
        len(set(ranking.fact_ids[:k]) & set(exact(vectors, view, k)))
        for ranking, view in zip(found, views, strict=True)
    )
    return hits / (k * len(views))


def batches(views: Floats, size: int = 4) -> Iterator[Floats]:
    """Views as they come: four at a time."""
    for start in range(0, len(views), size):
        yield views[start : start + size]


@pytest.fixture(scope="module")
def crowd(graph: Graph) -> dict[str, object]:
    """One world asked alone, then the same with five others loaded whose facts lie among its own."""
    vectors = clustered(1200, seed=1)
    views = views_near(vectors, 200, seed=2)
    kb = place(graph, f"w-{uuid4().hex[:12]}", vectors)
    alone = [ranking for four in batches(views) for ranking in nearest(graph, kb, four, 10)]
    for other in range(5):
        # The same clusters, moved a little: near neighbours of another world, with the same ids.
        rng = np.random.default_rng(100 + other)
        moved = {name: v + 0.02 * rng.standard_normal(DIMENSION).astype(np.float32) for name, v in vectors.items()}
        place(graph, f"w-{uuid4().hex[:12]}", moved)
    return {"vectors": vectors, "views": views, "kb": kb, "alone": alone}


def test_recall_against_exact_with_other_worlds_loaded(graph: Graph, crowd: dict) -> None:
    found = [ranking for four in batches(crowd["views"]) for ranking in nearest(graph, crowd["kb"], four, 10)]
    assert recall(found, crowd["vectors"], crowd["views"], 10) >= 0.999


def test_other_worlds_change_nothing(graph: Graph, crowd: dict) -> None:
    found = [ranking for four in batches(crowd["views"]) for ranking in nearest(graph, crowd["kb"], four, 10)]
    assert [ranking.fact_ids for ranking in found] == [ranking.fact_ids for ranking in crowd["alone"]]
    for now, before in zip(found, crowd["alone"], strict=True):
        assert now.scores == pytest.approx(before.scores, abs=1e-6)


def test_scores_are_cosines_and_fall(graph: Graph, crowd: dict) -> None:
    views = crowd["views"][:4]
    for ranking, view in zip(nearest(graph, crowd["kb"], views, 10), views, strict=True):
        wanted = [float(crowd["vectors"][name] @ view) for name in ranking.fact_ids]
        assert ranking.scores == pytest.approx(wanted, abs=1e-5)
        assert list(ranking.scores) == sorted(ranking.scores, reverse=True)
        assert ranking.leg == "dense"


@pytest.mark.parametrize("k", [1, 10, 100, 1199, 1200, 1201, 5000])
def test_exactly_as_many_as_asked_for_or_as_there_are(graph: Graph, crowd: dict, k: int) -> None:
    for ranking in nearest(graph, crowd["kb"], crowd["views"][:2], k):
        assert len(ranking.fact_ids) == len(ranking.scores) == len(set(ranking.fact_ids)) == min(k, 1200)
        assert set(ranking.fact_ids) <= set(crowd["vectors"])


def test_a_whole_world_comes_in_exact_order(graph: Graph, crowd: dict) -> None:
    view = crowd["views"][:1]
    (ranking,) = nearest(graph, crowd["kb"], view, 1200)
    cosines = [
        float(crowd["vectors"][name].astype(np.float64) @ view[0].astype(np.float64)) for name in ranking.fact_ids
    ]
    assert all(after <= before + 1e-6 for before, after in pairwise(cosines))


def test_the_first_view_alone_goes_deeper(graph: Graph, crowd: dict) -> None:
    found = nearest(graph, crowd["kb"], crowd["views"][:3], 10, depth=300)
    assert [len(ranking.fact_ids) for ranking in found] == [300, 10, 10]
    assert [ranking.view for ranking in found] == [0, 1, 2]
    shallow = nearest(graph, crowd["kb"], crowd["views"][:3], 10)
    assert [ranking.fact_ids[:10] for ranking in found] == [ranking.fact_ids for ranking in shallow]
    # A depth below k changes nothing.
    assert nearest(graph, crowd["kb"], crowd["views"][:3], 10, depth=3) == shallow


def test_a_small_world_beside_a_crowded_one(graph: Graph, new_world: NewWorld) -> None:
    # 3,000 facts of the crowd lie nearer to the request than any of the 20: a search that filters behind the index
    # comes back with none.
    rng = np.random.default_rng(7)
    view = rng.standard_normal(DIMENSION)
    view /= np.linalg.norm(view)
    near = {f"d{i:04d}": (view + 0.05 * rng.standard_normal(DIMENSION)).astype(np.float32) for i in range(3000)}
    far = {f"d{i:04d}": (0.2 * view + rng.standard_normal(DIMENSION)).astype(np.float32) for i in range(20)}
    place(graph, new_world(), near)
    small = place(graph, new_world(), far)
    views = np.array([view, -view], dtype=np.float32)
    found = nearest(graph, small, views, 10)
    assert [list(ranking.fact_ids) for ranking in found] == [exact(far, each, 10) for each in views]


def test_equal_facts_come_by_id_also_at_the_cut(graph: Graph, new_world: NewWorld) -> None:
    same = np.full(DIMENSION, 0.125, dtype=np.float32)
    other = -same
    names = [f"d{i:02d}" for i in (7, 3, 11, 0, 9, 4, 1, 10, 5, 2, 8, 6)]
    kb = place(graph, new_world(), {**dict.fromkeys(names, same), "a-far": other})
    (ranking,) = nearest(graph, kb, same[None, :], 5)
    assert ranking.fact_ids == ("d00", "d01", "d02", "d03", "d04")


def test_a_world_of_one_fact(graph: Graph, new_world: NewWorld) -> None:
    vectors = clustered(1, seed=3)
    kb = place(graph, new_world(), vectors)
    for ranking in nearest(graph, kb, views_near(vectors, 3, seed=4), 10):
        assert ranking.fact_ids == ("d0000",)


def test_an_index_that_lags_behind_is_made_good(graph: Graph, new_world: NewWorld) -> None:
    vectors = clustered(120, seed=5)
    kb = place(graph, new_world(), vectors)
    views = views_near(vectors, 3, seed=6)
    # What the index does not hold yet: facts of the world that it cannot return.
    left = exact(vectors, views[0], 5)
    run(
        graph,
        f"MATCH (f:Fact {{world: $world}}) WHERE f.fact_id IN $names REMOVE f:Vector{DIMENSION}",
        world=kb.world,
        names=left,
    )
    with mock.patch.object(graph, "read", wraps=graph.read) as read:
        found = nearest(graph, kb, views, 120)
    assert [call.args[0] for call in read.call_args_list] == ["search/dense", "search/exact"]
    assert [list(ranking.fact_ids) for ranking in found] == [exact(vectors, view, 120) for view in views]
    # Each view is cut to its own length also then.
    assert [len(ranking.fact_ids) for ranking in nearest(graph, kb, views, 118, depth=120)] == [120, 118, 118]


def test_an_index_that_keeps_up_is_all_that_is_asked(graph: Graph, crowd: dict) -> None:
    with mock.patch.object(graph, "read", wraps=graph.read) as read:
        nearest(graph, crowd["kb"], crowd["views"][:4], 10)
    assert [call.args[0] for call in read.call_args_list] == ["search/dense"]


def test_both_ways_to_search_agree(graph: Graph, crowd: dict) -> None:
    views = crowd["views"][:8]
    by_index = nearest(graph, crowd["kb"], views, 10)
    # Shown a world that is larger than it is, the search finds the index short and looks at every fact.
    more = {**crowd["kb"].facts, **{f"x{i}": None for i in range(9000)}}
    larger = KnowledgeBase(crowd["kb"].world, "d", "hash-64", DIMENSION, facts=more)  # type: ignore[arg-type]
    by_scan = [Ranking(r.view, r.leg, r.fact_ids[:10], r.scores[:10]) for r in nearest(graph, larger, views, 2000)]
    assert [r.fact_ids for r in by_index] == [r.fact_ids for r in by_scan]
    for index, scan in zip(by_index, by_scan, strict=True):
        assert index.scores == pytest.approx(scan.scores, abs=1e-6)


def test_vectors_of_another_dimension_are_refused(graph: Graph, crowd: dict) -> None:
    with pytest.raises(ValueError, match="dimension 32"):
        nearest(graph, crowd["kb"], crowd["views"][:1, :32], 10)


# --- the stage: both legs

TEXTS = {f"d{i:02d}": text for i, text in enumerate(
    ["red door", "red roof", "blue door", "green gate", "tall tower", "red red door", "old oak", "new moon"]
)}  # fmt: skip


@pytest.fixture(scope="module")
def small(graph: Graph) -> KnowledgeBase:
    model = HashEmbedder("hash-64")
    vectors = dict(zip(TEXTS, model.embed(list(TEXTS.values())), strict=True))
    return place(graph, f"w-{uuid4().hex[:12]}", vectors)


def found(graph: Graph, kb: KnowledgeBase, *texts: str, **options) -> tuple[Ranking, ...]:
    views = Views(Plan(Query(texts[0], kb.world)), tuple(View(text, "original", 1.0) for text in texts))
    chain = retrieve(graph, HashEmbedder("hash-64"), Lexical(TEXTS), kb, **options)
    rankings = chain.invoke(views)
    assert rankings.views is views
    return rankings.lists


def test_lists_come_view_by_view_dense_first(graph: Graph, small: KnowledgeBase) -> None:
    lists = found(graph, small, "red door", "green gate", k=3)
    assert [(ranking.view, ranking.leg, len(ranking.fact_ids)) for ranking in lists] == [
        (0, "dense", 3), (0, "lexical", 3), (1, "dense", 3), (1, "lexical", 1),
    ]  # fmt: skip
    assert lists[0].fact_ids[0] == "d00"
    assert lists[3].fact_ids == ("d03",)


@pytest.mark.parametrize("leg", ["dense", "lexical"])
def test_one_leg_alone(graph: Graph, small: KnowledgeBase, leg: Leg) -> None:
    assert {ranking.leg for ranking in found(graph, small, "red door", k=3, legs=(leg,))} == {leg}


def test_no_shared_word_is_an_empty_list_and_no_error(graph: Graph, small: KnowledgeBase) -> None:
    dense, lexical = found(graph, small, "quite something else", k=3)
    assert (len(dense.fact_ids), lexical.fact_ids) == (3, ())


def test_depth_is_for_the_request_in_both_legs(graph: Graph, small: KnowledgeBase) -> None:
    lists = found(graph, small, "red door", "red door", k=2, depth=4)
    assert [len(ranking.fact_ids) for ranking in lists] == [4, 4, 2, 2]


def test_a_prefix_goes_before_what_is_embedded_and_nothing_else(graph: Graph, small: KnowledgeBase) -> None:
    # hash-64 knows words: with the prefix "old" the text is nearest to "old oak"; BM25 never sees the prefix.
    dense, lexical = found(graph, small, "oak", k=1, prefix="old ")
    assert dense.fact_ids == ("d06",)
    assert dense.scores[0] == pytest.approx(1.0, abs=1e-5)
    dense, lexical = found(graph, small, "oak", k=8, prefix="red ")
    assert lexical.fact_ids == ("d06",)


def test_an_empty_world_has_no_dense_list(graph: Graph) -> None:
    empty = KnowledgeBase("w", "d", "hash-64", DIMENSION, facts={})
    views = Views(Plan(Query("q", "w")), (View("q", "original", 1.0),))
    lists = retrieve(graph, HashEmbedder("hash-64"), Lexical({}), empty, k=3).invoke(views).lists
    assert [(ranking.leg, ranking.fact_ids) for ranking in lists] == [("lexical", ())]

"""The k-NN graph against brute force, and a digest that changes exactly when its world does."""

from __future__ import annotations

import hashlib
import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pace_graph import knn
from pace_graph.knn import Edge, Floats, content_digest, neighbours, unit, world_digest

calm = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # for busy machines

# Grid points on few numbers: exact cosines repeat, so that ties are the rule and not the exception.
grids = st.integers(1, 4).flatmap(
    lambda dim: st.lists(
        st.lists(st.integers(-2, 2), min_size=dim, max_size=dim).filter(any),
        min_size=1,
        max_size=14,
    )
)


def exact(vectors: Floats, k: int) -> list[tuple[int, int, int]]:
    """The same graph without floating point: cosines as fractions, rounded to 9 decimals, all of them sorted."""
    rows = [[Fraction(float(x)) for x in vector] for vector in vectors]
    found = []
    for source, a in enumerate(rows):
        cosines = [round(sum(x * y for x, y in zip(a, b, strict=True)), 9) for b in rows]
        others = sorted((n for n in range(len(rows)) if n != source), key=lambda n: (-cosines[n], n))
        found += [(source, target, rank) for rank, target in enumerate(others[:k], start=1)]
    return found


def made(*rows: list[float]) -> Floats:
    return unit(np.array(rows, dtype=np.float32))


@calm
@given(grids, st.integers(1, 20))
def test_it_is_the_graph_of_a_full_sort_in_exact_numbers_ties_by_position(rows: list[list[int]], k: int) -> None:
    assert [edge[:3] for edge in neighbours(made(*rows), k)] == exact(made(*rows), k)


@pytest.mark.parametrize("count", [511, 512, 513, 1100])
def test_it_agrees_with_brute_force_across_the_blocks_it_works_in(count: int) -> None:
    vectors = unit(np.random.default_rng(count).standard_normal((count, 8)).astype(np.float32))
    edges = neighbours(vectors, 10)
    assert len(edges) == 10 * count
    wide = vectors.astype(np.float64)
    for source in (0, 1, 510, count // 2, count - 1):
        cosines = np.round([float(wide[source] @ other) for other in wide], 9)
        order = sorted((n for n in range(count) if n != source), key=lambda n: (-cosines[n], n))[:10]
        mine = [edge for edge in edges if edge.source == source]
        assert [edge.target for edge in mine] == order
        assert [edge.score for edge in mine] == pytest.approx([cosines[n] for n in order], abs=2e-9)


def test_scores_are_cosines_ranks_count_from_one() -> None:
    assert neighbours(made([1, 0], [0, 1], [1, 1]), 2) == [
        Edge(0, 2, 1, 0.707106769),  # as float32 has it
        Edge(0, 1, 2, 0.0),
        Edge(1, 2, 1, 0.707106769),
        Edge(1, 0, 2, 0.0),
        Edge(2, 0, 1, 0.707106769),
        Edge(2, 1, 2, 0.707106769),
    ]


@pytest.mark.parametrize("k", [1, 3, 10, 100])
def test_equal_vectors_are_ranked_by_position_also_at_the_cut(k: int) -> None:
    edges = neighbours(made(*[[1.0, 0.0]] * 20), k)
    for source in range(20):
        others = [n for n in range(20) if n != source]
        mine = [(edge.target, edge.rank) for edge in edges if edge.source == source]
        assert mine == [(n, rank) for rank, n in enumerate(others[:k], start=1)]


@pytest.mark.parametrize(
    ("count", "k", "each"), [(0, 10, 0), (1, 10, 0), (2, 10, 1), (5, 10, 4), (11, 10, 10), (12, 10, 10)]
)
def test_with_fewer_others_than_k_all_of_them_are_neighbours(count: int, k: int, each: int) -> None:
    vectors = np.random.default_rng(1).standard_normal((count, 6)).astype(np.float32)
    edges = neighbours(unit(vectors) if count else vectors, k)
    assert [sum(edge.source == n for edge in edges) for n in range(count)] == [each] * count
    assert not [edge for edge in edges if edge.source == edge.target]


def test_a_fact_that_points_the_other_way_is_still_a_neighbour_never_the_fact_itself() -> None:
    assert neighbours(made([1, 0], [-1, 0]), 1) == [Edge(0, 1, 1, -1.0), Edge(1, 0, 1, -1.0)]


@calm
@given(grids, st.integers(1, 5), st.randoms(use_true_random=False))
def test_the_order_in_which_facts_come_changes_no_score(rows: list[list[int]], k: int, random) -> None:
    order = list(range(len(rows)))
    random.shuffle(order)
    straight = [edge.score for edge in neighbours(made(*rows), k)]
    mixed = neighbours(made(*(rows[n] for n in order)), k)
    by_source = {
        order[source]: [e.score for e in edges] for source, edges in itertools.groupby(mixed, lambda e: e.source)
    }
    assert [score for n in sorted(by_source) for score in by_source[n]] == straight


@pytest.mark.parametrize("block", [1, 7, 64])
def test_the_size_of_the_blocks_changes_nothing(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = unit(np.random.default_rng(5).standard_normal((130, 16)).astype(np.float32))
    whole = neighbours(vectors, 10)
    monkeypatch.setattr(knn, "_BLOCK", block)
    assert neighbours(vectors, 10) == whole


def test_a_subset_of_the_facts_keeps_the_cosines_of_the_whole() -> None:
    vectors = unit(np.random.default_rng(6).standard_normal((300, 16)).astype(np.float32))
    whole = {edge[:2]: edge.score for edge in neighbours(vectors, 299)}
    for edge in neighbours(vectors[:37], 36):
        assert whole[edge[:2]] == edge.score


@pytest.mark.parametrize("size", [1e-20, 1e-3, 1.0, 1e6, 1e18])
def test_unit_gives_length_one_whatever_the_length_was(size: float) -> None:
    vectors = (np.random.default_rng(2).standard_normal((50, 64)) * size).astype(np.float32)
    scaled = unit(vectors)
    assert scaled.dtype == np.float32
    assert np.linalg.norm(scaled.astype(np.float64), axis=1) == pytest.approx(np.ones(50), abs=1e-6)


FACTS = [("a", "one", None), ("b", "two", "2026-03-01")]
EDGES = [("a", "b", 1), ("b", "a", 1)]


def test_the_digest_of_a_world_is_the_same_on_every_machine_and_release() -> None:
    # Written down: a change here makes every world of every user look damaged.
    assert world_digest(FACTS, EDGES, "hash-64") == "cda6fdd275d11c64d41bd112b5a86f09"
    lines = b'["a", "one", null]\n["b", "two", "2026-03-01"]\n["a", "b", 1]\n["b", "a", 1]\n'
    assert world_digest(FACTS, EDGES, "hash-64") == hashlib.sha256(b"hash-64" + lines).hexdigest()[:32]


@pytest.mark.parametrize(
    ("facts", "edges", "model"),
    [
        ([("a", "one ", None), FACTS[1]], EDGES, "hash-64"),
        ([("a", "one", ""), FACTS[1]], EDGES, "hash-64"),
        ([("a", "one", None), ("b", "two", "2026-03-02")], EDGES, "hash-64"),
        ([("A", "one", None), FACTS[1]], EDGES, "hash-64"),
        (FACTS[:1], EDGES, "hash-64"),
        (FACTS, EDGES[:1], "hash-64"),
        (FACTS, [("a", "b", 2), EDGES[1]], "hash-64"),
        (FACTS, [("b", "a", 1), ("a", "b", 1)], "hash-64"),
        (FACTS, EDGES, "hash-32"),
    ],
)
def test_the_digest_changes_with_every_part_of_a_world(facts, edges, model) -> None:
    assert world_digest(facts, edges, model) != world_digest(FACTS, EDGES, "hash-64")


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)


@calm
@given(
    st.lists(st.tuples(texts, texts, st.none() | texts), max_size=4),
    st.lists(st.tuples(texts, texts, st.none() | texts), max_size=4),
)
def test_no_two_lists_of_facts_share_a_digest_wherever_the_border_between_fields_lies(one, other) -> None:
    assert (world_digest(one, [], "m") == world_digest(other, [], "m")) == (one == other)
    assert (content_digest(one, 1) == content_digest(other, 1)) == (one == other)


def test_an_edge_is_never_taken_for_a_fact() -> None:
    assert world_digest([("a", "b", "1")], [], "m") != world_digest([], [("a", "b", 1)], "m")

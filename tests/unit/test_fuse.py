"""Weighted reciprocal rank fusion, worked out by hand."""

from __future__ import annotations

from itertools import permutations

import pytest

from pace_graph.records import Leg, Plan, Query, Ranking, Rankings, View, Views
from pace_graph.stages.fuse import fuse, top, wrrf

ORIGINAL, COUNTER = 1.0, 1.2


def ranking(view: int, leg: Leg, *fact_ids: str) -> Ranking:
    return Ranking(view, leg, fact_ids, tuple(1.0 - place / 10 for place in range(len(fact_ids))))


def rankings(*lists: Ranking, weights: tuple[float, ...] = (ORIGINAL, COUNTER)) -> Rankings:
    views = tuple(View(f"view {i}", "counter" if i else "original", weight) for i, weight in enumerate(weights))
    return Rankings(Views(Plan(Query("q", "w")), views), lists)


def test_vectors_worked_out_by_hand() -> None:
    # weight / (60 + rank), original 1.0, counter 1.2:
    #   a: original dense 1, counter dense 2     1/61 + 1.2/62 = 0.0163934426 + 0.0193548387 = 0.0357482813
    #   b: original dense 2, original lexical 1  1/62 + 1/61   = 0.0161290323 + 0.0163934426 = 0.0325224749
    #   c: original dense 3, counter dense 1     1/63 + 1.2/61 = 0.0158730159 + 0.0196721311 = 0.0355451470
    #   d: original lexical 2                    1/62          = 0.0161290323
    #   e: counter lexical 1                     1.2/61        = 0.0196721311
    lists = [
        ranking(0, "dense", "a", "b", "c"),
        ranking(0, "lexical", "b", "d"),
        ranking(1, "dense", "c", "a"),
        ranking(1, "lexical", "e"),
    ]
    hits = wrrf(lists, [ORIGINAL, COUNTER], 60)
    assert [hit.fact_id for hit in hits] == ["a", "c", "b", "e", "d"]
    assert [hit.score for hit in hits] == pytest.approx(
        [0.0357482813, 0.0355451470, 0.0325224749, 0.0196721311, 0.0161290323], abs=1e-10
    )


def test_three_counters_outweigh_the_original_together() -> None:
    # x: first in both lists of the request, 2/61 = 0.0328; y: third in one list of each counter, 3 * 1.2/63 = 0.0571.
    lists = [
        ranking(0, "dense", "x"),
        ranking(0, "lexical", "x"),
        *(ranking(view, "dense", f"p{view}", f"q{view}", "y") for view in (1, 2, 3)),
    ]
    hits = wrrf(lists, [1.0, 1.2, 1.2, 1.2], 60)
    assert [(hit.fact_id, round(hit.score, 4)) for hit in hits[:2]] == [("y", 0.0571), ("x", 0.0328)]


def test_the_constant_flattens_what_a_first_place_is_worth() -> None:
    # u: one first place; v: two fourth places. k_rrf = 1: 1/2 = 0.5 against 2/5 = 0.4; k_rrf = 60: 1/61 = 0.016
    # against 2/64 = 0.031.
    lists = [ranking(0, "dense", "u", "o1", "o2", "v"), ranking(0, "lexical", "p1", "p2", "p3", "v")]
    order = {k: [hit.fact_id for hit in wrrf(lists, [1.0], k) if hit.fact_id in {"u", "v"}] for k in (1.0, 60.0)}
    assert order == {1.0: ["u", "v"], 60.0: ["v", "u"]}


def test_a_tie_goes_to_the_better_best_rank_whatever_the_ids_say() -> None:
    # k_rrf = 1: z is first once, 1/2; a is third twice, 1/4 + 1/4.
    lists = [ranking(0, "dense", "z", "m", "a"), ranking(0, "lexical", "n", "o", "a")]
    hits = [hit for hit in wrrf(lists, [1.0], 1) if hit.fact_id in {"z", "a"}]
    assert hits[0].score == hits[1].score
    assert [hit.fact_id for hit in hits] == ["z", "a"]


def test_a_tie_of_ranks_too_goes_by_id() -> None:
    hits = wrrf([ranking(0, "dense", "b", "c"), ranking(0, "lexical", "a", "d")], [1.0], 60)
    assert [hit.fact_id for hit in hits] == ["a", "b", "c", "d"]


@pytest.mark.parametrize("ranks", [(1, 2, 3), (1, 5, 8), (2, 3, 7), (1, 4, 10)])
def test_the_order_of_summing_breaks_no_tie(ranks: tuple[int, int, int]) -> None:
    # Six facts, each at the same three ranks in three lists, in every order: they differ by nothing but their ids,
    # while sums of floats differ in their last bit with the order of their terms.
    names = dict(zip(("f", "e", "d", "c", "b", "a"), permutations(ranks), strict=True))
    shares = []
    for view in range(3):
        for name, places in names.items():
            filler = [f"{name}{view}-{i}" for i in range(places[view] - 1)]
            shares.append(ranking(view, "dense", *filler, name))
    hits = [hit for hit in wrrf(shares, [1.0, 1.0, 1.0], 60) if hit.fact_id in names]
    assert len({hit.score for hit in hits}) == 1
    assert [hit.fact_id for hit in hits] == ["a", "b", "c", "d", "e", "f"]


def test_shares_name_every_list_and_add_up() -> None:
    lists = [
        ranking(0, "dense", "a", "b"),
        ranking(0, "lexical", "b", "a"),
        ranking(1, "dense", "b"),
        ranking(1, "lexical", "c", "a"),
    ]
    hits = {hit.fact_id: hit for hit in wrrf(lists, [ORIGINAL, COUNTER], 60)}
    assert [(share.view, share.leg, share.rank) for share in hits["a"].shares] == [
        (0, "dense", 1), (0, "lexical", 2), (1, "lexical", 2),
    ]  # fmt: skip
    assert [share.part for share in hits["a"].shares] == [1 / 61, 1 / 62, 1.2 / 62]
    assert [share.score for share in hits["a"].shares] == [1.0, 0.9, 0.9]
    for hit in hits.values():
        assert sum(share.part for share in hit.shares) == pytest.approx(hit.score, abs=1e-15)
        assert (hit.hop, hit.path) == (0, (hit.fact_id,))
    total = sum(hit.score for hit in hits.values())
    assert total == pytest.approx(2 / 61 + 2 / 62 + 1.2 * (2 / 61 + 1 / 62), abs=1e-12)


def test_a_view_without_weight_adds_facts_that_score_nothing() -> None:
    hits = wrrf([ranking(0, "dense", "a"), ranking(1, "dense", "b")], [1.0, 0.0], 60)
    assert [(hit.fact_id, hit.score) for hit in hits] == [("a", 1 / 61), ("b", 0.0)]


def test_nothing_fuses_to_nothing() -> None:
    assert wrrf([], [1.0], 60) == ()
    assert wrrf([ranking(0, "dense")], [1.0], 60) == ()


def test_a_list_is_cut_and_stays_what_it_was() -> None:
    whole = ranking(0, "dense", "a", "b", "c")
    assert top(whole, 2) == Ranking(0, "dense", ("a", "b"), (1.0, 0.9))
    assert whole.fact_ids == ("a", "b", "c")


def test_fusion_reads_the_first_k_of_a_list_and_gives_on_the_best_n() -> None:
    # c is third in the dense list, so k = 2 never sees it there: it scores 1/62 of the lexical list, not 1/63 more.
    given = rankings(ranking(0, "dense", "a", "b", "c"), ranking(0, "lexical", "b", "c"), weights=(1.0,))
    found = fuse(k_rrf=60, k=2, n=2).invoke(given)
    assert found.fact_ids == ("b", "a")
    assert found.rankings is given
    assert [(step.stage, step.fact_ids) for step in found.trail] == [
        ("retrieve", ("b", "a", "c")), ("fuse", ("b", "a")),
    ]  # fmt: skip
    assert found.after("retrieve")[2].score == 1 / 62


def test_fewer_facts_than_n_are_all_kept() -> None:
    given = rankings(ranking(0, "dense", "a"), ranking(0, "lexical"), weights=(1.0,))
    assert fuse(k_rrf=60, k=10, n=20).invoke(given).fact_ids == ("a",)

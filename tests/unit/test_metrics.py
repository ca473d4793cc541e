"""Retrieval metrics, worked out by hand."""

from __future__ import annotations

import pytest

from pace_graph.evaluation.measure import Measured, averages, pool, stage_seconds
from pace_graph.evaluation.metrics import PAPER, all_gold, hit, mean, recall, reciprocal_rank
from pace_graph.ledger import StageCost
from pace_graph.records import Hit, Plan, Query, Rankings, Retrieved, Step, View, Views

RANKED = ["x1", "g1", "x2", "x3", "x4", "g2", "x5", "x6", "x7", "x8", "g3", "x9"]
"""Gold at ranks 2, 6 and 11."""


def test_one_list_worked_out_by_hand() -> None:
    gold = ("g1", "g2", "g3")
    scores = {str(metric): metric(RANKED, gold) for metric in PAPER}
    assert scores == {
        "Recall@5": 1 / 3,  # g1
        "Recall@10": 2 / 3,  # g1, g2
        "Hit@5": 1.0,
        "Hit@10": 1.0,
        "Gold@5": 0.0,
        "Gold@10": 0.0,  # g3 is eleventh
        "MRR": 1 / 2,  # g1 is second
    }


@pytest.mark.parametrize(
    ("gold", "depth", "expected"),
    [
        (("g1",), None, 1 / 2),
        (("g3",), None, 1 / 11),
        (("g3",), 10, 0.0),
        (("g3",), 11, 1 / 11),
        (("g2", "g3"), 5, 0.0),
        (("g2", "g3"), None, 1 / 6),
        (("nowhere",), None, 0.0),
    ],
)
def test_reciprocal_rank_and_its_depth(gold: tuple[str, ...], depth: int | None, expected: float) -> None:
    assert reciprocal_rank(depth)(RANKED, gold) == expected


@pytest.mark.parametrize(
    ("k", "recalled", "any_hit", "whole"),
    [(1, 0.0, 0.0, 0.0), (2, 0.5, 1.0, 0.0), (5, 0.5, 1.0, 0.0), (6, 1.0, 1.0, 1.0), (100, 1.0, 1.0, 1.0)],
)
def test_the_cut_falls_behind_rank_k(k: int, recalled: float, any_hit: float, whole: float) -> None:
    gold = ("g1", "g2")
    assert (recall(k)(RANKED, gold), hit(k)(RANKED, gold), all_gold(k)(RANKED, gold)) == (recalled, any_hit, whole)


@pytest.mark.parametrize("metric", [*PAPER, reciprocal_rank(10)], ids=str)
def test_no_gold_scores_nothing_and_neither_does_no_list(metric) -> None:
    assert metric(RANKED, ()) == 0.0
    assert metric([], ("g1",)) == 0.0


def test_gold_named_twice_counts_once() -> None:
    assert recall(5)(RANKED, ("g1", "g1", "g2")) == 1 / 2


def test_metrics_print_as_their_names() -> None:
    assert [str(m) for m in (recall(7), hit(3), all_gold(2), reciprocal_rank(), reciprocal_rank(10))] == [
        "Recall@7", "Hit@3", "Gold@2", "MRR", "MRR@10",
    ]  # fmt: skip


def test_means_over_queries_and_over_worlds() -> None:
    # World a: 1, 0, 0 (mean 1/3); world b: 1 (mean 1). Over queries 2/4, over worlds (1/3 + 1)/2 = 2/3.
    rows = [("a", 1.0), ("a", 0.0), ("b", 1.0), ("a", 0.0)]
    assert mean(rows) == 0.5
    assert mean(rows, "macro") == pytest.approx(2 / 3)
    assert mean([]) == mean([], "macro") == 0.0


def measured(world: str, score: float, *costs: StageCost) -> Measured:
    query = Query("q", world)
    retrieved = Retrieved(Rankings(Views(Plan(query), (View("q", "original", 1.0),)), ()), ())
    return Measured("s", query, retrieved, {"MRR": score}, 0.0, costs)


def test_averages_and_seconds_of_rows() -> None:
    rows = [
        measured("a", 1.0, StageCost("fuse", 0.25), StageCost("retrieve", 1.0)),
        measured("a", 0.0, StageCost("fuse", 0.5)),
        measured("b", 1.0),
    ]
    metrics = (reciprocal_rank(),)
    assert averages(rows, metrics) == {"MRR": pytest.approx(2 / 3)}
    assert averages(rows, metrics, "macro") == {"MRR": pytest.approx(3 / 4)}
    assert averages([], metrics) == {"MRR": 0.0}
    assert stage_seconds(rows) == {"fuse": [0.25, 0.5], "retrieve": [1.0]}


def retrieved(*steps: tuple[str, str]) -> Retrieved:
    trail = tuple(Step(stage, tuple(Hit(fact_id) for fact_id in facts)) for stage, facts in steps)
    query = Query("q", "w")
    return Retrieved(Rankings(Views(Plan(query), ()), ()), trail[-1].hits, trail)


def test_the_pool_is_seeds_and_hops() -> None:
    steps = (("retrieve", "abcd"), ("fuse", "abc"), ("pre-hop", "ab"), ("hop 1", "xy"), ("hop 2", "z"))
    assert pool(retrieved(*steps, ("post-hop", "a"))) == set("abxyz")


def test_the_pool_without_a_walk_is_all_that_was_found() -> None:
    assert pool(retrieved(("retrieve", "abcd"), ("fuse", "ab"))) == set("abcd")


def test_the_pool_behind_a_filter_that_kept_nothing_is_empty() -> None:
    steps = (("retrieve", "abcd"), ("fuse", "abc"), ("pre-hop", ""), ("post-hop", ""))
    assert pool(retrieved(*steps)) == set()

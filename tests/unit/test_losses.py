"""Each missed gold fact is lost by one stage, worked out by hand."""

from __future__ import annotations

import pytest

from pace_graph.evaluation.losses import CEILINGS, LOSSES, account
from pace_graph.evaluation.rows import Cost, Key, Retrieval
from tests.made_runs import costs, steps

KEY = Key("pacemaker", "w", "q")
WALKED = costs(("traverse", 0.1, 0))
CHAIN = {
    "retrieve": ["kept", "again", "cut", "cut-again", "pre", "post", "x1"],
    "fuse": ["kept", "again", "pre", "post", "x1"],
    "pre_hop": ["kept", "post", "x1"],
    "hop_1": ["again", "cut-again", "walked"],
    "hop_2": ["walked-lost"],
    "post_hop": ["kept", "again", "walked", "cut-again"],
}
GOLD = ("kept", "again", "cut-again", "walked", "never", "cut", "pre", "post", "walked-lost")


def row(cost: Cost = WALKED, kept: tuple[str, ...] | None = None, **chain: list[str]) -> Retrieval:
    last = list(chain.values())[-1] if chain else []
    return Retrieval(KEY, "ok", tuple(last) if kept is None else kept, steps=steps(**chain), cost=cost)


def test_every_stage_of_the_whole_chain() -> None:
    found = account(row(**CHAIN), GOLD)
    assert dict(found.lost) == {
        "never": "walk",
        "cut": "fuse",
        "pre": "pre-hop",
        "post": "post-hop",
        "walked-lost": "post-hop",
    }
    assert dict(found.ceilings) == pytest.approx(
        {"retrieve": 6 / 9, "fuse": 4 / 9, "pre-hop": 2 / 9, "walk": 6 / 9, "kept": 4 / 9}
    )
    assert dict(found.sizes) == {"retrieve": 7, "fuse": 5, "pre-hop": 3, "walk": 7, "kept": 4}


def test_the_shares_of_a_request_add_up() -> None:
    found = account(row(**CHAIN), GOLD)
    shares = {stage: found.share_lost(stage, len(GOLD)) for stage in LOSSES}
    assert shares["post-hop"] == pytest.approx(2 / 9)
    assert sum(shares.values()) + dict(found.ceilings)["kept"] == pytest.approx(1)
    assert found.share_lost("walk", 0) == 0.0


def test_a_walk_that_found_nothing_is_still_a_walk() -> None:
    chain = {name: facts for name, facts in CHAIN.items() if not name.startswith("hop")}
    assert dict(account(row(**chain), ("never",)).lost) == {"never": "walk"}
    assert dict(account(row(costs(), **chain), ("never",)).lost) == {"never": "retrieve"}


def test_a_filter_that_kept_nothing_lost_what_it_had() -> None:
    found = account(row(retrieve=["a", "b"], fuse=["a"], pre_hop=[], post_hop=[]), ("a", "b", "c"))
    assert dict(found.lost) == {"a": "pre-hop", "b": "fuse", "c": "walk"}
    assert dict(found.ceilings)["walk"] == 0.0


def test_plain_systems_lose_by_retrieval_and_fusion() -> None:
    found = account(row(costs(), retrieve=["a", "b"], fuse=["a"]), ("a", "b", "c"))
    assert dict(found.lost) == {"b": "fuse", "c": "retrieve"}
    assert list(dict(found.ceilings)) == ["retrieve", "fuse", "kept"]


def test_systems_without_stages_never_retrieved_what_they_missed() -> None:
    found = account(row(costs(), kept=("a",)), ("a", "b"))
    assert found.lost == (("b", "retrieve"),)
    assert found.ceilings == (("kept", 0.5),)


def test_without_the_last_filter_nothing_of_the_pool_is_missed() -> None:
    chain = {name: facts for name, facts in CHAIN.items() if name != "post_hop"}
    pool = tuple(row(**chain).pool())
    found = account(row(kept=pool, **chain), GOLD)
    assert {stage for _, stage in found.lost} == {"walk", "fuse", "pre-hop"}
    assert dict(account(row(kept=(), **chain), ("walked",)).lost) == {"walked": "end"}


def test_a_walk_from_what_fusion_gave_on() -> None:
    found = account(row(kept=("a",), retrieve=["a", "b", "c"], fuse=["a", "b"], post_hop=["a"]), ("a", "b", "c", "d"))
    assert dict(found.lost) == {"b": "post-hop", "c": "fuse", "d": "walk"}


def test_no_gold_loses_nothing() -> None:
    found = account(row(**CHAIN), ())
    assert found.lost == found.ceilings == ()


def test_the_order_is_that_of_the_chain() -> None:
    assert list(LOSSES) == ["retrieve", "fuse", "pre-hop", "walk", "post-hop", "end"]
    assert list(CEILINGS) == ["retrieve", "fuse", "pre-hop", "walk", "kept"]

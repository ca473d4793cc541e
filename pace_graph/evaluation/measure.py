"""Running systems over the requests of worlds, and what comes out as numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pace_graph.asking import build
from pace_graph.env import Env
from pace_graph.evaluation.metrics import PAPER, Metric, mean
from pace_graph.ledger import Ledger, StageCost
from pace_graph.records import Query, Retrieved
from pace_graph.retrievers import find_system
from pace_graph.worlds import read_queries


@dataclass(frozen=True, slots=True)
class Measured:
    """One request asked of one system.

    Attributes:
        ceiling: share of the gold facts that reached the last filter (of what was found, for a system without one).
    """

    system: str
    query: Query
    retrieved: Retrieved
    scores: dict[str, float]
    ceiling: float
    costs: tuple[StageCost, ...]


def measure(
    env: Env, worlds: Iterable[str], systems: Sequence[str], done: Callable[[], object] = lambda: None
) -> list[Measured]:
    """Every request of the worlds asked of every system; nothing is answered or judged.

    Args:
        done: called after each request.
    """
    rows: list[Measured] = []
    for world in worlds:
        queries = read_queries(env.graph, world)
        for name in systems:
            system = find_system(name)
            chain = build(env, env.world(world), system, system.config(), name)
            for query in queries:
                ledger = Ledger()
                retrieved = chain.invoke(query, {"callbacks": [ledger]})
                rows.append(_measured(name, query, retrieved, ledger.costs()))
                done()
    return rows


def _measured(system: str, query: Query, retrieved: Retrieved, costs: tuple[StageCost, ...]) -> Measured:
    scores = {metric.name: metric(retrieved.fact_ids, query.gold) for metric in PAPER}
    gold = set(query.gold)
    reach = len(gold & pool(retrieved)) / len(gold) if gold else 0.0
    return Measured(system, query, retrieved, scores, reach, costs)


def pool(retrieved: Retrieved) -> set[str]:
    """What the last filter chose from: seeds and what the walk found; without a walk, all that was found."""
    # A filter that kept nothing left nothing to walk from: that is not a chain without a filter.
    filtered = any(step.stage == "pre-hop" for step in retrieved.trail)
    start = retrieved.after("pre-hop" if filtered else "retrieve")
    hops = (step for step in retrieved.trail if step.stage.startswith("hop "))
    return {hit.fact_id for hit in start}.union(*(step.fact_ids for step in hops))


def averages(rows: Iterable[Measured], metrics: Sequence[Metric] = PAPER, averaging: str = "micro") -> dict[str, float]:
    """The mean of every metric over some rows, in [0, 1]."""
    found = list(rows)
    return {
        metric.name: mean(((row.query.world, row.scores[metric.name]) for row in found), averaging)
        for metric in metrics
    }


def stage_seconds(rows: Iterable[Measured]) -> dict[str, list[float]]:
    """The seconds that each stage took, request by request."""
    seconds: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        for cost in row.costs:
            seconds[cost.stage].append(cost.seconds)
    return dict(seconds)

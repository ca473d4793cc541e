"""Where gold was lost: for each missed gold fact the stage that lost it, and what each stage still had.

A fact that a stage had and did not give on was lost by that stage, unless the walk met it again. A fact that no view
found was lost by the walk where there is one, since that is what a walk is for, otherwise by the retrieval.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pace_graph.evaluation.rows import Retrieval

LOSSES = {
    "retrieve": "never retrieved by any view",
    "fuse": "cut by fusion",
    "pre-hop": "dropped by the pre-hop filter, not reached again",
    "walk": "not retrieved, and not reached by the walk",
    "post-hop": "dropped by the post-hop filter",
    "end": "had in the end, not given",
}
"""Stage to what it did, in the order of the chain."""

CEILINGS = {
    "retrieve": "retrieve",
    "fuse": "fuse",
    "pre-hop": "pre-hop filter",
    "walk": "walk",
    "kept": "given to the answer",
}
"""Stage to its name in tables; only `kept` is there for every system."""


@dataclass(frozen=True, slots=True)
class Account:
    """The gold of one request on its way through the stages.

    Attributes:
        lost: (fact id, stage of `LOSSES`) of each gold fact that was not given.
        ceilings: stage of `CEILINGS` to the share of gold it still had: no later choice can be better, but for the
            walk, which finds facts anew.
        sizes: the same stages to how many facts they had.
    """

    lost: tuple[tuple[str, str], ...]
    ceilings: tuple[tuple[str, float], ...]
    sizes: tuple[tuple[str, int], ...]

    def share_lost(self, stage: str, gold: int) -> float:
        """The share of the request's gold that a stage lost."""
        return sum(lost == stage for _, lost in self.lost) / gold if gold else 0.0


def account(row: Retrieval, gold: Iterable[str]) -> Account:
    """The account of one retrieval. Gold that is no fact of the world belongs to no stage and is not looked at here."""
    wanted, had = tuple(gold), _had(row)
    lost = tuple((fact_id, _lost_by(row, fact_id, had)) for fact_id in wanted if fact_id not in had["kept"])
    ceilings = tuple((stage, len(facts.intersection(wanted)) / len(wanted)) for stage, facts in had.items() if wanted)
    return Account(lost, ceilings, tuple((stage, len(facts)) for stage, facts in had.items()))


def walked(row: Retrieval) -> bool:
    """Whether the chain has a walk; one that found nothing left a cost and no hop."""
    return row.has("hop 1") or any(cost.stage == "traverse" for cost in row.cost.stages)


def _had(row: Retrieval) -> dict[str, frozenset[str]]:
    had = {stage: frozenset(row.after(stage)) for stage in ("retrieve", "fuse", "pre-hop") if row.has(stage)}
    if walked(row):
        seeds = list(had.values())[-1] if had else frozenset[str]()
        hops = (row.after(step["stage"]) for step in row.steps if step["stage"].startswith("hop "))
        had["walk"] = seeds.union(*hops)
    return had | {"kept": frozenset(row.kept)}


def _lost_by(row: Retrieval, fact_id: str, had: dict[str, frozenset[str]]) -> str:
    last = [stage for stage in ("retrieve", "fuse", "pre-hop", "walk") if stage in had]
    if not last or fact_id in had[last[-1]]:
        return "post-hop" if row.has("post-hop") else "end" if last else "retrieve"
    stages = [stage for stage in last if stage != "walk"]
    kept_until = [stage for stage in stages if fact_id in had[stage]]
    if not kept_until:
        return "walk" if "walk" in had else "retrieve"
    after = stages.index(kept_until[-1]) + 1
    # A walk without filters hands on what fusion gave it.
    return stages[after] if after < len(stages) else "walk"

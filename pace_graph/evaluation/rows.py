"""The rows of a run folder: what every later step (judging, reporting, exporting) reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import date
from typing import Any, Literal, Self

from pace_graph.ledger import StageCost
from pace_graph.records import Hit, Query, Retrieved

RunStage = Literal["retrieval", "answer", "judge"]
Judged = Literal["PASS", "WRONG_RATIONALE", "FAIL"]


@dataclass(frozen=True, slots=True)
class Key:
    """What a row is about: one request asked of one system."""

    system: str
    world: str
    query_id: str


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as the run was given it, gold included: a line of queries.jsonl.

    Attributes:
        gold: fact ids; `gold_missing` are named in the data and are no facts of the world.
    """

    world: str
    query_id: str
    text: str
    ref_date: str | None
    label: str | None
    situation: str | None
    judgment: str
    gold: tuple[str, ...]
    gold_missing: tuple[str, ...]

    @classmethod
    def of(cls, query: Query) -> Self:
        """The row of a query."""
        return cls(
            query.world,
            query.query_id,
            query.text,
            query.ref_date.isoformat() if query.ref_date else None,
            query.label,
            query.situation,
            query.judgment,
            query.gold,
            query.gold_missing,
        )

    @classmethod
    def read(cls, row: Mapping[str, Any]) -> Self:
        """The row from JSON."""
        lists = {name: tuple(row[name]) for name in ("gold", "gold_missing")}
        return cls(**{**row, **lists})

    def query(self) -> Query:
        """The query again, as systems take it."""
        return Query(
            text=self.text,
            world=self.world,
            query_id=self.query_id,
            ref_date=date.fromisoformat(self.ref_date) if self.ref_date else None,
            label=self.label,  # type: ignore[arg-type] # written from a Query
            situation=self.situation,  # type: ignore[arg-type] # written from a Query
            judgment=self.judgment,
            gold=self.gold,
            gold_missing=self.gold_missing,
        )


@dataclass(frozen=True, slots=True)
class Cost:
    """What a row cost: by stage, and in money.

    Attributes:
        usd: None when the model has no price set.
        tokens_saved: tokens of replies that came from our cache, prompt and reply together; they were not paid again.
    """

    stages: tuple[StageCost, ...] = ()
    usd: float | None = None
    tokens_saved: int = 0

    def as_json(self) -> dict[str, Any]:
        """The cost as JSON."""
        return {"stages": [asdict(stage) for stage in self.stages], "usd": self.usd, "tokens_saved": self.tokens_saved}

    @classmethod
    def read(cls, row: Mapping[str, Any]) -> Self:
        """The cost from JSON."""
        known = {field.name for field in fields(StageCost)}
        stages = tuple(StageCost(**{k: v for k, v in stage.items() if k in known}) for stage in row["stages"])
        return cls(stages, row["usd"], row["tokens_saved"])

    @property
    def total(self) -> StageCost:
        """All stages together."""
        total = StageCost("total")
        for stage in self.stages:
            total = total.plus(stage)
        return total


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What one retrieval found, with its whole trail.

    Attributes:
        status: `error` when it failed for good; such a row is counted apart and never scored.
        kept: fact ids, best first: what retrieval metrics rank.
        views: text, kind and weight of each.
        lists: the ranked list of each view and leg: view, leg, fact_ids, scores.
        steps: stage, status, unknown, duplicate, and hits (fact_id, score, hop, path) that each stage gave on, as
            lists. The names are those of the chain: `retrieve` (all that was found), `fuse`, `pre-hop`, `hop 1` …,
            `post-hop`.
        notes: text that is no fact of the world, for systems that return some.
    """

    key: Key
    status: Literal["ok", "error"]
    kept: tuple[str, ...] = ()
    views: tuple[Mapping[str, Any], ...] = ()
    plan: tuple[Mapping[str, Any], ...] = ()
    lists: tuple[Mapping[str, Any], ...] = ()
    steps: tuple[Mapping[str, Any], ...] = ()
    error: str = ""
    cost: Cost = Cost()

    def after(self, stage: str) -> tuple[str, ...]:
        """The fact ids that a stage gave on; none when the chain has no such stage."""
        return next((tuple(hit[0] for hit in step["hits"]) for step in self.steps if step["stage"] == stage), ())

    def has(self, stage: str) -> bool:
        """Whether the chain has such a stage."""
        return any(step["stage"] == stage for step in self.steps)

    def pool(self) -> frozenset[str]:
        """What the last filter chose from: seeds and what the walk found; without a walk, all that was found."""
        start = self.after("pre-hop") if self.has("pre-hop") else self.after("retrieve")
        hops = (self.after(step["stage"]) for step in self.steps if step["stage"].startswith("hop "))
        return frozenset(start).union(*hops)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a system said. `text` is empty for an error."""

    key: Key
    status: Literal["ok", "error"]
    text: str = ""
    verdict: str | None = None
    evidence: tuple[str, ...] = ()
    error: str = ""
    cost: Cost = Cost()


@dataclass(frozen=True, slots=True)
class Judgment:
    """What a judge made of an answer; `repeat` counts from 0."""

    key: Key
    model: str
    repeat: int
    status: Literal["ok", "error"]
    label: Judged | None = None
    error: str = ""
    cost: Cost = Cost()


Row = Retrieval | Answer | Judgment
_STAGES: dict[type[Any], RunStage] = {Retrieval: "retrieval", Answer: "answer", Judgment: "judge"}


def as_json(row: Row) -> dict[str, Any]:
    """A row as one JSON object: stage, system, world, query_id, then its own fields."""
    own = {field.name: getattr(row, field.name) for field in fields(row) if field.name not in {"key", "cost"}}
    return {"stage": _STAGES[type(row)], **asdict(row.key), **own, "cost": row.cost.as_json()}


def from_json(row: Mapping[str, Any]) -> Row:
    """The row of a JSON object that `as_json` made."""
    kind = next(kind for kind, stage in _STAGES.items() if stage == row["stage"])
    given = {name: value for name, value in row.items() if name not in {"stage", "system", "world", "query_id", "cost"}}
    lists = {name: tuple(value) for name, value in given.items() if isinstance(value, list)}
    key = Key(row["system"], row["world"], row["query_id"])
    made: Row = kind(key=key, cost=Cost.read(row["cost"]), **{**given, **lists})
    return made


def retrieval(key: Key, retrieved: Retrieved, cost: Cost, depth: int) -> Retrieval:
    """The row of a retrieval.

    Args:
        depth: how much of each ranked list is kept.
    """
    views = retrieved.rankings.views
    return Retrieval(
        key,
        "ok",
        retrieved.fact_ids,
        tuple({"text": view.text, "kind": view.kind, "weight": view.weight} for view in views.views),
        tuple(asdict(direction) for direction in views.plan.directions),
        tuple(
            {
                "view": ranking.view,
                "leg": ranking.leg,
                "fact_ids": list(ranking.fact_ids[:depth]),
                "scores": [round(score, 6) for score in ranking.scores[:depth]],
            }
            for ranking in retrieved.rankings.lists
        ),
        tuple(
            {
                "stage": step.stage,
                "status": step.status,
                "unknown": step.unknown,
                "duplicate": step.duplicate,
                "hits": [_hit(hit) for hit in step.hits],
            }
            for step in retrieved.trail
        ),
        cost=cost,
    )


def _hit(hit: Hit) -> list[Any]:
    return [hit.fact_id, round(hit.score, 9), hit.hop, list(hit.path)]

"""The frozen records that flow from stage to stage; each keeps what it came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal

Label = Literal["conflict", "non_conflict"]
Situation = Literal["temporal", "personal", "state"]
Leg = Literal["dense", "lexical"]
Verdict = Literal["proceed", "decline"]
Read = Literal["ok", "parse_failed", "none"]
"""Whether a model's reply could be read, could not, or said none."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One atomic fact of a world.

    Attributes:
        date: as the file gave it (a day, or an instant with or without zone), if it gave one.
    """

    fact_id: str
    text: str
    date: str | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """A request, made on `ref_date`. Gold is for measuring only; no stage reads it."""

    text: str
    world: str
    query_id: str = "ask"
    ref_date: date | None = None
    label: Label | None = None
    situation: Situation | None = None
    judgment: str = ""
    gold: tuple[str, ...] = ()
    gold_missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Timeline:
    """The bounded time around the reference date (paper, section on timelines)."""

    window_start: date | None = None
    ref_date: date | None = None
    window_end: date | None = None


@dataclass(frozen=True, slots=True)
class Attribute:
    """One value of a profile: `group` and `name` as in the profile's tables."""

    group: str
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Person:
    """The ego or an alter, with what the profile says of them."""

    name: str
    role: Literal["ego", "alter"]
    relation: str = ""
    attributes: tuple[Attribute, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """One persona world as a file holds it: what loaders read and the writer writes.

    Attributes:
        zone: of dates that name none.
        notes: sentences for whoever loads it.
    """

    world: str
    facts: tuple[Fact, ...]
    queries: tuple[Query, ...] = ()
    people: tuple[Person, ...] = ()
    timeline: Timeline = Timeline()
    profile_json: str = ""
    zone: str = "UTC"
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KnowledgeBase:
    """A ready world as the stages see it.

    Attributes:
        digest: of facts, embedding model and edges; changes whenever any of them does.
        content: digest of all that the world was made from, people and timeline included.
        facts: every fact, ordered by id.
        days: ISO days that a fact's text mentions, and its own.
        instants: of the facts that have a date of their own, in UTC.
        persona: name of the ego ("" when unknown).
    """

    world: str
    digest: str
    embedding_model: str
    dimension: int
    facts: Mapping[str, Fact] = field(repr=False)
    days: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    instants: Mapping[str, datetime] = field(default_factory=dict, repr=False)
    people: tuple[Person, ...] = ()
    persona: str = ""
    timeline: Timeline = Timeline()
    zone: str = "UTC"
    content: str = ""


@dataclass(frozen=True, slots=True)
class Direction:
    """Where evidence may lie (paper, planner): what to look for, why, and terms taken from the request."""

    dimension: str
    description: str = ""
    anchors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What the planner found in a request. `status` tells a plan from a failed one."""

    query: Query
    directions: tuple[Direction, ...] = ()
    summary: str = ""
    status: Read = "ok"


@dataclass(frozen=True, slots=True)
class View:
    """One text to search with, and its weight in the fusion."""

    text: str
    kind: Literal["original", "counter"]
    weight: float


@dataclass(frozen=True, slots=True)
class Views:
    """The original request and its counter views, in that order."""

    plan: Plan
    views: tuple[View, ...]
    status: Read = "ok"

    @property
    def query(self) -> Query:
        """The request."""
        return self.plan.query


@dataclass(frozen=True, slots=True)
class Ranking:
    """One ranked list: facts that one leg found for one view, best first."""

    view: int
    leg: Leg
    fact_ids: tuple[str, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Rankings:
    """The ranked lists of every view and leg."""

    views: Views
    lists: tuple[Ranking, ...]

    @property
    def query(self) -> Query:
        """The request."""
        return self.views.query


@dataclass(frozen=True, slots=True)
class Share:
    """What one list gave to a fact: its rank there (from 1), its score there, and its part of the fused score."""

    view: int
    leg: Leg
    rank: int
    score: float
    part: float


@dataclass(frozen=True, slots=True)
class Hit:
    """A fact on its way to being evidence.

    Attributes:
        score: fused score; 0 for a fact found only by the walk.
        hop: 0 for a seed, otherwise the hop that found it.
        path: fact ids from a seed to this fact, both included.
        shares: which lists found it.
    """

    fact_id: str
    score: float = 0.0
    hop: int = 0
    path: tuple[str, ...] = ()
    shares: tuple[Share, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """What one stage left: its name, the hits it gave on (in order), and remarks worth counting.

    Attributes:
        unknown: ids that a filter named and that were no candidate.
        duplicate: ids that it named again.
    """

    stage: str
    hits: tuple[Hit, ...]
    status: str = "ok"
    unknown: int = 0
    duplicate: int = 0

    @property
    def fact_ids(self) -> tuple[str, ...]:
        """The ids of its hits, in order."""
        return tuple(hit.fact_id for hit in self.hits)


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Facts found so far, best first, with the trail of what every stage gave on."""

    rankings: Rankings
    hits: tuple[Hit, ...]
    trail: tuple[Step, ...] = ()

    @property
    def query(self) -> Query:
        """The request."""
        return self.rankings.query

    @property
    def fact_ids(self) -> tuple[str, ...]:
        """The ids of the hits, best first."""
        return tuple(hit.fact_id for hit in self.hits)

    def after(self, stage: str) -> tuple[Hit, ...]:
        """The hits that a stage gave on; none when the chain has no such stage."""
        return next((step.hits for step in self.trail if step.stage == stage), ())


@dataclass(frozen=True, slots=True)
class Answered:
    """The assistant's reply. `verdict` is None where none was asked for or none could be read."""

    retrieved: Retrieved
    text: str
    verdict: Verdict | None = None

    @property
    def query(self) -> Query:
        """The request."""
        return self.retrieved.query

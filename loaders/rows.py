"""Records as rows that Cypher takes, and the digest of what a load is made from."""

from __future__ import annotations

from dataclasses import astuple
from datetime import datetime
from typing import Any

from neo4j.vector import Vector

from pace_graph.dates import days_in, read_given
from pace_graph.knn import Floats, content_digest
from pace_graph.records import Case, Fact, Query

_FORM = 1
"""Raised whenever what is stored for the same file changes, so that worlds of an older form are loaded again."""


def fact_row(fact: Fact, vector: Floats, zone: str) -> dict[str, Any]:
    """A fact with its vector, its own day and instant, and the days its text mentions."""
    given = read_given(fact.date, zone) if fact.date else None
    days = dict.fromkeys(day.isoformat() for day in ((given.day,) if given else ()) + days_in(fact.text))
    return {
        "fact_id": fact.fact_id,
        "text": fact.text,
        "date": fact.date,
        "day": given.day if given else None,
        "at": given.instant if given else None,
        "days": list(days),
        "embedding": Vector(vector.astype("<f4").tobytes(), "f32", byteorder="little"),
    }


def own_instant(fact: Fact, zone: str) -> datetime | None:
    """The instant of a fact's own date, as `fact_row` stores it."""
    return read_given(fact.date, zone).instant if fact.date else None


def people_rows(case: Case) -> list[dict[str, Any]]:
    """The people of a case with their attributes."""
    return [
        {
            "name": person.name,
            "role": person.role,
            "relation": person.relation,
            "attributes": [{"group": a.group, "name": a.name, "value": a.value} for a in person.attributes],
        }
        for person in case.people
    ]


def query_rows(case: Case) -> list[dict[str, Any]]:
    """The requests of a case, numbered in the order of the file."""
    return [_query_row(position, query, case) for position, query in enumerate(case.queries)]


def _query_row(position: int, query: Query, case: Case) -> dict[str, Any]:
    return {
        "query_id": query.query_id,
        "text": query.text,
        "label": query.label,
        "situation": query.situation,
        "judgment": query.judgment,
        "ref_date": query.ref_date or case.timeline.ref_date,
        "position": position,
        "gold": list(query.gold),
        "gold_missing": list(query.gold_missing),
    }


def content(case: Case, model: str, k_graph: int) -> str:
    """A digest of everything a world is made from; two loads with the same one leave the same world."""
    facts = sorted((fact.fact_id, fact.text, fact.date) for fact in case.facts)
    more = (
        [astuple(query) for query in case.queries],
        [astuple(person) for person in case.people],
        astuple(case.timeline),
        case.profile_json,
        case.zone,
    )
    return content_digest(facts, _FORM, model, k_graph, *more)

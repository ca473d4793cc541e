"""A world as files again, in the layout of the PACE release."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pace_graph.files import write_new
from pace_graph.graph import Graph
from pace_graph.records import Case, Fact, Query
from pace_graph.worlds import read_case, ready_row


def export_world(graph: Graph, world: str, folder: Path) -> tuple[Path, ...]:
    """Writes kb/<world>/corpus.json, kb/<world>/queries.json and, where there is one, profile/<world>.json.

    Loading them again gives the same world, to the digest.

    Raises:
        WorldError: when there is no such world, or it is not ready.
        ConfigError: when a file is there already, or the folder cannot be written.
    """
    ready_row(graph, world)
    case = read_case(graph, world)
    timeline = {
        "window_start": _day(case.timeline.window_start),
        "ref_date": _day(case.timeline.ref_date),
        "window_end": _day(case.timeline.window_end),
    }
    files: dict[Path, str] = {
        folder / "kb" / world / "corpus.json": _json({"timeline": timeline, "corpus": [_fact(f) for f in case.facts]}),
        folder / "kb" / world / "queries.json": _json({"timeline": timeline, "queries": _queries(case)}),
    }
    if profile := _profile(case):
        files[folder / "profile" / f"{world}.json"] = profile
    return write_new(files)


def _profile(case: Case) -> str:
    ego = next((person.name for person in case.people if person.role == "ego"), None)
    if case.profile_json or ego is None:
        return case.profile_json
    # A world of someone's own notes has no profile file, but may know whose notes they are.
    return _json({"case_id": case.world, "spec": {"demographic": {"full_name": ego}}})


def _day(day: object) -> str | None:
    return str(day) if day else None


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


def _fact(fact: Fact) -> dict[str, Any]:
    dated = {"date": fact.date} if fact.date is not None else {}
    return {"doc_id": fact.fact_id, "text": fact.text, **dated}


def _queries(case: Case) -> list[dict[str, Any]]:
    return [_query(query, case) for query in case.queries]


def _query(query: Query, case: Case) -> dict[str, Any]:
    own_date = {"ref_date": _day(query.ref_date)} if query.ref_date != case.timeline.ref_date else {}
    return {
        "query_id": query.query_id,
        "query": query.text,
        "situation_type": query.situation,
        "label": query.label,
        "judgment": query.judgment,
        "gold_doc_ids": [*query.gold, *query.gold_missing],
        **own_date,
    }

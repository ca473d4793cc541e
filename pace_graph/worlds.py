"""Worlds as they stand in the graph: opening, listing, reading back and deleting them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import numpy as np

from pace_graph.errors import WorldError
from pace_graph.graph import Graph, Row
from pace_graph.knn import Floats
from pace_graph.records import Attribute, Case, Fact, KnowledgeBase, Person, Query, Timeline

_BATCH = 5000


@dataclass(frozen=True, slots=True)
class WorldRow:
    """One line of the list of worlds."""

    world: str
    status: str
    facts: int | None
    queries: int
    persona: str | None
    embedding_model: str | None
    dimension: int | None
    ref_date: str | None
    loaded: str | None


def list_worlds(graph: Graph) -> tuple[WorldRow, ...]:
    """Every world of the graph, by name."""
    return tuple(WorldRow(**row) for row in graph.read("world/list"))


def open_world(graph: Graph, world: str) -> KnowledgeBase:
    """A ready world with its facts.

    Raises:
        WorldError: when there is no such world, or it is not ready; says what to do.
    """
    row = ready_row(graph, world)
    facts = graph.read("world/facts", world=world)
    ego = next((person["name"] for person in row["people"] if person["role"] == "ego"), "")
    return KnowledgeBase(
        world=world,
        digest=row["digest"],
        embedding_model=row["embedding_model"],
        dimension=row["dimension"],
        facts={fact["fact_id"]: Fact(fact["fact_id"], fact["text"], fact["date"]) for fact in facts},
        days={fact["fact_id"]: tuple(fact["days"] or ()) for fact in facts},
        instants={fact["fact_id"]: datetime.fromisoformat(fact["at"]) for fact in facts if fact["at"]},
        people=tuple(Person(p["name"], p["role"], p["relation"] or "") for p in row["people"]),
        persona=ego,
        timeline=_timeline(row),
        zone=row["zone"] or "UTC",
        content=row["content"] or "",
    )


def world_row(graph: Graph, world: str) -> Row:
    """What the graph keeps on a world.

    Raises:
        WorldError: when there is no such world; names those there are.
    """
    rows = graph.read("world/open", world=world)
    if not rows:
        known = [row.world for row in list_worlds(graph)]
        there = (
            f"there are: {', '.join(known[:10])}{' …' if len(known) > 10 else ''}" if known else "none is loaded yet"
        )
        raise WorldError(f"there is no world named {world}; {there}")
    return rows[0]


def ready_row(graph: Graph, world: str) -> Row:
    """What the graph keeps on a world that is ready.

    Raises:
        WorldError: when there is no such world, or it is not ready; says what to do.
    """
    row = world_row(graph, world)
    if row["status"] != "ready":
        raise WorldError(_not_ready(world, row))
    return row


def _not_ready(world: str, row: Row) -> str:
    if row["status"] == "deleting":
        return f"world {world} is being deleted; finish it with: pace-graph world delete {world} --yes"
    source = f" of {row['source']}" if row["source"] else ""
    return (
        f"world {world} is loading: its load{source} is under way or was interrupted; run that load again to finish it"
    )


def _timeline(row: Row) -> Timeline:
    return Timeline(*(_day(row[name]) for name in ("window_start", "ref_date", "window_end")))


def _day(value: str | None) -> date | None:
    return date.fromisoformat(value) if value else None


def read_queries(graph: Graph, world: str) -> tuple[Query, ...]:
    """The requests of a world, with gold, in the order of the file."""
    return tuple(
        Query(
            text=row["text"],
            world=world,
            query_id=row["query_id"],
            ref_date=_day(row["ref_date"]),
            label=row["label"],
            situation=row["situation"],
            judgment=row["judgment"] or "",
            gold=tuple(row["gold"]),
            gold_missing=tuple(row["gold_missing"] or ()),
        )
        for row in graph.read("world/queries", world=world)
    )


def read_people(graph: Graph, world: str) -> tuple[Person, ...]:
    """The people of a world with their attributes, the ego first."""
    return tuple(
        Person(
            name=row["name"],
            role=row["role"],
            relation=row["relation"] or "",
            attributes=tuple(Attribute(**attribute) for attribute in row["attributes"]),
        )
        for row in graph.read("world/people", world=world)
    )


def read_case(graph: Graph, world: str) -> Case:
    """A whole world as the graph holds it, ready or not."""
    row = world_row(graph, world)
    facts = graph.read("world/facts", world=world)
    return Case(
        world=world,
        facts=tuple(Fact(fact["fact_id"], fact["text"], fact["date"]) for fact in facts),
        queries=read_queries(graph, world),
        people=read_people(graph, world),
        timeline=_timeline(row),
        profile_json=row["profile"] or "",
        zone=row["zone"] or "UTC",
    )


def read_vectors(graph: Graph, world: str, dimension: int) -> tuple[list[str], Floats]:
    """The fact ids of a world, in order, and their vectors as stored.

    Returns:
        ids, and float32 of shape (facts, dimension); the row of a fact without a vector is NaN.
    """
    rows = graph.read("world/vectors", shape={"dimension": dimension}, world=world)
    vectors = np.full((len(rows), dimension), np.nan, dtype=np.float32)
    for position, row in enumerate(rows):
        if row["embedding"] is not None:
            vectors[position] = np.frombuffer(row["embedding"].raw(), dtype=">f4")
    return [row["fact_id"] for row in rows], vectors


def read_edges(graph: Graph, world: str) -> dict[tuple[str, str], list[tuple[Any, Any]]]:
    """The SIMILAR_TO edges of a world: (source id, target id) to rank and score of each edge between the two.

    If all is well that is one edge, a whole number and a float; a damaged world may hold anything.
    """
    edges: dict[tuple[str, str], list[tuple[Any, Any]]] = defaultdict(list)
    for row in graph.read("world/edges", world=world):
        edges[row["source"], row["target"]].append((row["rank"], row["score"]))
    return dict(edges)


def counts(graph: Graph, world: str) -> dict[str, int]:
    """How many facts, edges, people, queries and traces a world has.

    Raises:
        WorldError: when there is no such world.
    """
    world_row(graph, world)
    return dict(graph.read("world/counts", world=world)[0])


def delete_world(graph: Graph, world: str, progress: Callable[[int], Any] = lambda _: None) -> int:
    """Removes a world whole and says how many nodes went; 0 when there was none.

    It is done in pieces: a deletion that is cut short leaves a world that readers refuse and that the next call
    finishes.

    Args:
        progress: told of every piece, in nodes.
    """
    if not graph.write("world/doom", world=world):
        return 0
    removed = 0
    while piece := graph.write("world/delete", world=world, limit=_BATCH)[0]["removed"]:
        removed += piece
        progress(piece)
    return removed + int(graph.write("world/forget", world=world)[0]["removed"])

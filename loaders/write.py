"""The write way: a case becomes a world in the graph, or the world becomes what the case now says.

A load holds a token. Every statement it sends asks for that token, so that a load which another one has overtaken stops
instead of mixing in. Readers refuse the world from `load/begin` to `load/finish`; an interrupted load is finished by
the next one, which embeds only what is missing.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Any, Literal, TypeVar

from loaders.edges import link
from loaders.rows import content, fact_row, own_instant, people_rows, query_rows
from pace_graph import embed
from pace_graph.config import Settings
from pace_graph.embed import Embedder
from pace_graph.errors import GraphError, WorldError
from pace_graph.graph import Graph, Row
from pace_graph.knn import world_digest
from pace_graph.records import Case, Fact
from pace_graph.worlds import read_case, world_row

T = TypeVar("T")
Progress = Callable[[str, str, int, int], None]
"""Told of (world, stage, done, of how many)."""

_STRIP = 5000


def silent(_world: str, _stage: str, _done: int, _total: int) -> None:
    """A progress that says nothing."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a load did to a world."""

    world: str
    facts: int
    edges: int
    added: int = 0
    changed: int = 0
    removed: int = 0
    edges_changed: int = 0
    digest: str = ""
    embedding_model: str = ""

    @property
    def untouched(self) -> bool:
        """Whether the world already was what the file says."""
        return not (self.added or self.changed or self.removed or self.edges_changed)


@dataclass(frozen=True)
class _Load:
    """One load under way."""

    graph: Graph
    world: str
    token: str
    embedder: Embedder
    progress: Progress

    def write(self, name: str, *, shape: dict[str, int] | None = None, **params: Any) -> Row:
        """The first row of a write that this load may do only while it holds the world."""
        rows = self.graph.write(name, shape=shape, world=self.world, token=self.token, **params)
        if not rows:
            raise GraphError(f"another load of world {self.world} has begun; this one stopped where it was")
        return rows[0]


def write_world(
    graph: Graph, settings: Settings, case: Case, *, source: str, merge: bool = False, k_graph: int = 10,
    progress: Progress = silent,
) -> Loaded:  # fmt: skip
    """Makes the world what the case says, and ready.

    Args:
        source: what the case was read from; shown when the load has to be finished later.
        merge: facts, people and queries of the world that the case does not have stay.
        k_graph: SIMILAR_TO edges per fact.

    Raises:
        WorldError: when the world is kept with another embedding model than the one set.
        GraphError, ServerDown, ModelError: when the graph or the model fails; the world then stays refused until
        loaded again.
    """
    state = _state(graph, case.world)
    _refuse_deleting(case.world, state)
    embedder = _embedder(settings, case, state)
    said = _merged(read_case(graph, case.world), case) if merge and state else case
    if state.get("status") == "ready" and state["content"] == content(said, embedder.name, k_graph):
        kept = _kept(graph, said, state, embedder)
        if kept is not None:
            return kept
    load = _Load(graph, case.world, secrets.token_hex(8), embedder, progress)
    _schema(graph, embedder.dimension)
    _begin(load, k_graph, source, stale=False, finishes="own" if merge else "any")
    # Read again, now that no other load can change it.
    said = _merged(read_case(graph, case.world), case) if merge else case
    return _carry_out(load, said, k_graph)


def re_embed(graph: Graph, settings: Settings, world: str, progress: Progress = silent) -> Loaded:
    """Gives every fact of a world a vector of the model that is set now, and the edges that follow from them.

    Raises:
        WorldError: when there is no such world, or it is not whole: being deleted, or its load was cut short.
    """
    row = world_row(graph, world)
    embedder = embed.for_texts(settings, (fact.text for fact in read_case(graph, world).facts))
    k_graph = row["k_graph"] or 10
    load = _Load(graph, world, secrets.token_hex(8), embedder, progress)
    _schema(graph, embedder.dimension)
    _begin(load, k_graph, row["source"] or "re-embed", stale=True, finishes="none")
    return _carry_out(load, read_case(graph, world), k_graph)


def _state(graph: Graph, world: str) -> Row:
    rows = graph.read("load/state", world=world)
    return rows[0] if rows else {}


def _refuse_deleting(world: str, state: Row) -> None:
    if state.get("status") == "deleting":
        raise WorldError(f"world {world} is being deleted; finish it with: pace-graph world delete {world} --yes")


def _kept(graph: Graph, case: Case, state: Row, embedder: Embedder) -> Loaded | None:
    """What a load says that finds its world as it should be; None when something of it was lost or changed since."""
    known = _known(graph, case.world, embedder.dimension)
    edges = int(graph.read("world/counts", world=case.world)[0]["edges"])
    if len(known) != len(case.facts) or edges != state["edges"]:
        return None
    if any(_differs(known.get(fact.fact_id), fact, case.zone) for fact in case.facts):
        return None
    return Loaded(case.world, len(known), edges, digest=state["digest"], embedding_model=embedder.name)


def _embedder(settings: Settings, case: Case, state: Row) -> Embedder:
    if state.get("embedding_model"):
        return embed.for_world(settings, case.world, state["embedding_model"], state["dimension"])
    return embed.for_texts(settings, (fact.text for fact in case.facts))


def _merged(there: Case, new: Case) -> Case:
    facts = {fact.fact_id: fact for fact in (*there.facts, *new.facts)}
    return replace(
        there,
        facts=tuple(facts.values()),
        people=new.people or there.people,
        timeline=new.timeline if new.timeline.ref_date else there.timeline,
        zone=new.zone,
    )


def _schema(graph: Graph, dimension: int) -> None:
    for name in (
        "world_key", "fact_key", "query_key", "person_key", "trace_key", "fact_world", "attribute_world", "trace_world",
    ):  # fmt: skip
        _make(graph, f"schema/{name}")
    _make(graph, "schema/vectors", shape={"dimension": dimension})
    graph.write("schema/await", seconds=300)


def _make(graph: Graph, name: str, shape: dict[str, int] | None = None) -> None:
    try:
        graph.write(name, shape=shape)
    except GraphError:
        # Of two first loads at once, one finds at its end that what was not there at its start now is: asked again, it
        # has nothing to do. Whatever else is wrong is as wrong the second time.
        graph.write(name, shape=shape)


def _begin(
    load: _Load, k_graph: int, source: str, *, stale: bool, finishes: Literal["any", "own", "none"]
) -> None:  # fmt: skip
    """Takes the world.

    Args:
        finishes: which load that was cut short this one makes whole: `any` says all of a world, `own` may only go on
            with its own source, since what another source still lacks it does not know.
    """
    rows = load.graph.write(
        "load/begin",
        world=load.world,
        token=load.token,
        model=load.embedder.name,
        dimension=load.embedder.dimension,
        k_graph=k_graph,
        source=source,
        stale=stale,
        finishes=finishes,
    )
    if rows:
        return
    state = _state(load.graph, load.world)
    _refuse_deleting(load.world, state)
    raise WorldError(
        f"world {load.world} is not whole: its load of {state.get('source')} is under way or was interrupted; run that "
        f"load again, with the embedding model {state.get('embedding_model')}, or remove what there is: "
        f"pace-graph world delete {load.world} --yes"
    )


def _carry_out(load: _Load, case: Case, k_graph: int) -> Loaded:
    began = time.monotonic()
    _strip_if_stale(load)
    known = _known(load.graph, load.world, load.embedder.dimension)
    facts = sorted(case.facts, key=lambda fact: fact.fact_id)
    todo = [fact for fact in facts if _differs(known.get(fact.fact_id), fact, case.zone)]
    gone = sorted(known.keys() - {fact.fact_id for fact in facts})
    for piece in _pieces(gone, _STRIP):
        load.write("load/remove", fact_ids=piece)
    _embed(load, case, todo)
    load.write("load/people", people=people_rows(case))
    load.write("load/queries", queries=query_rows(case))
    linked = link(load.graph, load.write, load.world, load.embedder.dimension, k_graph, load.progress)
    digest = world_digest(((f.fact_id, f.text, f.date) for f in facts), linked.edges, load.embedder.name)
    made_from = content(case, load.embedder.name, k_graph)
    _finish(load, case, made_from, digest, len(linked.edges), time.monotonic() - began)
    changed = sum(fact.fact_id in known for fact in todo)
    return Loaded(
        load.world,
        len(facts),
        len(linked.edges),
        len(todo) - changed,
        changed,
        len(gone),
        linked.changed,
        digest,
        load.embedder.name,
    )


def _strip_if_stale(load: _Load) -> None:
    # A world marked stale may hold vectors of two models, of one dimension even: none of them is kept.
    if not _state(load.graph, load.world).get("stale"):
        return
    for row in load.graph.read("schema/vector_dimensions"):
        dimension = int(row["name"].rsplit("_", 1)[1])
        while load.write("load/strip", shape={"dimension": dimension}, limit=_STRIP)["stripped"]:
            pass
    load.write("load/stripped")


def _known(graph: Graph, world: str, dimension: int) -> dict[str, Row]:
    return {row["fact_id"]: row for row in graph.read("load/known", world=world, dimension=dimension)}


def _differs(known: Row | None, fact: Fact, zone: str) -> bool:
    if known is None or not known["embedded"] or (known["text"], known["date"]) != (fact.text, fact.date):
        return True
    # The same date is another instant in another zone.
    at = datetime.fromisoformat(known["at"]) if known["at"] else None
    return at != own_instant(fact, zone)


def _embed(load: _Load, case: Case, facts: Sequence[Fact]) -> None:
    done = 0
    for piece in _pieces(facts, load.embedder.batch):
        load.progress(load.world, "facts", done, len(facts))
        vectors = load.embedder.embed([fact.text for fact in piece])
        rows = [fact_row(fact, vector, case.zone) for fact, vector in zip(piece, vectors, strict=True)]
        load.write("load/facts", shape={"dimension": load.embedder.dimension}, rows=rows)
        done += len(piece)
    load.progress(load.world, "facts", done, len(facts))


def _finish(load: _Load, case: Case, made_from: str, digest: str, edges: int, seconds: float) -> None:
    row = load.write(
        "load/finish",
        content=made_from,
        digest=digest,
        facts=len(case.facts),
        edges=edges,
        window_start=case.timeline.window_start,
        ref_date=case.timeline.ref_date,
        window_end=case.timeline.window_end,
        profile=case.profile_json,
        zone=case.zone,
        seconds=seconds,
    )
    if not row["ready"]:
        raise GraphError(
            f"world {load.world} has {row['found_facts']} facts and {row['found_edges']} edges where "
            f"{len(case.facts)} and {edges} were written; run the load again"
        )


def _pieces(items: Iterable[T], size: int) -> Iterator[list[T]]:
    source = iter(items)
    while piece := list(islice(source, size)):
        yield piece

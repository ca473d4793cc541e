"""No statement is left untried: one world's whole life, and what people paste, executed every file under `cypher/`.

It runs everything itself, over a connection of its own, so that it says the same whether the other tests ran or not, in
one process or in many. A new file that nothing here reaches fails the last assertion: give it a use, or a line below.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date

from loaders.write import re_embed, write_world
from pace_graph.asking import ask
from pace_graph.config import EmbeddingSettings, Settings
from pace_graph.env import Env, open_env
from pace_graph.records import Attribute, Case, Fact, Person, Query, Timeline
from pace_graph.texts import names, statement
from pace_graph.traces import last_trace
from pace_graph.verify import verify_world
from pace_graph.worlds import delete_world, list_worlds

THINGS = ("lake", "cabin", "bridge", "garden", "market")


def case(world: str, count: int, lamp: str = "lamp") -> Case:
    facts = [f"The {THINGS[i % 5]} has {i} {lamp}s beside the {THINGS[(i * 3 + 1) % 5]}." for i in range(count)]
    return Case(
        world,
        tuple(Fact(f"d{i:02d}", text, "2026-03-20" if i == 0 else None) for i, text in enumerate(facts)),
        queries=(Query("Is the bridge lit?", world, "q0", date(2026, 3, 20), gold=("d02",)),),
        people=(Person("Ada", "ego", attributes=(Attribute("g", "n", "v"),)), Person("Joan", "alter", "friend")),
        timeline=Timeline(ref_date=date(2026, 3, 20)),
    )


def test_every_statement_is_executed(settings: Settings, new_world: Callable[[], str]) -> None:
    world = new_world()
    with open_env(settings) as env:
        assert env.graph.used == {"schema/ping"}
        _load(env, settings, world)
        _ask(env, world)
        _explore(env, world)
        assert delete_world(env.graph, world) > 20
        assert world not in {row.world for row in list_worlds(env.graph)}
        used = env.graph.used
    assert set(names()) - used == set()


def _load(env: Env, settings: Settings, world: str) -> None:
    whole = case(world, 20)
    write_world(env.graph, settings, whole, source="test")
    # A few texts change and a few facts go: edges appear, go, and change their rank.
    changed = [replace(fact, text=f"{fact.text} Again.") for fact in whole.facts[:5]]
    again = write_world(env.graph, settings, replace(whole, facts=(*changed, *whole.facts[5:17])), source="test")
    assert (again.changed, again.removed) == (5, 3)
    for model in ("hash-32", settings.embedding.model):
        re_embed(env.graph, settings.model_copy(update={"embedding": EmbeddingSettings(model=model)}), world)
    assert verify_world(env.graph, world).findings == ()


def _ask(env: Env, world: str) -> None:
    request = "Is the bridge by the lake lit?"
    for config in ({}, {"cut": "after_visited", "edges": "symmetric"}):
        assert ask(env, world, request, **config).retrieved.hits
    # What the search falls back on when the index lags.
    embedding = env.embedder(env.world(world)).embed([request])[0].tolist()
    assert env.graph.read("search/exact", world=world, vectors=[embedding], k=3)


def _explore(env: Env, world: str) -> None:
    trace = last_trace(env.graph, world)
    values = {
        "world": world,
        "trace_id": trace["trace_id"],
        "fact_id": trace["kept"][0]["fact_id"],
        "query_id": "q0",
        "day": "2026-03-20",
        "from": trace["seeds"][0]["fact_id"],
        "to": trace["seeds"][1]["fact_id"],
    }
    for name in names():
        if name.startswith("explore/"):
            params = {param: values[param] for param in statement(name).params}
            assert env.graph.read(name, **params), name

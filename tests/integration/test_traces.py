"""The evidence path in the graph: what `ask` leaves, what `explain` reads, and the statements for people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from importlib.resources import as_file, files
from itertools import pairwise
from uuid import uuid4

import pytest

from loaders.pace import FORMAT
from loaders.write import write_world
from pace_graph.asking import Reply, ask
from pace_graph.config import ChatSettings, PaceConfig, Settings
from pace_graph.env import Env, open_env
from pace_graph.errors import WorldError
from pace_graph.graph import Graph
from pace_graph.records import Case, Query
from pace_graph.retrievers import find_system
from pace_graph.texts import names
from pace_graph.traces import Asked, browser_statement, last_trace, seeds, walked, write_trace
from pace_graph.worlds import counts, delete_world, read_edges
from tests.drawn import run
from tests.integration.test_pacemaker import Script, ids
from tests.openai_server import ScriptedServer

REQUEST = "Book the hall for tomorrow evening."
EXPLORED = (
    "a_day", "links_two_facts", "missed_gold", "why_kept", "why_this_fact", "world_at_a_glance",
)  # fmt: skip


@pytest.fixture(scope="module")
def bundled() -> Case:
    """The first bundled world, under a name of this run."""
    with as_file(files("pace_graph").joinpath("data", "pace_mini")) as folder:
        case = next(iter(FORMAT.read(folder)))
    world = f"w-{uuid4().hex[:12]}"
    return replace(case, world=world, queries=tuple(replace(query, world=world) for query in case.queries))


@pytest.fixture(scope="module")
def world(graph: Graph, settings: Settings, bundled: Case) -> str:
    write_world(graph, settings, bundled, source="test")
    return bundled.world


@dataclass
class Left:
    """What was asked, and the trace of it."""

    query: Query
    reply: Reply
    trace: dict


@pytest.fixture(scope="module")
def left(env: Env, world: str, bundled: Case) -> Left:
    query = bundled.queries[0]
    system = "pacemaker-rules"
    # Three seeds are fewer than what is kept: some of it can only come from the walk.
    reply = ask(env, world, query.text, day=query.ref_date, system=system, n_filter=3)
    return Left(query, reply, last_trace(env.graph, world))


def explore(graph: Graph, statement: str, **params: object) -> list[dict]:
    return graph.read(f"explore/{statement}", **params)


# --- what ask leaves


def test_ask_leaves_what_was_asked(left: Left) -> None:
    views = left.reply.retrieved.rankings.views.views
    assert {key: left.trace[key] for key in ("trace_id", "world", "system", "query_id", "text", "run")} == {
        "trace_id": left.reply.trace_id,
        "world": left.query.world,
        "system": "pacemaker-rules",
        "query_id": "ask",
        "text": left.query.text,
        "run": "",
    }
    assert left.trace["views"] == [view.text for view in views]
    assert len(views) > 1
    assert left.trace["ref_date"] == left.reply.retrieved.query.ref_date.isoformat()
    # Rules give no verdict, and say nothing.
    assert (left.trace["verdict"], left.trace["answer"]) == (None, None)


def test_the_path_is_that_of_the_retrieval(left: Left) -> None:
    retrieved, trace = left.reply.retrieved, left.trace
    facts = left.reply.kb.facts
    assert [fact["fact_id"] for fact in trace["seeds"]] == [hit.fact_id for hit in retrieved.after("pre-hop")]
    assert [fact["rank"] for fact in trace["seeds"]] == list(range(1, len(trace["seeds"]) + 1))
    assert [(fact["fact_id"], fact["hop"], fact["parent"]) for fact in trace["reached"]] == [
        (hit.fact_id, hit.hop, hit.path[-2]) for hit in walked(retrieved)
    ]
    assert len(trace["reached"]) > 20
    assert [(fact["fact_id"], fact["rank"], tuple(fact["path"])) for fact in trace["kept"]] == [
        (hit.fact_id, rank, hit.path) for rank, hit in enumerate(retrieved.hits, start=1)
    ]
    for part in ("seeds", "reached", "kept"):
        assert all(fact["text"] == facts[fact["fact_id"]].text for fact in trace[part])


def test_seeds_say_which_lists_found_them(left: Left) -> None:
    by_id = {hit.fact_id: hit for hit in left.reply.retrieved.after("pre-hop")}
    for fact in left.trace["seeds"]:
        hit = by_id[fact["fact_id"]]
        assert fact["score"] == pytest.approx(hit.score)
        assert len(fact["legs"]) == len(hit.shares) > 0
        share = hit.shares[0]
        assert fact["legs"][0].startswith(f"view {share.view} {share.leg} rank {share.rank} ")


def test_paths_run_along_edges_that_are_there(left: Left, graph: Graph, world: str) -> None:
    edges = {ends for ends, kept in read_edges(graph, world).items() if min(rank for rank, _ in _pairs(kept)) <= 3}
    seeded = {fact["fact_id"] for fact in left.trace["seeds"]}
    hops = dict.fromkeys(seeded, 0) | {fact["fact_id"]: fact["hop"] for fact in left.trace["reached"]}
    steps = [(fact["parent"], fact["fact_id"]) for fact in left.trace["reached"]]
    for fact in left.trace["kept"]:
        assert fact["path"][0] in seeded
        assert len(fact["path"]) == hops[fact["fact_id"]] + 1
        steps += list(pairwise(fact["path"]))
    assert set(steps) <= edges
    assert all(hops[to] == hops[start] + 1 for start, to in steps)


def _pairs(kept):
    # One edge between two facts, or a list of them.
    return kept if isinstance(kept, list) else [kept]


def test_without_a_trace_nothing_is_left(env: Env, world: str) -> None:
    before = counts(env.graph, world)["traces"]
    assert ask(env, world, REQUEST, trace=False).trace_id is None
    assert counts(env.graph, world)["traces"] == before


def test_every_ask_leaves_one_of_its_own(env: Env, world: str) -> None:
    before = counts(env.graph, world)["traces"]
    made = {ask(env, world, REQUEST, system=system).trace_id for system in ("bm25", "dense", "hybrid", "hybrid")}
    assert (len(made), counts(env.graph, world)["traces"]) == (4, before + 4)


def test_a_system_without_a_walk_leaves_what_it_found(env: Env, world: str) -> None:
    reply = ask(env, world, REQUEST, system="hybrid")
    trace = last_trace(env.graph, world)
    assert trace["reached"] == []
    found = [fact["fact_id"] for fact in trace["kept"]]
    assert found == [fact["fact_id"] for fact in trace["seeds"]] == list(reply.retrieved.fact_ids)


def test_a_filter_that_kept_nothing_leaves_no_seed(settings: Settings, world: str) -> None:
    with ScriptedServer(Script({"pre-hop": ids()})) as server:
        agent = ChatSettings(model="scripted", base_url=server.url)
        with open_env(settings.model_copy(update={"agent": agent})) as env:
            reply = ask(env, world, REQUEST, system="pacemaker")
            trace = last_trace(env.graph, world)
    assert trace["trace_id"] == reply.trace_id
    assert (trace["seeds"], trace["reached"], trace["kept"]) == ([], [], [])
    assert (trace["verdict"], trace["answer"]) == ("decline", "I would not: the bridge is shut.")
    assert seeds(reply.retrieved) == ()


def test_the_newest_of_all_worlds_or_of_one(
    env: Env, settings: Settings, new_world: Callable[[], str], world: str
) -> None:
    other = Case(new_world(), ())
    write_world(env.graph, settings, other, source="test")
    with pytest.raises(WorldError, match=f"nothing was asked yet of world {other.world}"):
        last_trace(env.graph, other.world)
    mine = ask(env, world, REQUEST).trace_id
    theirs = ask(env, other.world, REQUEST).trace_id
    assert last_trace(env.graph, world)["trace_id"] == mine
    assert last_trace(env.graph, other.world)["trace_id"] == theirs
    # Other tests may ask too: the newest of all is of this world or of another, and no older than these.
    assert last_trace(env.graph)["asked"] >= last_trace(env.graph, other.world)["asked"]


def test_gold_is_shown_to_people_beside_a_path(env: Env, world: str, bundled: Case) -> None:
    query = bundled.queries[1]
    _trace(env, world, query)
    assert {fact["fact_id"] for fact in last_trace(env.graph, world)["gold"]} == set(query.gold)


def _trace(env: Env, world: str, query: Query) -> str:
    system = find_system("pacemaker-rules")
    chain = system.build(env, env.world(world), system.config())
    return write_trace(env.graph, chain.invoke(query), Asked("pacemaker-rules", run="r1"), PaceConfig())


def test_traces_go_with_the_world(env: Env, settings: Settings, new_world: Callable[[], str], bundled: Case) -> None:
    world = new_world()
    write_world(env.graph, settings, Case(world, bundled.facts[:30]), source="test")
    ask(env, world, REQUEST)
    assert counts(env.graph, world)["traces"] == 1
    delete_world(env.graph, world)
    left_over = run(env.graph, "MATCH (t:Trace {world: $world}) RETURN count(t) AS traces", world=world)
    assert left_over == [{"traces": 0}]


def test_a_world_that_went_meanwhile_takes_no_trace(env: Env, left: Left) -> None:
    views = left.reply.retrieved.rankings.views
    gone = replace(views.plan.query, world="gone")
    rankings = replace(left.reply.retrieved.rankings, views=replace(views, plan=replace(views.plan, query=gone)))
    with pytest.raises(WorldError, match="gone"):
        write_trace(env.graph, replace(left.reply.retrieved, rankings=rankings), Asked("s"), PaceConfig())


# --- statements for people: cypher/explore


def test_no_statement_for_people_is_left_out_here() -> None:
    assert [name for name in names() if name.startswith("explore/")] == [f"explore/{name}" for name in EXPLORED]


def test_a_day(graph: Graph, world: str, bundled: Case) -> None:
    day = "2026-03-21"
    days = {day for fact in bundled.facts if fact.date for day in [fact.date[:10]]}
    day = sorted(days)[len(days) // 2] if days else day
    rows = explore(graph, "a_day", world=world, day=day)
    dated = {fact.fact_id for fact in bundled.facts if fact.date and fact.date.startswith(day)}
    spelled = {fact.fact_id for fact in bundled.facts if _spelled(date.fromisoformat(day)) in fact.text}
    assert dated | spelled <= {row["fact_id"] for row in rows}
    assert 0 < len(rows) < 30
    assert explore(graph, "a_day", world=world, day="1999-01-01") == []


def _spelled(day: date) -> str:
    return f"{day:%B} {day.day}, {day.year}"


def test_links_two_facts(graph: Graph, world: str, left: Left) -> None:
    longest = max(left.trace["reached"], key=lambda fact: fact["hop"])
    start = left.trace["seeds"][0]["fact_id"]
    rows = explore(graph, "links_two_facts", world=world, **{"from": start, "to": longest["fact_id"]})
    (row,) = rows
    texts = left.reply.kb.facts
    assert row["facts"][0] == texts[start].text
    assert row["facts"][-1] == texts[longest["fact_id"]].text
    assert len(row["facts"]) == row["steps"] + 1
    # The shortest chain, either way along the edges, is no longer than any path that the walk took.
    ends = {frozenset(pair) for pair in read_edges(graph, world)}
    ids_of = {fact.text: fact_id for fact_id, fact in texts.items()}
    chain = [ids_of[text] for text in row["facts"]]
    assert all(frozenset(pair) in ends for pair in pairwise(chain))
    neighbour = next(to for a, to in read_edges(graph, world) if a == start)
    (near,) = explore(graph, "links_two_facts", world=world, **{"from": start, "to": neighbour})
    assert near["steps"] == 1


def test_missed_gold(env: Env, world: str, bundled: Case) -> None:
    query = bundled.queries[2]
    before = explore(env.graph, "missed_gold", world=world, query_id=query.query_id)
    assert {(row["came"], row["system"]) for row in before} == {("never asked", None)}
    _trace(env, world, query)
    trace = last_trace(env.graph, world)
    kept = {fact["fact_id"] for fact in trace["kept"]}
    pool = {fact["fact_id"] for part in ("seeds", "reached") for fact in trace[part]}
    rows = explore(env.graph, "missed_gold", world=world, query_id=query.query_id)
    assert {row["fact_id"] for row in rows} == set(query.gold)
    for row in rows:
        fact_id = row["fact_id"]
        expected = "kept" if fact_id in kept else "dropped by the last filter" if fact_id in pool else "never reached"
        assert (row["came"], row["system"]) == (expected, "pacemaker-rules")


def test_why_kept(graph: Graph, left: Left) -> None:
    rows = explore(graph, "why_kept", trace_id=left.trace["trace_id"])
    assert [row["kept"][2]["fact_id"] for row in rows] == [fact["fact_id"] for fact in left.trace["kept"]]
    for row, fact in zip(rows, left.trace["kept"], strict=True):
        assert [seed[2]["fact_id"] for seed in row["seeds"]] == [fact["path"][0]]
        # Two facts may have chosen each other: then both edges of a step are drawn.
        drawn = {frozenset((step[0]["fact_id"], step[2]["fact_id"])) for step in row["steps"]}
        assert drawn == {frozenset(pair) for pair in pairwise(fact["path"])}
    assert max(len(fact["path"]) for fact in left.trace["kept"]) > 2


def test_the_statement_to_paste_draws_the_same(graph: Graph, left: Left) -> None:
    text = browser_statement(left.trace["trace_id"])
    assert "$" not in text
    assert len(run(graph, text.removeprefix("CYPHER 25"))) == len(left.trace["kept"])


def test_why_this_fact(graph: Graph, world: str, left: Left) -> None:
    by_id: dict[str, dict] = {fact["fact_id"]: fact for fact in left.trace["reached"]}
    for fact in (left.trace["kept"][0], left.trace["seeds"][-1], left.trace["reached"][-1]):
        rows = explore(graph, "why_this_fact", world=world, fact_id=fact["fact_id"])
        row = next(row for row in rows if row["request"] == left.query.text and row["system"] == "pacemaker-rules")
        seeded = {seed["fact_id"]: seed for seed in left.trace["seeds"]}.get(fact["fact_id"], {})
        met = by_id.get(fact["fact_id"], {})
        kept = {kept["fact_id"]: kept for kept in left.trace["kept"]}.get(fact["fact_id"], {})
        assert (row["seed_rank"], row["lists"]) == (seeded.get("rank"), seeded.get("legs"))
        assert (row["hop"], row["parent"], row["kept_rank"]) == (met.get("hop"), met.get("parent"), kept.get("rank"))
    asked = [row["asked"] for row in rows]
    assert asked == sorted(asked, reverse=True)


def test_world_at_a_glance(graph: Graph, world: str, bundled: Case) -> None:
    rows = explore(graph, "world_at_a_glance", world=world)
    assert {row["home"][0]["name"] for row in rows} == {person.name for person in bundled.people}
    known = {row["known"][2]["name"] for row in rows if row["known"]}
    assert known == {person.name for person in bundled.people if person.role == "alter"}
    has = {row["has"][2]["value"] for row in rows if row["has"]}
    assert has == {attribute.value for person in bundled.people for attribute in person.attributes}

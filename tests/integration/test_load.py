"""Loading: twice changes nothing, a change costs what it touches, what was cut short is finished, nobody mixes in."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from loaders.write import re_embed, write_world
from pace_graph import verify
from pace_graph.config import Settings
from pace_graph.embed.hashed import HashEmbedder
from pace_graph.errors import GraphError, ModelError, WorldError
from pace_graph.graph import Graph
from pace_graph.records import Case, Fact, Person, Query, Timeline
from pace_graph.server import Address
from pace_graph.worlds import delete_world, open_world, read_case, world_row
from tests.made import (
    EmbeddingServer,
    changed,
    cypher,
    embedding_server,
    facts,
    found,
    held,
    load,
    ok,
    put,
    put_pace,
    refused,
    with_model,
)

NewWorld = Callable[[], str]


def sound(graph: Graph, world: str) -> str:
    """The digest of a world that is what it says it is."""
    seen = verify.verify_world(graph, world)
    assert seen.findings == ()
    assert seen.digest == world_row(graph, world)["digest"]
    return seen.digest


@pytest.fixture
def embedded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every text that the hash model is given, eight at a time."""
    given: list[str] = []
    plain = HashEmbedder.embed

    def embed(self: HashEmbedder, texts: list[str]) -> Any:
        given.extend(texts)
        return plain(self, texts)

    monkeypatch.setattr(HashEmbedder, "batch", 8)
    monkeypatch.setattr(HashEmbedder, "embed", embed)
    return given


def rich(world: str, given: tuple[Fact, ...]) -> Case:
    """A world with everything a world can have."""
    asked = [Query(f"May I {n}?", world, f"q{n}", label="conflict", gold=(f"f{n:04d}", "f0000")) for n in (1, 2, 3)]
    people = (Person("Mara", "ego"), Person("Ivo", "alter", "brother"))
    days = Timeline(date(2026, 3, 1), date(2026, 3, 9), date(2026, 3, 31))
    return Case(world, given, tuple(asked), people, days, '{"case_id": 1}')


# Loading again.


def test_loading_three_times_is_loading_once(
    graph: Graph, settings: Settings, neo4j: Address, new_world: NewWorld, embedded: list[str]
) -> None:
    world = new_world()
    case = rich(world, facts(60))
    first = write_world(graph, settings, case, source="made")
    once = held(neo4j, world)
    assert (first.added, first.changed, first.removed, first.edges, first.untouched) == (60, 0, 0, 600, False)
    assert len(embedded) == 60
    for _ in range(2):
        again = write_world(graph, settings, case, source="made")
        assert again.untouched
        assert (again.facts, again.edges, again.digest) == (60, 600, first.digest)
        # To the element id, and to the moment it was loaded: nothing was written at all.
        assert held(neo4j, world) == once
    assert len(embedded) == 60
    assert len(once.facts) == 60
    assert len(once.similar) == 600
    assert sound(graph, world) == first.digest


def test_the_order_of_the_file_changes_nothing(
    graph: Graph, settings: Settings, neo4j: Address, new_world: NewWorld
) -> None:
    world, mirrored = new_world(), new_world()
    first = load(graph, settings, world, facts(40))
    assert load(graph, settings, world, reversed(facts(40))).untouched
    assert load(graph, settings, mirrored, reversed(facts(40))).digest == first.digest
    assert held(neo4j, mirrored).graph == held(neo4j, world).graph


def test_the_command_says_what_it_did(on_server: None, new_world: NewWorld, tmp_path: Path) -> None:
    world, path = new_world(), put(tmp_path, facts(12))
    assert "12 added (12 facts, 120 SIMILAR_TO edges" in ok("load", "facts", path, "--world", world)
    assert "unchanged (12 facts, 120 SIMILAR_TO edges)" in ok("load", "facts", path, "--world", world)
    put(tmp_path, changed(facts(12), f0003="Another text."))
    [row] = json.loads(ok("load", "facts", path, "--world", world, "--json"))
    assert (row["added"], row["changed"], row["removed"], row["facts"]) == (0, 1, 0, 12)


# A change.


def edges_to_touch(before: dict[tuple[str, str], Any], after: dict[tuple[str, str], Any], which: set[str]) -> set[str]:
    """The facts whose list of neighbours holds one of `which`, before or after, and those themselves."""
    return which | {source for source, target in (*before, *after) if target in which}


def test_a_changed_text_costs_one_text_one_vector_and_the_edges_it_touches(
    graph: Graph, settings: Settings, neo4j: Address, new_world: NewWorld, embedded: list[str]
) -> None:
    world, fresh = new_world(), new_world()
    given = facts(80)
    load(graph, settings, world, given)
    before = held(neo4j, world)
    embedded.clear()
    now = changed(given, f0007="mara cello cello dentist rain")
    again = load(graph, settings, world, now)
    after = held(neo4j, world)

    assert embedded == ["mara cello cello dentist rain"]
    assert (again.added, again.changed, again.removed) == (0, 1, 0)
    differs = {name for name in before.facts if before.facts[name] != after.facts[name]}
    assert differs == {"f0007"}
    assert {key for key in before.facts["f0007"] if before.facts["f0007"][key] != after.facts["f0007"][key]} == {
        "text",
        "embedding",
    }
    touched = edges_to_touch(before.similar, after.similar, {"f0007"})
    assert len(touched) < 60
    moved = {ends for ends in {*before.similar, *after.similar} if before.similar.get(ends) != after.similar.get(ends)}
    assert moved
    assert {source for source, _ in moved} <= touched
    assert again.edges_changed == len(moved)
    assert load(graph, settings, fresh, now).digest == again.digest == sound(graph, world)
    assert held(neo4j, fresh).graph == after.graph


@pytest.mark.parametrize("k_graph", [1, 3, 10, 40])
def test_any_change_leaves_what_a_fresh_load_leaves(
    graph: Graph, settings: Settings, neo4j: Address, new_world: NewWorld, k_graph: int
) -> None:
    world, fresh = new_world(), new_world()
    given = facts(30)
    load(graph, settings, world, given, k_graph=k_graph)
    # One gone, two changed to be equal to a third, two new; one id sorts before all others, one behind.
    now = (
        Fact("a-first", "ivo chess"),
        *changed(given[1:], f0005=given[9].text, f0006=given[9].text),
        Fact("z-last", given[9].text),
    )
    again = load(graph, settings, world, now, k_graph=k_graph)
    assert (again.added, again.changed, again.removed) == (2, 2, 1)
    assert load(graph, settings, fresh, now, k_graph=k_graph).digest == again.digest
    assert held(neo4j, fresh).graph == held(neo4j, world).graph
    sound(graph, world)


def test_a_change_and_back_is_the_first_world_again(graph: Graph, settings: Settings, new_world: NewWorld) -> None:
    world = new_world()
    first = load(graph, settings, world, facts(25))
    assert load(graph, settings, world, changed(facts(25), f0001="rain")).digest != first.digest
    assert load(graph, settings, world, facts(25)).digest == first.digest


def test_another_number_of_neighbours_relinks_without_embedding(
    graph: Graph, settings: Settings, new_world: NewWorld, embedded: list[str]
) -> None:
    world = new_world()
    load(graph, settings, world, facts(30), k_graph=3)
    embedded.clear()
    assert load(graph, settings, world, facts(30), k_graph=5).edges == 150
    assert load(graph, settings, world, facts(30), k_graph=2).edges == 60
    assert embedded == []
    sound(graph, world)


def test_the_same_dates_in_another_zone_are_other_instants(
    graph: Graph, settings: Settings, neo4j: Address, new_world: NewWorld
) -> None:
    world = new_world()
    given = (
        Fact("f1", "Naive.", "2026-03-01T09:00:00"),
        Fact("f2", "Zoned.", "2026-03-01T09:00:00Z"),
        Fact("f3", "No."),
    )
    load(graph, settings, world, given)
    again = load(graph, settings, world, given, zone="Asia/Shanghai")
    assert again.changed == 1
    kb = open_world(graph, world)
    assert {name: at.isoformat() for name, at in kb.instants.items()} == {
        "f1": "2026-03-01T01:00:00+00:00",
        "f2": "2026-03-01T09:00:00+00:00",
    }


# Removed facts.


def test_with_load_pace_what_the_file_no_longer_has_goes(
    on_server: None, graph: Graph, settings: Settings, neo4j: Address, new_world: NewWorld, tmp_path: Path
) -> None:
    world, fresh = new_world(), new_world()
    ok("load", "pace", put_pace(tmp_path, world, facts(20)))
    [row] = json.loads(ok("load", "pace", put_pace(tmp_path, world, facts(20)[:15]), "--json"))
    assert (row["removed"], row["facts"]) == (5, 15)
    assert sorted(held(neo4j, world).facts) == [f.fact_id for f in facts(20)[:15]]
    assert load(graph, settings, fresh, facts(20)[:15]).digest == row["digest"]


def test_with_load_facts_it_stays(on_server: None, neo4j: Address, new_world: NewWorld, tmp_path: Path) -> None:
    world, fresh = new_world(), new_world()
    ok("load", "facts", put(tmp_path, facts(20)), "--world", world)
    [row] = json.loads(ok("load", "facts", put(tmp_path, facts(25)[18:]), "--world", world, "--json"))
    assert (row["added"], row["changed"], row["removed"], row["facts"]) == (5, 0, 0, 25)
    [whole] = json.loads(ok("load", "facts", put(tmp_path, facts(25)), "--world", fresh, "--json"))
    assert whole["digest"] == row["digest"]
    assert "unchanged" in ok("load", "facts", put(tmp_path, facts(25)[3:5]), "--world", world)


def test_notes_added_to_a_released_world_leave_its_people_and_requests(
    graph: Graph, settings: Settings, new_world: NewWorld
) -> None:
    world = new_world()
    write_world(graph, settings, rich(world, facts(20)), source="released")
    before = read_case(graph, world)
    load(graph, settings, world, [Fact("note", "Mara moved.")], merge=True)
    after = read_case(graph, world)
    assert (after.queries, after.people, after.timeline, after.profile_json) == (
        before.queries,
        before.people,
        before.timeline,
        before.profile_json,
    )
    assert [fact.fact_id for fact in after.facts] == [*(fact.fact_id for fact in before.facts), "note"]
    assert load(graph, settings, world, [Fact("note", "Mara moved.")], merge=True).untouched


# Cut short.


class Cut:
    """Interrupts a process at a statement, before or after it has run."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, statement: str, when: str, nth: int = 1) -> None:
        self.left = nth
        plain = Graph.write

        def write(graph: Graph, name: str, /, **params: Any) -> Any:
            if name == statement:
                self.left -= 1
            hit = name == statement and self.left == 0
            if hit and when == "before":
                raise KeyboardInterrupt
            rows = plain(graph, name, **params)
            if hit:
                raise KeyboardInterrupt
            return rows

        monkeypatch.setattr(Graph, "write", write)


STEPS = [
    ("load/begin", "after", 1),
    ("load/facts", "before", 1),
    ("load/facts", "after", 2),
    ("load/people", "after", 1),
    ("load/queries", "after", 1),
    ("load/link", "before", 1),
    ("load/link", "after", 1),
    ("load/finish", "before", 1),
    ("load/finish", "after", 1),
]


@pytest.mark.parametrize(("statement", "when", "nth"), STEPS)
def test_a_first_load_that_is_cut_short_is_refused_by_readers_and_finished_by_the_next(
    graph: Graph, settings: Settings, neo4j: Address, new_world: NewWorld, embedded: list[str],
    statement: str, when: str, nth: int,
) -> None:  # fmt: skip
    world, whole = new_world(), new_world()
    case = rich(world, facts(30))
    expected = write_world(graph, settings, rich(whole, facts(30)), source="made")
    embedded.clear()
    with pytest.MonkeyPatch.context() as patch:
        Cut(patch, statement, when, nth)
        with pytest.raises(KeyboardInterrupt):
            write_world(graph, settings, case, source="/a/file.json")
    done = (statement, when) == ("load/finish", "after")
    if not done:
        with pytest.raises(
            WorldError, match=rf"world {world} is loading: its load of /a/file.json .* run that load again"
        ):
            open_world(graph, world)
    there = set(held(neo4j, world).facts)
    embedded.clear()
    again = write_world(graph, settings, case, source="/a/file.json")
    assert sorted(embedded) == sorted(fact.text for fact in facts(30) if fact.fact_id not in there)
    assert again.digest == expected.digest == sound(graph, world)
    assert held(neo4j, world).graph == held(neo4j, whole).graph
    assert len(read_case(graph, world).queries) == 3


@pytest.mark.parametrize(
    ("statement", "when"),
    [
        ("begin", "after"),
        ("remove", "after"),
        ("facts", "after"),
        ("unlink", "before"),
        ("unlink", "after"),
        ("relink", "after"),
        ("link", "after"),
        ("finish", "after"),
    ],
)
def test_a_change_that_is_cut_short_is_finished_by_the_next_load(
    graph: Graph, settings: Settings, neo4j: Address, new_world: NewWorld, statement: str, when: str
) -> None:
    world, fresh = new_world(), new_world()
    load(graph, settings, world, facts(30))
    now = changed(facts(34)[2:], f0009="mara cello", f0010="rain boots")
    with pytest.MonkeyPatch.context() as patch:
        Cut(patch, f"load/{statement}", when)
        with pytest.raises(KeyboardInterrupt):
            load(graph, settings, world, now)
    if statement != "finish":
        with pytest.raises(WorldError, match="loading"):
            open_world(graph, world)
    assert load(graph, settings, world, now).digest == load(graph, settings, fresh, now).digest == sound(graph, world)
    assert held(neo4j, world).graph == held(neo4j, fresh).graph


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ModelError("the endpoint failed")])
def test_an_embedder_that_stops_half_way_loses_only_the_batch_it_was_at(
    graph: Graph, settings: Settings, neo4j: Address, new_world: NewWorld, embedded: list[str],
    monkeypatch: pytest.MonkeyPatch, error: BaseException,
) -> None:  # fmt: skip
    world, whole = new_world(), new_world()
    plain = HashEmbedder.embed

    def embed(self: HashEmbedder, texts: list[str]) -> Any:
        if len(embedded) >= 24:
            raise error
        return plain(self, texts)

    with monkeypatch.context() as patch:
        patch.setattr(HashEmbedder, "embed", embed)
        with pytest.raises(type(error)):
            load(graph, settings, world, facts(50))
    assert len(held(neo4j, world).facts) == 24
    with pytest.raises(WorldError, match="loading"):
        open_world(graph, world)
    again = load(graph, settings, world, facts(50))
    # 24, then the other 26: no text twice.
    assert Counter(embedded) == Counter(fact.text for fact in facts(50))
    assert again.digest == load(graph, settings, whole, facts(50)).digest == sound(graph, world)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch, on_server: None) -> Iterator[EmbeddingServer]:
    """A slow embedding endpoint, which commands use."""
    with embedding_server(delay_s=0.1) as server:
        monkeypatch.setenv("PACE_GRAPH_EMBEDDING__MODEL", "far-away")
        monkeypatch.setenv("PACE_GRAPH_EMBEDDING__BASE_URL", server.url)
        monkeypatch.setenv("PACE_GRAPH_EMBEDDING__BATCH", "10")
        yield server


def awaited(condition: Callable[[], bool], timeout_s: float = 30.0) -> None:
    end = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_a_process_stopped_half_way_ends_soon_and_the_next_load_embeds_only_what_is_missing(
    slow: EmbeddingServer, graph: Graph, settings: Settings, neo4j: Address, new_world: NewWorld, tmp_path: Path,
    sent: signal.Signals, status: int,
) -> None:  # fmt: skip
    world, whole = new_world(), new_world()
    path = put(tmp_path, facts(200))
    command = [str(Path(sys.executable).parent / "pace-graph"), "load", "facts", str(path), "--world", world]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ)) as process:
        awaited(lambda: len(slow.texts) >= 60 or process.poll() is not None)
        assert process.poll() is None
        process.send_signal(sent)
        begun = time.monotonic()
        out, error = process.communicate(timeout=30)
    assert time.monotonic() - begun < 5
    assert process.returncode == status
    assert out == b""
    if sent == signal.SIGINT:
        assert error.decode().splitlines()[-1] == "Interrupted."
        assert b"Traceback" not in error
    assert 50 <= len(held(neo4j, world).facts) < 200
    said = refused("search", world, "tea")
    assert f"world {world} is loading" in said
    assert str(path) in said
    slow.delay_s = 0.0
    ok("load", "facts", path, "--world", world)
    assert set(slow.texts) == {fact.text for fact in facts(200)}
    assert len(slow.texts) <= 200 + 10
    ok("load", "facts", path, "--world", whole)
    assert sound(graph, world) == sound(graph, whole)


# A load that is not whole is not taken for one that is.


@pytest.fixture
def half(graph: Graph, settings: Settings, new_world: NewWorld, embedded: list[str]) -> str:
    """A world whose load of /a/first.json was cut short after 16 of 40 facts."""
    world = new_world()
    with pytest.MonkeyPatch.context() as patch:
        Cut(patch, "load/facts", "after", 2)
        with pytest.raises(KeyboardInterrupt):
            load(graph, settings, world, facts(40), source="/a/first.json", merge=True)
    return world


def test_another_file_does_not_finish_it(graph: Graph, settings: Settings, neo4j: Address, half: str) -> None:
    before = held(neo4j, half)
    with pytest.raises(WorldError, match=r"not whole: its load of /a/first.json .* run that load again"):
        load(graph, settings, half, [Fact("note", "Rain.")], source="/a/second.json", merge=True)
    assert held(neo4j, half) == before
    assert load(graph, settings, half, facts(40), source="/a/first.json", merge=True).facts == 40
    assert load(graph, settings, half, [Fact("note", "Rain.")], source="/a/second.json", merge=True).facts == 41
    sound(graph, half)


def test_a_re_embedding_does_not_finish_it(graph: Graph, settings: Settings, neo4j: Address, half: str) -> None:
    before = held(neo4j, half)
    with pytest.raises(WorldError, match=r"not whole: its load of /a/first.json .* embedding model hash-64"):
        re_embed(graph, with_model(settings, "hash-32"), half)
    assert held(neo4j, half) == before


def test_a_load_that_says_all_of_the_world_does(graph: Graph, settings: Settings, half: str) -> None:
    assert load(graph, settings, half, facts(7), source="/b").facts == 7
    sound(graph, half)


def test_after_a_delete_it_is_new(graph: Graph, settings: Settings, half: str) -> None:
    delete_world(graph, half)
    assert load(graph, settings, half, [Fact("note", "Rain.")], source="/a/second.json", merge=True).facts == 1


# Two loads at once.


@pytest.mark.parametrize("statement", ["begin", "facts", "people", "queries", "link"])
def test_a_load_that_is_overtaken_stops_and_mixes_nothing_in(
    graph: Graph,
    settings: Settings,
    neo4j: Address,
    new_world: NewWorld,
    monkeypatch: pytest.MonkeyPatch,
    statement: str,
) -> None:
    world, fresh = new_world(), new_world()
    theirs = changed(facts(40)[5:], f0008="theirs alone")
    plain = Graph.write
    inside: list[str] = []

    def write(self: Graph, name: str, /, **params: Any) -> Any:
        rows = plain(self, name, **params)
        if name == f"load/{statement}" and not inside:
            inside.append(name)
            load(graph, settings, world, theirs, source="theirs")
        return rows

    monkeypatch.setattr(Graph, "write", write)
    with pytest.raises(GraphError, match=f"another load of world {world} has begun"):
        load(graph, settings, world, facts(40), source="mine")
    assert inside
    assert sound(graph, world) == load(graph, settings, fresh, theirs).digest
    assert held(neo4j, world).graph == held(neo4j, fresh).graph


def test_a_write_that_is_under_way_when_another_load_begins_is_seen_by_it(
    graph: Graph, settings: Settings, neo4j: Address, new_world: NewWorld
) -> None:
    from neo4j import GraphDatabase

    from pace_graph.texts import statement

    world = new_world()
    load(graph, settings, world, facts(5))
    cypher(neo4j, "MATCH (w:World {world: $w}) SET w.status = 'loading', w.load = 'mine'", w=world)
    auth = (neo4j.user, neo4j.password.get_secret_value())
    with GraphDatabase.driver(neo4j.uri, auth=auth) as driver, driver.session() as session:
        under_way = session.begin_transaction()
        # Touches two facts alone: it is the load itself that has to hold the world.
        rows = [["f0000", target, 9, 0.5] for target in ("f0001", "f0002")]
        changed_ranks = under_way.run(
            statement("load/relink").text, {"world": world, "token": "mine", "rows": rows}
        ).single()
        assert changed_ranks["relinked"] == 2
        with ThreadPoolExecutor(1) as pool:
            other = pool.submit(load, graph, settings, world, facts(5))
            awaited(lambda: bool(waiting(neo4j)))
            assert not other.done()
            under_way.commit()
            assert other.result(timeout=30).facts == 5
    sound(graph, world)


def waiting(at: Address) -> list[dict[str, Any]]:
    """The transactions that wait for a lock."""
    return cypher(at, "SHOW TRANSACTIONS YIELD status, currentQuery WHERE status STARTS WITH 'Blocked' RETURN status")


def together(*jobs: Callable[[], Any]) -> list[Any]:
    """What jobs that begin at the same moment came to: a value, or the error raised."""
    barrier = threading.Barrier(len(jobs))

    def one(job: Callable[[], Any]) -> Any:
        barrier.wait()
        try:
            return job()
        except (GraphError, WorldError) as error:
            return error

    with ThreadPoolExecutor(len(jobs)) as pool:
        return list(pool.map(one, jobs))


@pytest.mark.parametrize("attempt", range(2))
def test_two_loads_at_once_end_in_one_sound_world(
    graph: Graph, settings: Settings, new_world: NewWorld, embedded: list[str], attempt: int
) -> None:
    world = new_world()
    both = (facts(60), changed(facts(60)[3:], f0008="theirs alone"))
    came = together(*(lambda given=given: load(graph, settings, world, given) for given in both))
    stopped = [each for each in came if isinstance(each, Exception)]
    assert len(stopped) <= 1
    assert all("another load" in str(error) for error in stopped), stopped
    assert sound(graph, world) in {each.digest for each in came if not isinstance(each, Exception)}


@pytest.mark.parametrize("attempt", range(2))
def test_two_files_of_notes_at_once_lose_nothing_that_was_said_to_be_loaded(
    graph: Graph, settings: Settings, new_world: NewWorld, embedded: list[str], attempt: int
) -> None:
    world = new_world()
    mine, theirs = facts(60)[:35], facts(60)[30:]
    came = together(
        lambda: load(graph, settings, world, mine, source="mine", merge=True),
        lambda: load(graph, settings, world, theirs, source="theirs", merge=True),
    )
    loaded = [given for given, each in zip((mine, theirs), came, strict=True) if not isinstance(each, Exception)]
    assert loaded, came
    sound(graph, world)
    there = open_world(graph, world).facts
    assert set(there) == {fact.fact_id for given in loaded for fact in given}


def test_loads_of_two_worlds_at_once_do_not_mind_each_other(
    graph: Graph, settings: Settings, new_world: NewWorld, embedded: list[str]
) -> None:
    # A dimension that no index was made for yet: both loads make it.
    other = with_model(settings, "hash-37")
    names = [new_world() for _ in range(4)]
    came = together(*(lambda name=name: load(graph, other, name, facts(40)) for name in names))
    assert len({each.digest for each in came}) == 1
    for name in names:
        sound(graph, name)


def test_a_world_deleted_under_a_load_is_gone(
    graph: Graph, settings: Settings, neo4j: Address, new_world: NewWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = new_world()
    plain = Graph.write

    def write(self: Graph, name: str, /, **params: Any) -> Any:
        rows = plain(self, name, **params)
        if name == "load/people":
            delete_world(graph, world)
        return rows

    monkeypatch.setattr(Graph, "write", write)
    with pytest.raises(GraphError):
        load(graph, settings, world, facts(20))
    assert held(neo4j, world).nodes == {}


# Another embedding model.


def test_another_model_is_refused_before_anything_is_written(
    on_server: None, graph: Graph, neo4j: Address, new_world: NewWorld, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = new_world()
    ok("load", "facts", put(tmp_path, facts(20)), "--world", world)
    before = held(neo4j, world)
    monkeypatch.setenv("PACE_GRAPH_EMBEDDING__MODEL", "hash-32")
    more = put(tmp_path, facts(21), "more.json")
    for command in (
        ("load", "facts", more, "--world", world),
        ("load", "pace", put_pace(tmp_path, world, facts(3))),
        ("search", world, "tea"),
        ("search", world, "tea", "--legs", "lexical"),
        ("ask", world, "May I have tea?"),
    ):
        said = refused(*command)
        assert f"world {world} was embedded with hash-64 (dimension 64), but hash-32 (dimension 32) is set" in said
        assert f"pace-graph world re-embed {world}" in said
    assert held(neo4j, world) == before


@pytest.mark.parametrize(
    ("cut", "same_dimension"),
    [
        (None, False),
        (None, True),
        ("load/begin", True),
        ("load/strip", True),
        ("load/strip", False),
        ("load/stripped", True),
        ("load/facts", True),
        ("load/finish", False),
    ],
)
def test_re_embedding_leaves_the_world_as_if_loaded_with_that_model_also_when_it_was_cut_short(
    graph: Graph, settings: Settings, neo4j: Address, new_world: NewWorld, embedded: list[str],
    cut: str | None, same_dimension: bool,
) -> None:  # fmt: skip
    world, fresh = new_world(), new_world()
    write_world(graph, settings, rich(world, facts(30)), source="made")
    with embedding_server(dimension=64 if same_dimension else 48) as server:
        other = with_model(settings, "other", base_url=server.url)
        if cut:
            with pytest.MonkeyPatch.context() as patch:
                Cut(patch, cut, "before" if cut == "load/finish" else "after")
                with pytest.raises(KeyboardInterrupt):
                    re_embed(graph, other, world)
            with pytest.raises(WorldError, match="loading"):
                open_world(graph, world)
        again = re_embed(graph, other, world)
        expected = write_world(graph, other, rich(fresh, facts(30)), source="made")
        assert write_world(graph, other, rich(world, facts(30)), source="made").untouched
    assert again.digest == expected.digest == sound(graph, world)
    assert held(neo4j, world).graph == held(neo4j, fresh).graph
    assert {tuple(each["embedding"]) for each in held(neo4j, world).facts.values()} == {
        tuple(each["embedding"]) for each in held(neo4j, fresh).facts.values()
    }
    labels = [labels for labels, _ in held(neo4j, world).nodes.values() if "Fact" in labels]
    assert set(labels) == {("Fact", "Vector64" if same_dimension else "Vector48")}
    assert len(read_case(graph, world).queries) == 3


def test_a_re_embedding_that_was_cut_short_is_also_finished_by_a_load(
    graph: Graph, settings: Settings, new_world: NewWorld, embedded: list[str]
) -> None:
    world, fresh = new_world(), new_world()
    load(graph, settings, world, facts(30), source="/a")
    other = with_model(settings, "hash-48")
    with pytest.MonkeyPatch.context() as patch:
        Cut(patch, "load/facts", "after", 2)
        with pytest.raises(KeyboardInterrupt):
            re_embed(graph, other, world)
    embedded.clear()
    again = load(graph, other, world, [*facts(30), Fact("note", "Rain.")], source="/b", merge=True)
    assert len(embedded) == 30 - 16 + 1
    assert again.digest == load(graph, other, fresh, [*facts(30), Fact("note", "Rain.")]).digest == sound(graph, world)


# Strange worlds.


ODD = {
    "nfc-\u00e9": "caf\u00e9 (NFC)",
    "nfd-e\u0301": "cafe\u0301 (NFD)",
    "\u202eשלום\u202c": "שלום \u202eRTL\u202c עולם",
    "👩‍👩‍👧": "👩‍👩‍👧 emoji 🏳️‍🌈",
    "\uff21": "fullwidth, sorts before an emoji or after it",
    "nul\0id": "NUL \0 inside",
    "  spaced ": "  spaces kept \t\r\n",
    'A/B-7 (gym): ~never "Dune" [2nd] ^2 && ||': '+ - && || ! ( ) { } [ ] ^ " ~ * ? : \\ /',
    "'}) DETACH DELETE (n) //": "'; MATCH (n) DETACH DELETE n // $where {a: 1} `x`",
    "$world": "{{slot}} %s {0} ${world}",
    "long": "tea " * 7_500,
    "1": "a number in the file",
    "林桥": "林桥对花生过敏，出门总带药",
    "\ufeffmark": "\ufeffmark inside \u2028 \u0085 \x07 \x7f",
    "?": "?!",
}


def test_odd_ids_and_texts_come_back_byte_for_byte(
    on_server: None, graph: Graph, settings: Settings, neo4j: Address, new_world: NewWorld, tmp_path: Path
) -> None:
    world, again, third = new_world(), new_world(), new_world()
    given = [Fact(name, text) for name, text in ODD.items()]
    [row] = json.loads(ok("load", "facts", put(tmp_path, given), "--world", world, "--json"))
    assert {name: each["text"] for name, each in held(neo4j, world).facts.items()} == ODD
    kb = open_world(graph, world)
    assert {name: fact.text for name, fact in kb.facts.items()} == ODD
    assert list(kb.facts) == sorted(ODD)
    hits = json.loads(ok("search", world, "tea 花生 mark", "-k", "100", "--json"))
    assert {hit["fact_id"]: hit["text"] for hit in hits} == ODD
    assert "unchanged" in ok("load", "facts", put(tmp_path, given), "--world", world)
    ok("world", "export", world, tmp_path / "out")
    (tmp_path / "out/kb" / world).rename(tmp_path / "out/kb" / again)
    [back] = json.loads(ok("load", "pace", tmp_path / "out", "--json"))
    assert back["digest"] == row["digest"] == sound(graph, world) == sound(graph, again)
    assert load(graph, settings, third, reversed(given)).digest == row["digest"]
    # A change of one of them reaches that one.
    assert load(graph, settings, third, changed(given, **{"nul\0id": "NUL \0\0 inside"})).changed == 1
    assert held(neo4j, third).facts["nul\0id"]["text"] == "NUL \0\0 inside"
    sound(graph, third)


def test_an_empty_world_is_a_world(on_server: None, graph: Graph, new_world: NewWorld, tmp_path: Path) -> None:
    world = new_world()
    ok("load", "facts", put(tmp_path, []), "--world", world)
    assert f"{world}: holds no fact" in ok("load", "facts", put(tmp_path, []), "--world", world)
    assert found(world, "tea") == []
    assert json.loads(ok("ask", world, "May I have tea?", "--json"))["evidence"] == []
    sound(graph, world)
    ok("world", "re-embed", world)
    assert "1 added (1 facts" in ok("load", "facts", put(tmp_path, facts(1)), "--world", world)
    sound(graph, world)


def test_a_world_of_one_fact_is_a_world(
    on_server: None, graph: Graph, settings: Settings, new_world: NewWorld, tmp_path: Path
) -> None:
    world = new_world()
    assert "1 added (1 facts, 0 SIMILAR_TO edges" in ok("load", "facts", put(tmp_path, facts(1)), "--world", world)
    assert found(world, "nothing that it says") == ["f0000"]
    assert [e["fact_id"] for e in json.loads(ok("ask", world, "May I?", "--json"))["evidence"]] == ["f0000"]
    sound(graph, world)
    assert load(graph, settings, world, facts(2)).edges == 2
    assert load(graph, settings, world, facts(1)).edges == 0
    assert load(graph, settings, world, ()).facts == 0
    sound(graph, world)


def test_worlds_with_the_same_ids_never_mix(
    on_server: None, graph: Graph, settings: Settings, neo4j: Address, new_world: NewWorld
) -> None:
    one, other = new_world(), new_world()
    load(graph, settings, one, facts(25, seed=1))
    before = held(neo4j, one)
    load(graph, settings, other, facts(25, seed=2))
    assert held(neo4j, one) == before
    assert {f.fact_id: f.text for f in facts(25, seed=2)} == {i: f["text"] for i, f in held(neo4j, other).facts.items()}
    for world, seed in ((one, 1), (other, 2)):
        texts = {f.text for f in facts(25, seed=seed)}
        hits = json.loads(ok("search", world, "mara tea rain", "-k", "25", "--json"))
        assert {hit["text"] for hit in hits} <= texts
        assert len(hits) == 25
    across = "MATCH (a)-[r]-(b) WHERE a.world IN $ws AND a.world <> b.world RETURN count(r) AS n"
    assert cypher(neo4j, across, ws=[one, other]) == [{"n": 0}]
    load(graph, settings, other, facts(3, seed=2))
    delete_world(graph, other)
    assert held(neo4j, one) == before


# Damage.


def test_a_load_mends_what_was_lost_since_although_the_file_is_the_same(
    graph: Graph, settings: Settings, neo4j: Address, new_world: NewWorld, embedded: list[str]
) -> None:
    world = new_world()
    digest = load(graph, settings, world, facts(30)).digest
    before = held(neo4j, world)
    for damage in (
        "MATCH (f:Fact {world: $w, fact_id: 'f0003'}) SET f.text = 'Not what was loaded.'",
        "MATCH (f:Fact {world: $w, fact_id: 'f0003'}) DETACH DELETE f",
        "MATCH (f:Fact {world: $w, fact_id: 'f0003'}) REMOVE f.embedding",
        "MATCH (f:Fact {world: $w, fact_id: 'f0003'}) SET f.embedding = [1.0, 2.0]",
        "MATCH (f:Fact {world: $w, fact_id: 'f0003'}) SET f.date = '2026-03-01'",
        "CREATE (:Fact {world: $w, fact_id: 'new', text: 'Never loaded.'})",
        "MATCH (:Fact {world: $w, fact_id: 'f0003'})-[r:SIMILAR_TO]->() DELETE r",
        "MATCH (a:Fact {world: $w, fact_id: 'f0003'})-[:SIMILAR_TO]->(b) CREATE (a)-[:SIMILAR_TO {rank: 1}]->(b)",
    ):
        cypher(neo4j, damage, w=world)
        embedded.clear()
        again = load(graph, settings, world, facts(30))
        assert (again.untouched, again.digest) == (False, digest), damage
        assert len(embedded) <= 1, damage
        assert sound(graph, world) == digest, damage
        assert held(neo4j, world).graph == before.graph, damage

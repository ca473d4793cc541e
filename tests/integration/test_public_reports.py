"""Twelve faults that users of comparable systems reported, each as its whole kind (shared/cases/public_reports.md)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pace_graph.config import ChatSettings, PaceConfig, Settings
from pace_graph.embed.hashed import HashEmbedder
from pace_graph.errors import ReplyError
from pace_graph.graph import Graph
from pace_graph.llm import Chat
from pace_graph.records import Fact, Query
from pace_graph.server import Address
from pace_graph.stages.filter import Kept, filter_facts
from tests.made import cypher, embedding_server, facts, found, held, ok, put, refused, run
from tests.openai_server import Reply, ScriptedServer

pytestmark = pytest.mark.usefixtures("on_server")


@pytest.fixture
def load(tmp_path: Path, new_world: Callable[[], str]) -> Callable[..., str]:
    """Loads texts (by id) as notes and gives the name of the world."""

    def put_in(texts: dict[str, str], *options: str, world: str | None = None) -> str:
        name = world or new_world()
        ok("load", "facts", put(tmp_path, [Fact(i, t) for i, t in texts.items()]), "--world", name, *options)
        return name

    return put_in


def lexical(world: str, query: str, k: int = 5) -> list[str]:
    return found(world, query, "-k", k, "--legs", "lexical")


# A01. Signs that mean something to a query language, in facts and in queries.

SIGNS = {
    "f1": "Mara's locker is A/B-7 (gym): ~never share!",
    "f2": 'Mara writes C++ and reads "Dune" [2nd ed.]',
    "f3": "Ivo waters the ferns",
}


def test_a01_signs_of_query_languages_are_only_signs(load: Callable[..., str], neo4j: Address) -> None:
    world = load(SIGNS)
    for query, first in (
        ("A/B-7 (gym): ~never", "f1"),
        ("locker/gym", "f1"),
        ("C++", "f2"),
        ('"Dune" [2nd', "f2"),
    ):
        assert found(world, query)[0] == first
        assert lexical(world, query)[0] == first
    assert {i: f["text"] for i, f in held(neo4j, world).facts.items()} == SIGNS
    assert {hit["fact_id"]: hit["text"] for hit in json.loads(ok("search", world, "x", "--json"))} == SIGNS


STRANGE = [
    "what is 50/50 ^2 && who?",
    *('"', "\\", "/", "AND", "NOT", "x -y +z", "[1 TO 2]", "title:x~2^3", "*", "?", "{{slot}}", "$world"),
    "'}) DETACH DELETE (n) //",
    "x\0y",
    "{" * 2_000,
    "word " * 3_000,
]


def test_a01_no_request_is_a_statement(load: Callable[..., str], neo4j: Address) -> None:
    world = load(SIGNS)
    before = held(neo4j, world).facts
    for query in STRANGE:
        assert set(found(world, query)) == set(SIGNS), query
        assert set(lexical(world, query)) <= set(SIGNS), query
    for query in STRANGE[::4]:
        assert {each["fact_id"] for each in json.loads(ok("ask", world, query, "--json"))["evidence"]} <= set(SIGNS)
    assert held(neo4j, world).facts == before


# A02. Scores of BM25 that are zero or less.


def test_a02_a_hit_is_a_hit_whatever_its_score(load: Callable[..., str]) -> None:
    two = load({"f1": "Mara drinks oat milk", "f2": "Mara cycles to work"})
    one = load({"f1": "Mara drinks oat milk"})
    assert lexical(two, "oat") == ["f1"]
    assert lexical(one, "oat") == ["f1"]
    assert set(lexical(two, "mara")) == {"f1", "f2"}
    assert lexical(two, "unicorn") == []
    # All alike: every score is negative, and none is lost; ties go by id.
    alike = load({f"f{n}": "Mara drinks oat milk" for n in range(9, 0, -1)})
    assert lexical(alike, "oat", 20) == [f"f{n}" for n in range(1, 10)]
    assert lexical(alike, "oat", 4) == [f"f{n}" for n in range(1, 5)]


# A03, A04. What a model's filter says.

FIVE = tuple(Fact(f"f{n}", f"Fact {n}.") for n in range(1, 6))


@pytest.fixture
def kept() -> Iterator[Callable[..., Kept]]:
    """What the filter keeps of five facts, at most three, when a model says that."""
    chats: list[Chat] = []

    def keep(*said: Any, n: int = 3, calls: int = 1, **config: Any) -> Kept:
        with ScriptedServer(said) as server:
            chats.append(Chat(Settings(agent=ChatSettings(model="m", base_url=server.url, max_retries=0))))
            query = Query("Book a table?", "w")
            chosen = filter_facts(query, FIVE, chats[-1], PaceConfig(**config), n)
            assert len(server.chats) == calls
            return chosen

    yield keep
    for chat in chats:
        chat.close()


@pytest.mark.parametrize(
    ("said", "ids", "status"),
    [
        ('Sure! Here it is:\n```json\n{"selected_doc_ids": ["f2", "f4"]}\n```\nHope this helps {smile}', "f2 f4", "ok"),
        ('```\n{"selected_doc_ids": []}\n```', "", "none"),
        ("{'selected_doc_ids': ['f1']}", "f1", "ok"),
        ('<think>maybe {"selected_doc_ids": ["f5"]}</think>{"selected_doc_ids": ["f3"]}', "f3", "ok"),
        ('{"selected_doc_ids": ["f2", "f4",]}', "f2 f4", "ok"),
        ('{"keep": ["f2", "f4"]}', "f2 f4", "ok"),
        ('["f2", "f4"]', "f2 f4", "ok"),
        ('{"result": {"selected_doc_ids": ["f2"]}}', "f2", "ok"),
        ('{"selected_doc_ids": "f2"}', None, None),
        ('{"selected_doc_ids": [{"doc_id": "f2", "why": "near"}]}', "f2", "ok"),
        ('{"selected_doc_ids": []}', "", "none"),
    ],
)
def test_a03_a_reply_is_read_whatever_stands_around_it(
    kept: Callable[..., Kept], said: str, ids: str | None, status: str
) -> None:
    if ids is None:
        # Either reading is right; an unflagged empty list is not.
        chosen = kept(said, said, calls=2)
        assert (chosen.ids, chosen.status) in {(("f2",), "ok"), (("f1", "f2", "f3"), "parse_failed")}
        return
    chosen = kept(said)
    assert (chosen.ids, chosen.status) == (tuple(ids.split()), status)


@pytest.mark.parametrize(
    "said",
    [
        "I cannot help with that.",
        "",
        "null",
        "{}",
        '{"selected_doc_ids": null, "oops": 1',
        '{"selected_doc_ids": {"a": {"b": 1}}}',
        "[" * 20_000,
        '{"not_selected": ["f1"]}',
        Reply('{"selected_doc_ids": ["f2"', finish="length"),
        Reply("", refusal="I must not."),
    ],
)
def test_a03_what_cannot_be_read_is_asked_for_once_more_and_then_flagged(kept: Callable[..., Kept], said: Any) -> None:
    first_three = ("f1", "f2", "f3")
    chosen = kept(said, said, calls=2)
    assert (chosen.ids, chosen.status) == (first_three, "parse_failed")
    chosen = kept(said, '{"selected_doc_ids": ["f5"]}', calls=2)
    assert (chosen.ids, chosen.status) == (("f5",), "ok")
    assert kept(said, calls=1, reply_retries=0).status == "parse_failed"


@pytest.mark.parametrize(
    ("named", "ids", "unknown", "duplicate"),
    [
        (["f4", "f9", "f4", "F2", " f1 ", 16, "f4"], "f4 f1", 3, 2),
        (["f1", "f1", "f1"], "f1", 0, 2),
        (["f5", "f4", "f3", "f2", "f1"], "f5 f4 f3", 0, 0),
        (["f5", None, True, 1.5, "", " ", "f4"], "f5 f4", 5, 0),
        (["Fact 1.", "f1."], None, 2, 0),
        (["16"], None, 1, 0),
        (["f1\u200b", "\uff461", "f2\n"], "f2", 2, 0),
    ],
)
def test_a04_only_candidates_are_kept_in_the_order_first_named(
    kept: Callable[..., Kept], named: list[Any], ids: str | None, unknown: int, duplicate: int
) -> None:
    chosen = kept(json.dumps({"selected_doc_ids": named}))
    if ids is None:
        # Nothing valid among what was named: not the same as having chosen nothing.
        assert (chosen.ids, chosen.status) == (("f1", "f2", "f3"), "parse_failed")
        assert chosen.dropped_unknown == unknown
        return
    assert (chosen.ids, chosen.status) == (tuple(ids.split()), "ok")
    assert (chosen.dropped_unknown, chosen.dropped_duplicate) == (unknown, duplicate)


def test_a04_an_endpoint_that_fails_is_not_a_choice(kept: Callable[..., Kept]) -> None:
    from pace_graph.errors import ModelError

    with pytest.raises(ModelError) as caught:
        kept(500, calls=1)
    assert not isinstance(caught.value, ReplyError)


# A05. The same file again.


def test_a05_loading_again_adds_nothing_and_a_change_changes_that_alone(
    load: Callable[..., str], neo4j: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {f"f{n}": f"Mara note {n} tea" for n in range(10)}
    counts = "MATCH (f:Fact {world: $w}) RETURN count(f) AS n, count(DISTINCT f.fact_id) AS d"
    edges = (
        "MATCH (a:Fact {world: $w})-[r:SIMILAR_TO]->(b) "
        "RETURN count(r) AS n, count(DISTINCT [a.fact_id, b.fact_id]) AS d"
    )
    world = load(given)
    seen = []
    for _ in range(3):
        load(given, world=world)
        seen.append(
            (cypher(neo4j, counts, w=world), cypher(neo4j, edges, w=world), ok("world", "verify", world, "--json"))
        )
    assert seen[0] == seen[1] == seen[2]
    assert seen[0][:2] == ([{"n": 10, "d": 10}], [{"n": 90, "d": 90}])
    before = held(neo4j, world)
    embedded: list[str] = []
    plain = HashEmbedder.embed
    monkeypatch.setattr(HashEmbedder, "embed", lambda self, texts: (embedded.extend(texts), plain(self, texts))[1])
    load({**given, "f3": "Ivo plays chess"}, world=world)
    after = held(neo4j, world)
    assert embedded == ["Ivo plays chess"]
    assert [i for i in given if before.facts[i] != after.facts[i]] == ["f3"]
    assert len(after.similar) == 90
    assert json.loads(ok("world", "verify", world, "--json"))["findings"] == []


# A06. A small world beside a crowded one.


def test_a06_a_crowd_next_door_costs_no_hit(load: Callable[..., str], graph: Graph) -> None:
    small = {f"s{n}": f"Mara reads book {n} in the garden" for n in range(20)}
    small["s7"] = "Mara likes hiking in the hills near town"
    query = "likes hiking in the hills"
    world = load(small)
    before = [json.loads(ok("search", world, query, "-k", k, "--legs", legs, "--json")) for k, legs in KS]
    asked = json.loads(ok("ask", world, query, "--json"))["evidence"]
    crowd = load({f"c{n}": f"Ivo note {n}: likes hiking in the hills" for n in range(3000)})
    after = [json.loads(ok("search", world, query, "-k", k, "--legs", legs, "--json")) for k, legs in KS]
    assert after == before
    assert json.loads(ok("ask", world, query, "--json"))["evidence"] == asked
    assert [len(hits) for hits in after] == [10, 10, 20, 20]
    assert all(hits[0]["fact_id"] == "s7" for hits in after)
    assert all(hit["fact_id"] in small for hits in after for hit in hits)
    # And the crowd finds as many of its own, all as near as each other.
    assert all(i.startswith("c") for i in found(crowd, query, "-k", 50))
    ok("world", "delete", crowd, "--yes")
    assert found(world, query) == [hit["fact_id"] for hit in before[0]]


KS = ((10, "both"), (10, "dense"), (20, "dense"), (50, "both"))


# A07. Another embedding model under the same name of an index.


def test_a07_another_model_stops_every_command_until_the_world_is_embedded_again(
    load: Callable[..., str], neo4j: Address, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = load({f"f{n}": f"Mara note {n} tea" for n in range(5)})
    dimensions = "MATCH (f:Fact {world: $w}) RETURN DISTINCT size(f.embedding) AS d"
    monkeypatch.setenv("PACE_GRAPH_EMBEDDING__MODEL", "hash-32")
    before = held(neo4j, world)
    for command in (
        ("search", world, "tea"),
        ("load", "facts", put(tmp_path, [Fact("f9", "One more.")]), "--world", world),
        ("ask", world, "May I have tea?"),
    ):
        said = refused(*command)
        assert all(part in said for part in ("hash-64", "dimension 64", "hash-32", "dimension 32"))
        assert f"pace-graph world re-embed {world}" in said
    assert held(neo4j, world) == before
    assert cypher(neo4j, dimensions, w=world) == [{"d": 64}]
    ok("world", "re-embed", world)
    assert cypher(neo4j, dimensions, w=world) == [{"d": 32}]
    assert sorted(found(world, "tea", "--legs", "dense")) == ["f0", "f1", "f2", "f3", "f4"]
    assert "1 added" in ok("load", "facts", put(tmp_path, [Fact("f9", "One more.")]), "--world", world)


# A08. A blank fact in a batch.


def test_a08_blank_facts_are_named_before_anything_is_embedded(
    neo4j: Address, new_world: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, path = new_world(), tmp_path / "blank.json"
    rows: list[dict[str, str]] = [
        {"id": "f1", "text": "Mara plays cello"},
        {"id": "f2", "text": ""},
        {"id": "f3", "text": "  \n\t\u3000\u00a0"},
        {"id": "f4"},
        {"id": "f5", "text": "Ivo plays chess"},
    ]
    path.write_text(json.dumps({"facts": rows}))
    embedded: list[str] = []
    plain = HashEmbedder.embed

    def embed(self: HashEmbedder, texts: list[str]) -> Any:
        assert all(text.strip() for text in texts)
        embedded.extend(texts)
        return plain(self, texts)

    monkeypatch.setattr(HashEmbedder, "embed", embed)
    said = refused("load", "facts", path, "--world", world)
    assert all(each in said for each in ("'f2'", "'f3'", "'f4'", "the text is blank", "the text is missing"))
    assert "'f1'" not in said
    assert embedded == []
    assert held(neo4j, world).nodes == {}
    result = run("load", "facts", path, "--world", world, "--skip-invalid")
    assert result.exit_code == 0
    assert "3 skipped" in result.stderr
    assert sorted(embedded) == ["Ivo plays chess", "Mara plays cello"]
    assert sorted(held(neo4j, world).facts) == ["f1", "f5"]


def test_a08_a_world_of_nothing_but_blank_facts_finds_nothing(new_world: Callable[[], str], tmp_path: Path) -> None:
    world, path = new_world(), tmp_path / "blank.json"
    path.write_text(json.dumps({"facts": [{"id": "f1", "text": ""}, {"id": "f2", "text": " "}]}))
    ok("load", "facts", path, "--world", world, "--skip-invalid")
    for legs in ("both", "dense", "lexical"):
        assert found(world, "tea", "--legs", legs) == []
    assert json.loads(ok("ask", world, "tea", "--json"))["evidence"] == []


def test_a08_a_world_without_a_single_word_is_still_searched(load: Callable[..., str]) -> None:
    world = load({"f1": "?!", "f2": "…"})
    assert lexical(world, "tea") == lexical(world, "?!") == []
    assert sorted(found(world, "?!")) == ["f1", "f2"]
    assert "blank" in refused("search", world, " \n ")


# A09. Chinese.


def test_a09_chinese_is_found_by_its_words(load: Callable[..., str]) -> None:
    world = load(
        {
            "c1": "林桥喜欢在周末去西湖边骑车",
            "c2": "林桥对花生过敏，出门总带药",
            "c3": "林桥 uses 9router at home",
        }
    )
    for query, hits in (
        ("骑车", ["c1"]),
        ("花生过敏", ["c2"]),
        ("西湖", ["c1"]),
        ("9router", ["c3"]),
        ("药", ["c2"]),
        ("雪", []),
        ("下雪", []),
        ("９ｒｏｕｔｅｒ", ["c3"]),
        ("我周末想骑车", ["c1"]),
    ):
        assert lexical(world, query) == hits, query
        if hits:
            assert found(world, query)[0] == hits[0], query
    assert sorted(lexical(world, "林桥")) == ["c1", "c2", "c3"]


# A10. Dates with and without a zone.

DATES = {
    "naive": "2026-03-01T09:00:00",
    "shanghai": "2026-03-01T09:00:00+08:00",
    "utc": "2026-03-01T01:00:00Z",
    "day": "2026-03-01",
    "berlin": "2026-03-29T02:30:00[Europe/Berlin]",
}


def test_a10_naive_and_zoned_dates_live_in_one_world(
    graph: Graph, neo4j: Address, new_world: Callable[[], str], tmp_path: Path
) -> None:
    from pace_graph.worlds import open_world

    world, other = new_world(), new_world()
    given = [Fact(name, f"Mara, {name}", day) for name, day in DATES.items()]
    bad = put(tmp_path, [*given, Fact("sixth", "Mara.", "not a date")], "bad.json")
    said = refused("load", "facts", bad, "--world", world)
    assert "'sixth'" in said
    assert "not a date" in said
    assert held(neo4j, world).nodes == {}

    result = run("load", "facts", put(tmp_path, given), "--world", world)
    assert result.exit_code == 0
    assert "2 dates name no time zone and are read in UTC (--zone)" in result.stderr
    at = open_world(graph, world).instants
    assert at["shanghai"] == at["utc"]
    assert sorted(at, key=lambda name: (at[name], name)) == ["day", "shanghai", "utc", "naive", "berlin"]
    assert cypher(
        neo4j,
        "MATCH (a:Fact {world: $w}), (b:Fact {world: $w}) WHERE a.at <= b.at OR a.at > b.at RETURN count(*) AS n",
        w=world,
    ) == [{"n": 25}]
    assert set(found(world, "x", "-k", 10, "--until", "2026-03-02")) == {"naive", "shanghai", "utc", "day"}
    assert set(found(world, "x", "-k", 10, "--until", "2026-03-29")) == set(DATES)
    assert found(world, "x", "-k", 10, "--until", "2026-02-28") == []
    assert {i: f["date"] for i, f in held(neo4j, world).facts.items()} == DATES

    # The same file in another zone: a naive nine o'clock is then Shanghai's.
    ok("load", "facts", put(tmp_path, given), "--world", other, "--zone", "Asia/Shanghai")
    at = open_world(graph, other).instants
    assert at["naive"] == at["shanghai"] == at["utc"]
    assert set(found(other, "x", "-k", 10, "--until", "2026-02-28")) == set()
    assert "no time zone 'Mars/Base'" in refused("load", "facts", bad, "--world", other, "--zone", "Mars/Base")


# A11. What a deletion leaves.


def test_a11_a_deleted_world_is_gone_and_its_name_is_free(load: Callable[..., str], neo4j: Address) -> None:
    x = load({f.fact_id: f.text for f in facts(200, seed=1)})
    y = load({f.fact_id: f.text for f in facts(200, seed=2)})
    request = "May I have tea with Ivo on Monday?"
    answers = {world: json.loads(ok("ask", world, request, "--json"))["evidence"] for world in (x, y)}
    before = held(neo4j, y)
    ok("world", "delete", x, "--yes")
    assert held(neo4j, x) == held(neo4j, "no such world")
    assert held(neo4j, y) == before
    assert json.loads(ok("world", "verify", y, "--json"))["findings"] == []
    assert "nothing to delete" in ok("world", "delete", x, "--yes")
    texts = {f.text for f in facts(200, seed=3)}
    load({f.fact_id: f.text for f in facts(200, seed=3)}, world=x)
    again = json.loads(ok("ask", x, request, "--json"))["evidence"]
    assert {each["text"] for each in again} <= texts
    assert again != answers[x]
    assert json.loads(ok("ask", y, request, "--json"))["evidence"] == answers[y]


# A12. A load cut short.


def test_a12_an_interrupted_load_is_refused_and_finished(
    neo4j: Address, new_world: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, whole = new_world(), new_world()
    batch, count = 20, 600
    path = put(tmp_path, facts(count))
    monkeypatch.setenv("PACE_GRAPH_EMBEDDING__MODEL", "far-away")
    monkeypatch.setenv("PACE_GRAPH_EMBEDDING__BATCH", str(batch))
    with embedding_server(delay_s=0.1) as server:
        monkeypatch.setenv("PACE_GRAPH_EMBEDDING__BASE_URL", server.url)
        command = [str(Path(sys.executable).parent / "pace-graph"), "load", "facts", str(path), "--world", world]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ)) as process:
            end = time.monotonic() + 60
            while len(server.texts) < count // 4:
                assert process.poll() is None
                assert time.monotonic() < end
                time.sleep(0.005)
            process.send_signal(signal.SIGINT)
            begun = time.monotonic()
            process.communicate(timeout=30)
        assert time.monotonic() - begun < 5
        assert process.returncode == 130
        assert cypher(neo4j, "MATCH (w:World {world: $w}) RETURN w.status AS s", w=world) == [{"s": "loading"}]
        for reader in (("search", world, "tea"), ("ask", world, "May I have tea?")):
            said = refused(*reader)
            assert f"world {world} is loading" in said
            assert "run that load again to finish it" in said
        server.delay_s = 0.0
        [finished] = json.loads(ok("load", "facts", path, "--world", world, "--json"))
        assert len(server.texts) <= count + batch
        [straight] = json.loads(ok("load", "facts", path, "--world", whole, "--json"))
    assert (finished["facts"], finished["edges"]) == (straight["facts"], straight["edges"]) == (count, 10 * count)
    assert finished["digest"] == straight["digest"]
    for name in (world, whole):
        seen = json.loads(ok("world", "verify", name, "--json"))
        assert (seen["digest"], seen["findings"]) == (straight["digest"], [])

"""Worlds as they stand: verified, listed, exported, re-embedded, deleted."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pace_graph
from loaders.write import Loaded, re_embed, write_world
from pace_graph.config import Settings
from pace_graph.env import Env
from pace_graph.errors import ConfigError, WorldError
from pace_graph.export import export_world
from pace_graph.formats import find_format
from pace_graph.graph import Graph
from pace_graph.records import Case, Fact, Person
from pace_graph.server import Address
from pace_graph.verify import verify_world
from pace_graph.worlds import delete_world, list_worlds, open_world, read_case, world_row
from tests.made import changed, cypher, facts, found, held, load, ok, put, put_pace, refused, run

NewWorld = Callable[[], str]
MINI = Path(pace_graph.__file__).parent / "data" / "pace_mini"


# Verify finds each kind of damage and names what mends it.

FACT = "MATCH (f:Fact {world: $w, fact_id: 'f0003'}) "
EDGE = "MATCH (f:Fact {world: $w, fact_id: 'f0003'})-[r:SIMILAR_TO {rank: 2}]->(g) "
AGAIN, RE_EMBED = "load", "re-embed"

DAMAGES = {
    "an edge is lost": (EDGE + "DELETE r", "1 SIMILAR_TO edges are missing", RE_EMBED),
    "an edge too many": (
        FACT + "MATCH (g:Fact {world: $w}) WHERE g <> f AND NOT (f)-[:SIMILAR_TO]->(g) WITH f, g LIMIT 1 "
        "CREATE (f)-[:SIMILAR_TO {rank: 11, score: 0.1}]->(g)",
        "1 SIMILAR_TO edges should not be there",
        RE_EMBED,
    ),
    "an edge to itself": (
        FACT + "CREATE (f)-[:SIMILAR_TO {rank: 1, score: 1.0}]->(f)",
        "should not be there",
        RE_EMBED,
    ),
    "an edge twice": (
        EDGE + "CREATE (f)-[:SIMILAR_TO {rank: r.rank, score: r.score}]->(g)",
        "1 SIMILAR_TO edges are there more than once",
        RE_EMBED,
    ),
    "a rank": (EDGE + "SET r.rank = 3", "1 SIMILAR_TO edges have another rank or score", RE_EMBED),
    "no rank": (EDGE + "REMOVE r.rank", "1 SIMILAR_TO edges have another rank or score", RE_EMBED),
    "no score": (EDGE + "SET r.score = 'high'", "1 SIMILAR_TO edges have another rank or score", RE_EMBED),
    "a score": (EDGE + "SET r.score = r.score + 0.001", "1 SIMILAR_TO edges have another rank or score", RE_EMBED),
    "a text": (FACT + "SET f.text = 'Not what was loaded.'", "facts or their vectors are not those", AGAIN),
    "a date": (FACT + "SET f.date = '2026-03-01'", "facts or their vectors are not those", AGAIN),
    "an id": (FACT + "SET f.fact_id = 'f0003x'", "facts or their vectors are not those", AGAIN),
    "a fact is lost": (FACT + "DETACH DELETE f", "has 29 facts where 30 were loaded", AGAIN),
    "a fact too many": (
        "MATCH (w:World {world: $w}) CREATE (:Fact:Vector64 {world: $w, fact_id: 'x', text: 'x'})-[:IN_WORLD]->(w)",
        "has 31 facts where 30 were loaded",
        AGAIN,
    ),
    "a vector is lost": (FACT + "REMOVE f.embedding", "1 facts have no vector of dimension 64", AGAIN),
    "a vector of another size": (
        FACT + "SET f.embedding = [0.6, 0.8]",
        "1 facts have no vector of dimension 64",
        AGAIN,
    ),
    "a vector": (
        FACT + "MATCH (g:Fact {world: $w, fact_id: 'f0011'}) SET f.embedding = g.embedding",
        "have another rank or score than their vectors give",
        RE_EMBED,
    ),
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_verify_finds_damage_and_names_a_mend_that_works(
    on_server: None, graph: Graph, neo4j: Address, new_world: NewWorld, tmp_path: Path, kind: str
) -> None:
    statement, said, mend = DAMAGES[kind]
    world = new_world()
    source = put_pace(tmp_path, world, facts(30))
    [loaded] = json.loads(ok("load", "pace", source, "--json"))
    before = held(neo4j, world)
    assert ok("world", "verify", world) == f"{world}: sound, digest {loaded['digest']}\n"

    cypher(neo4j, statement, w=world)
    result = run("world", "verify", world)
    assert result.exit_code == 1
    assert f"{world}: NOT sound" in result.stdout
    assert said in result.stdout
    [finding] = [each for each in verify_world(graph, world).findings if said in each.what]
    if mend == AGAIN:
        assert finding.mend.startswith(f"load {source} again")
        ok("load", "pace", source)
    else:
        assert finding.mend == f"pace-graph world re-embed {world}"
        ok("world", "re-embed", world)
    assert ok("world", "verify", world) == f"{world}: sound, digest {loaded['digest']}\n"
    assert held(neo4j, world).graph == before.graph
    assert {i: f["text"] for i, f in held(neo4j, world).facts.items()} == {f.fact_id: f.text for f in facts(30)}


def test_verify_finds_an_edge_into_another_world_from_both_sides(
    on_server: None, graph: Graph, neo4j: Address, new_world: NewWorld, tmp_path: Path
) -> None:
    world, other = new_world(), new_world()
    source = put_pace(tmp_path, world, facts(12))
    ok("load", "pace", put_pace(tmp_path, other, facts(12)))
    cypher(
        neo4j,
        FACT + "MATCH (g:Fact {world: $o, fact_id: 'f0001'}) CREATE (f)-[:SIMILAR_TO {rank: 1, score: 1.0}]->(g)",
        w=world,
        o=other,
    )
    for each in (world, other):
        [finding] = verify_world(graph, each).findings
        assert finding.what == "1 SIMILAR_TO edges lead into another world"
        assert finding.mend == f"pace-graph world delete {each} --yes, then load {source} again"
    ok("world", "delete", world, "--yes")
    ok("load", "pace", source)
    assert verify_world(graph, world).findings == verify_world(graph, other).findings == ()


def test_a_re_embedding_does_not_make_a_changed_text_look_right(
    on_server: None, graph: Graph, neo4j: Address, new_world: NewWorld, tmp_path: Path
) -> None:
    world = new_world()
    ok("load", "pace", put_pace(tmp_path, world, facts(30)))
    cypher(neo4j, FACT + "SET f.text = 'Not what was loaded.'", w=world)
    cypher(neo4j, EDGE + "DELETE r", w=world)
    first, second = verify_world(graph, world).findings
    assert first.mend.startswith("load ")
    assert second.mend == f"pace-graph world re-embed {world}"


def test_verify_says_what_finishes_a_world_that_is_not_ready(
    graph: Graph, settings: Settings, neo4j: Address, new_world: NewWorld
) -> None:
    world = new_world()
    load(graph, settings, world, facts(3), source="/a/b")
    for status, mend in (("loading", "load /a/b again"), ("deleting", f"pace-graph world delete {world} --yes")):
        cypher(neo4j, "MATCH (w:World {world: $w}) SET w.status = $s", w=world, s=status)
        [finding] = verify_world(graph, world).findings
        assert (finding.what, finding.mend) == (f"it is {status}, not ready", mend)


# Export.


@pytest.mark.parametrize("case", sorted(folder.name for folder in (MINI / "kb").iterdir()))
def test_a_released_world_comes_back_from_its_export(
    on_server: None, graph: Graph, new_world: NewWorld, tmp_path: Path, case: str
) -> None:
    world = new_world()
    for part in ("kb", "profile"):
        (tmp_path / "in" / part).mkdir(parents=True)
    shutil.copytree(MINI / "kb" / case, tmp_path / "in" / "kb" / world)
    shutil.copy(MINI / "profile" / f"{case}.json", tmp_path / "in" / "profile" / f"{world}.json")
    [loaded] = json.loads(ok("load", "pace", tmp_path / "in", "--json"))
    before, row = read_case(graph, world), world_row(graph, world)
    assert len(before.queries) == 18
    written = ok("world", "export", world, tmp_path / "out").splitlines()
    assert written == [
        str(tmp_path / "out" / name)
        for name in (f"kb/{world}/corpus.json", f"kb/{world}/queries.json", f"profile/{world}.json")
    ]
    # The same in every part: the load that reads it back finds nothing to do.
    assert "unchanged" in ok("load", "pace", tmp_path / "out")
    ok("world", "delete", world, "--yes")
    [back] = json.loads(ok("load", "pace", tmp_path / "out", "--json"))
    assert back["digest"] == loaded["digest"]
    assert read_case(graph, world) == before
    how = {"source": None, "seconds": None}
    assert {**world_row(graph, world), **how} == {**row, **how}


def test_dates_and_strange_texts_survive_an_export(
    on_server: None, graph: Graph, settings: Settings, new_world: NewWorld, tmp_path: Path
) -> None:
    world = new_world()
    given = [
        Fact("f1", "NUL \0, \u2028, e\u0301 and \u00e9, 林桥", "2026-03-01T09:00:00+08:00"),
        Fact("2", '"quoted" \\ back', "2026-03-29T02:30:00[Europe/Berlin]"),
        Fact("f3", "x" * 30_000),
    ]
    digest = load(graph, settings, world, given).digest
    before = open_world(graph, world)
    ok("world", "export", world, tmp_path)
    delete_world(graph, world)
    [back] = json.loads(ok("load", "pace", tmp_path, "--json"))
    assert back["digest"] == digest
    assert open_world(graph, world) == before


def test_an_export_writes_over_nothing(graph: Graph, settings: Settings, new_world: NewWorld, tmp_path: Path) -> None:
    world = new_world()
    load(graph, settings, world, facts(3))
    (tmp_path / "kb" / world).mkdir(parents=True)
    kept = tmp_path / "kb" / world / "queries.json"
    kept.write_text("mine")
    with pytest.raises(ConfigError, match=r"queries\.json is there already"):
        export_world(graph, world, tmp_path)
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == [kept]
    assert kept.read_text() == "mine"


def test_an_export_to_where_nothing_can_be_written_says_so(
    graph: Graph, settings: Settings, new_world: NewWorld, tmp_path: Path
) -> None:
    world = new_world()
    load(graph, settings, world, facts(3))
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot be written"):
        export_world(graph, world, tmp_path / "file")


def test_a_world_that_is_not_whole_is_not_exported(
    on_server: None, graph: Graph, settings: Settings, neo4j: Address, new_world: NewWorld, tmp_path: Path
) -> None:
    world = new_world()
    load(graph, settings, world, facts(3), source="/a/b")
    cypher(neo4j, "MATCH (w:World {world: $w}) SET w.status = 'loading'", w=world)
    assert f"world {world} is loading: its load of /a/b" in refused("world", "export", world, tmp_path / "out")
    assert not (tmp_path / "out").exists()


# List and show.


def test_worlds_are_listed_with_what_they_hold(
    on_server: None, graph: Graph, settings: Settings, neo4j: Address, new_world: NewWorld, tmp_path: Path
) -> None:
    world, cut = sorted((new_world(), new_world()))
    ok("load", "facts", put(tmp_path, facts(3)), "--world", world, "--ref-date", "2026-03-09", "--persona", "Mara")
    load(graph, settings, cut, facts(3))
    cypher(neo4j, "MATCH (w:World {world: $w}) SET w.status = 'loading'", w=cut)
    listed = {row["world"]: row for row in json.loads(ok("worlds", "--json"))}
    assert list(listed) == sorted(listed)
    loaded = listed[world].pop("loaded")
    assert loaded > "2026"
    assert listed[world] == {
        "world": world,
        "status": "ready",
        "facts": 3,
        "queries": 0,
        "persona": "Mara",
        "embedding_model": "hash-64",
        "dimension": 64,
        "ref_date": "2026-03-09",
    }
    assert listed[cut]["status"] == "loading"
    shown = ok("worlds")
    assert world in shown
    assert "Mara" in shown
    assert [row.world for row in list_worlds(graph)] == list(listed)
    one = json.loads(ok("world", "show", world, "--json"))
    assert (one["person"], one["ref_date"], one["counts"]["facts"], one["counts"]["edges"]) == (
        "Mara",
        "2026-03-09",
        3,
        6,
    )


@pytest.mark.parametrize(
    "command",
    [
        ("world", "show", "no-such"),
        ("world", "verify", "no-such"),
        ("world", "re-embed", "no-such"),
        ("world", "export", "no-such", "out"),
        ("search", "no-such", "tea"),
        ("ask", "no-such", "May I?"),
    ],
)
def test_a_world_that_is_not_there_is_named_with_those_that_are(
    on_server: None, graph: Graph, settings: Settings, command: tuple[str, ...]
) -> None:
    load(graph, settings, "a-world-to-name", facts(1))
    said = refused(*command)
    assert "there is no world named no-such; there are: " in said
    assert "a-world-to-name" in said
    assert not Path("out").exists()


# Re-embedding.


def test_re_embedding_with_the_same_model_mends_what_a_load_cannot_see(
    on_server: None, graph: Graph, settings: Settings, neo4j: Address, new_world: NewWorld
) -> None:
    world = new_world()
    digest = load(graph, settings, world, facts(30)).digest
    before = held(neo4j, world)
    cypher(neo4j, "MATCH (f:Fact {world: $w}) SET f.embedding = [n IN range(1, 64) | 1.0 * n]", w=world)
    cypher(neo4j, "MATCH (:Fact {world: $w})-[r:SIMILAR_TO]->() SET r.rank = 11 - r.rank", w=world)
    assert found(world, "cello", "--legs", "dense") != []
    again = json.loads(ok("world", "re-embed", world, "--json"))
    assert again["digest"] == digest
    assert held(neo4j, world).graph == before.graph
    assert held(neo4j, world).facts == before.facts
    assert verify_world(graph, world).findings == ()


def test_what_is_being_deleted_is_refused_by_all_and_only_finished(
    on_server: None, graph: Graph, settings: Settings, neo4j: Address, new_world: NewWorld, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    world = new_world()
    load(graph, settings, world, facts(20))
    plain = Graph.write

    def write(self: Graph, name: str, /, **params: Any) -> Any:
        rows = plain(self, name, **({**params, "limit": 7} if name == "world/delete" else params))
        if name == "world/delete":
            raise KeyboardInterrupt
        return rows

    with monkeypatch.context() as patch:
        patch.setattr(Graph, "write", write)
        result = run("world", "delete", world, "--yes")
    assert (result.exit_code, result.stderr.strip()) == (130, "Interrupted.")
    before = held(neo4j, world)
    assert len(before.facts) == 13
    for command in (
        ("search", world, "tea"),
        ("ask", world, "May I?"),
        ("load", "facts", put(tmp_path, facts(3)), "--world", world),
        ("load", "pace", put_pace(tmp_path, world, facts(3))),
        ("world", "re-embed", world),
        ("world", "export", world, tmp_path / "out"),
    ):
        said = refused(*command)
        assert f"world {world} is being deleted; finish it with: pace-graph world delete {world} --yes" in said
    with pytest.raises(WorldError, match="being deleted"):
        re_embed(graph, settings, world)
    assert held(neo4j, world) == before
    assert "deleted (14 nodes)" in ok("world", "delete", world, "--yes")
    assert held(neo4j, world).nodes == {}
    assert load(graph, settings, world, facts(3)).facts == 3


# Deletion.


def everything(at: Address) -> tuple[list[Any], list[Any]]:
    """The whole graph: nodes and relationships by element id."""
    nodes = cypher(at, "MATCH (n) RETURN elementId(n) AS i, properties(n) AS p ORDER BY i")
    return nodes, cypher(at, "MATCH ()-[r]->() RETURN elementId(r) AS i, properties(r) AS p ORDER BY i")


def test_a_deleted_world_leaves_nothing_and_touches_no_other(
    on_server: None, graph: Graph, settings: Settings, neo4j: Address, new_world: NewWorld, tmp_path: Path
) -> None:
    world, other = new_world(), new_world()
    for part in ("kb", "profile"):
        (tmp_path / part).mkdir(parents=True)
    shutil.copytree(MINI / "kb" / "mara_quill", tmp_path / "kb" / world)
    shutil.copy(MINI / "profile" / "mara_quill.json", tmp_path / "profile" / f"{world}.json")
    load(graph, settings, other, facts(30))
    ok("ask", other, "May I have tea?")
    before = everything(neo4j)
    ok("load", "pace", tmp_path)
    ok("ask", world, "Book a table for tomorrow evening.")
    kinds = {label for labels, _ in held(neo4j, world).nodes.values() for label in labels}
    assert kinds == {"World", "Fact", "Vector64", "Query", "Person", "Attribute", "Trace"}
    count = len(held(neo4j, world).nodes)
    assert f"deleted ({count} nodes)" in ok("world", "delete", world, "--yes")
    assert everything(neo4j) == before
    for _ in range(2):
        said = ok("world", "delete", world, "--yes")
        assert said == f"There is no world named {world}: nothing to delete.\n"
    assert delete_world(graph, world) == 0
    assert world not in ok("worlds")
    assert "there is no world" in refused("search", world, "tea")


def test_a_deletion_asks_first(on_server: None, graph: Graph, settings: Settings, new_world: NewWorld) -> None:
    from click.testing import CliRunner

    from pace_graph.cli.main import main

    world = new_world()
    load(graph, settings, world, facts(3))
    result = CliRunner().invoke(main, ["world", "delete", world], input="n\n")
    assert result.exit_code == 130
    assert open_world(graph, world).facts
    result = CliRunner().invoke(main, ["world", "delete", world], input="y\n")
    assert result.exit_code == 0
    assert "deleted" in result.stdout
    with pytest.raises(WorldError, match="no world named"):
        open_world(graph, world)


def test_a_large_world_goes_in_pieces(
    graph: Graph, settings: Settings, neo4j: Address, new_world: NewWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pace_graph.worlds._BATCH", 10)
    world = new_world()
    load(graph, settings, world, facts(25))
    pieces: list[int] = []
    assert delete_world(graph, world, pieces.append) == 26
    assert pieces == [10, 10, 5]
    assert held(neo4j, world).nodes == {}


def test_what_was_loaded_again_under_a_deleted_name_is_new(
    on_server: None, graph: Graph, settings: Settings, new_world: NewWorld
) -> None:
    world = new_world()
    first: Loaded = load(graph, settings, world, facts(20))
    assert found(world, "cello", "-k", "3")
    delete_world(graph, world)
    now = changed(facts(20), f0004="cello cello")
    assert load(graph, settings, world, now).digest != first.digest
    assert found(world, "cello", "--legs", "lexical")[0] == "f0004"


def test_an_export_of_notes_keeps_whose_they_are(env: Env, new_world: Callable[[], str], tmp_path: Path) -> None:
    case = Case(new_world(), (Fact("a", "Ada swims."), Fact("b", "Ada rows.")), people=(Person("Ada Ferns", "ego"),))
    write_world(env.graph, env.settings, case, source="notes")
    export_world(env.graph, case.world, tmp_path)
    (back,) = find_format("pace").read(tmp_path)
    assert [(person.name, person.role) for person in back.people] == [("Ada Ferns", "ego")]
    assert back.facts == case.facts

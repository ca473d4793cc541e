"""The command line, whole: good paths, bad input, servers that are not there, readers that go away."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pace_graph.retrievers import SYSTEMS
from pace_graph.server import Address
from tests.made import cypher, ok, refused, run
from tests.openai_server import Reply, ScriptedServer

pytestmark = pytest.mark.usefixtures("on_server")

NOTES = [
    {"id": "n1", "text": "Ivo Horn has choir practice on 2026-03-20 at 18:30.", "date": "2026-03-10"},
    {"id": "n2", "text": "The choir room stands at the far end of Quay Street.", "date": "2026-03-12"},
    {"id": "n3", "text": "Ada Ferns promised Ivo Horn a lift to Quay Street.", "date": "2026-03-14"},
    {"id": "n4", "text": "The repair bench is free to book until 19:00.", "date": "2026-03-30"},
    {"id": "n5", "text": "Ada Ferns keeps a green bicycle in the hall."},
    {"id": "n6", "text": "河边的琴房周五晚上要上锁。"},
]


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("notes") / "notes.json"
    path.write_text(json.dumps(NOTES, ensure_ascii=False), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def world(neo4j: Address, notes: Path) -> Iterator[str]:
    """A small world that stays for this module; tests read it only."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PACE_GRAPH_NEO4J__URI", neo4j.uri)
        patch.setenv("PACE_GRAPH_NEO4J__PASSWORD", neo4j.password.get_secret_value())
        patch.setenv("PACE_GRAPH_EMBEDDING__MODEL", "hash-64")
        ok("load", "facts", notes, "--world", "cli-world", "--persona", "Ada Ferns", "--ref-date", "2026-03-19")
        yield "cli-world"
        ok("world", "delete", "cli-world", "--yes")


@pytest.fixture
def kept(neo4j: Address) -> Callable[[], tuple[int, int]]:
    """How many nodes and edges the whole graph holds."""

    def count() -> tuple[int, int]:
        nodes = cypher(neo4j, "MATCH (n) RETURN count(n) AS count")
        edges = cypher(neo4j, "MATCH ()-[r]->() RETURN count(r) AS count")
        return nodes[0]["count"], edges[0]["count"]

    return count


@pytest.fixture
def nowhere() -> str:
    """An address on which nothing listens."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{free.getsockname()[1]}"


def machine(*arguments: object) -> Any:
    """What a command prints with --json; fails when it is anything but JSON."""
    return json.loads(ok(*arguments, "--json"))


def one_line(stderr: str) -> str:
    """The sentence of a command that failed."""
    lines = stderr.splitlines()
    assert len(lines) == 1, stderr
    assert lines[0].startswith("Error: ")
    assert "Traceback" not in stderr
    return lines[0]


# --- good paths --------------------------------------------------------------------------------------------------


def test_notes_are_loaded_looked_at_and_deleted(notes: Path, new_world: Callable[[], str], tmp_path: Path) -> None:
    name = new_world()
    (row,) = machine("load", "facts", notes, "--world", name, "--persona", "Ada Ferns", "--ref-date", "2026-03-19")
    assert (row["world"], row["facts"], row["added"], row["edges"]) == (name, 6, 6, 30)
    assert "unchanged" in ok("load", "facts", notes, "--world", name)

    assert {each["world"]: each["facts"] for each in machine("worlds")}[name] == 6
    assert name in ok("worlds")

    shown = machine("world", "show", name)
    assert (shown["person"], shown["ref_date"], shown["status"]) == ("Ada Ferns", "2026-03-19", "ready")
    assert "Ada Ferns" in ok("world", "show", name)

    assert machine("world", "verify", name)["findings"] == []
    assert "sound" in ok("world", "verify", name)

    written = ok("world", "export", name, tmp_path / "out").splitlines()
    assert written
    assert all(Path(line).is_file() for line in written)

    assert "deleted" in ok("world", "delete", name, "--yes")
    assert name not in {each["world"] for each in machine("worlds")}
    assert "nothing to delete" in ok("world", "delete", name, "--yes")

    # What was exported is the same world, to the digest.
    (again,) = machine("load", "pace", tmp_path / "out")
    assert again["digest"] == row["digest"]
    ok("world", "delete", name, "--yes")


def test_a_world_gets_vectors_of_another_model(
    notes: Path, new_world: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = new_world()
    ok("load", "facts", notes, "--world", name)
    monkeypatch.setenv("PACE_GRAPH_EMBEDDING__MODEL", "hash-32")
    told = one_line(refused("search", name, "choir"))
    assert name in told
    assert "re-embed" in told
    assert machine("world", "re-embed", name)["embedding_model"] == "hash-32"
    assert machine("search", name, "choir")
    ok("world", "delete", name, "--yes")


@pytest.mark.parametrize("legs", ["dense", "lexical", "both"])
def test_search_prints_hits_best_first(world: str, legs: str) -> None:
    hits = machine("search", world, "choir practice Quay Street", "-k", "3", "--legs", legs)
    assert 1 <= len(hits) <= 3
    assert [set(hit) for hit in hits] == [{"fact_id", "text", "score", "legs"}] * len(hits)
    assert [hit["score"] for hit in hits] == sorted((hit["score"] for hit in hits), reverse=True)
    assert {leg for hit in hits for leg in hit["legs"]} <= ({"dense", "lexical"} if legs == "both" else {legs})
    assert {hit["fact_id"]: hit["text"] for hit in hits}.items() <= {each["id"]: each["text"] for each in NOTES}.items()
    assert hits[0]["fact_id"] in ok("search", world, "choir practice Quay Street", "-k", "3", "--legs", legs)


def test_search_can_leave_out_what_came_later(world: str) -> None:
    assert {hit["fact_id"] for hit in machine("search", world, "bench", "-k", "6")} == {n["id"] for n in NOTES}
    until = {hit["fact_id"] for hit in machine("search", world, "bench", "-k", "6", "--until", "2026-03-12")}
    assert until == {"n1", "n2", "n5", "n6"}


def test_search_finds_chinese(world: str) -> None:
    assert machine("search", world, "琴房", "--legs", "lexical")[0]["fact_id"] == "n6"


@pytest.mark.parametrize("system", [name for name, system in SYSTEMS.items() if not system.needs_chat])
def test_ask_prints_evidence_without_a_verdict(world: str, system: str) -> None:
    reply = machine("ask", world, "Book the repair bench for tomorrow at 18:15.", "--system", system)
    assert set(reply) == {"system", "verdict", "answer", "views", "evidence", "cost"}
    assert (reply["system"], reply["verdict"], reply["answer"]) == (system, None, None)
    assert reply["views"][0] == "Book the repair bench for tomorrow at 18:15."
    assert [each["rank"] for each in reply["evidence"]] == list(range(1, len(reply["evidence"]) + 1))
    for each in reply["evidence"]:
        assert set(each) == {"fact_id", "text", "rank", "hop", "path"}
        assert each["path"][-1] == each["fact_id"]
        assert len(each["path"]) == each["hop"] + 1
    assert reply["cost"]["calls"] == 0
    assert reply["cost"]["stages"]


def test_ask_takes_a_date_and_settings(world: str) -> None:
    near = machine("ask", world, "Book the bench for tomorrow.", "--set", "hops=0", "--set", "n_final=2")
    assert len(near["evidence"]) == 2
    assert {each["hop"] for each in near["evidence"]} == {0}
    dated = machine("ask", world, "Book the bench for tomorrow.", "--date", "2026-05-04")
    assert any("2026-05-05" in view or "May 5, 2026" in view for view in dated["views"])


def test_a_trace_is_left_and_explained_unless_it_is_not_wanted(world: str, kept: Callable[[], tuple[int, int]]) -> None:
    before = kept()
    ok("ask", world, "Book the repair bench.", "--no-trace")
    assert kept() == before
    shown = ok("ask", world, "Book the repair bench for Friday.")
    assert "evidence" in shown
    nodes, edges = kept()
    assert nodes == before[0] + 1
    assert edges > before[1]

    trace = machine("explain", "--last")
    assert (trace["world"], trace["text"]) == (world, "Book the repair bench for Friday.")
    assert machine("explain", "--last", "--world", world)["trace_id"] == trace["trace_id"]
    assert "Book the repair bench for Friday." in ok("explain", "--last")
    assert trace["trace_id"] in ok("explain", "--last", "--cypher")
    assert kept() == (nodes, edges)


def test_with_a_model_there_is_a_verdict(world: str, monkeypatch: pytest.MonkeyPatch) -> None:
    decision = {"verdict": "decline", "answer": "Ivo Horn needs the lift at that time."}
    with ScriptedServer(lambda _: decision) as server:
        monkeypatch.setenv("PACE_GRAPH_AGENT__MODEL", "scripted")
        monkeypatch.setenv("PACE_GRAPH_AGENT__BASE_URL", server.url)
        reply = machine("ask", world, "Book the repair bench for tomorrow.")
        said = ok("ask", world, "Book the repair bench for tomorrow.")
    assert (reply["verdict"], reply["answer"]) == ("decline", decision["answer"])
    assert reply["cost"]["calls"] == 1
    assert said.startswith("Not as asked. Ivo Horn needs the lift at that time.")


def test_the_database_commands_know_a_server_that_is_not_theirs(neo4j: Address) -> None:
    status = machine("db", "status")
    assert (status["running"], status["managed"], status["uri"]) == (True, False, neo4j.uri)
    assert "password" not in status
    assert all(finding["ok"] for finding in machine("db", "doctor"))
    assert neo4j.password.get_secret_value() not in ok("db", "status") + ok("db", "doctor")


# --- bad input: status 2, one sentence, nothing on stdout, nothing written ---------------------------------------

W = "cli-world"
BAD: dict[str, tuple[list[str], list[str]]] = {
    "unknown command": (["asks"], ["asks", "pace-graph --help"]),
    "unknown option": (["worlds", "--jsn"], ["--jsn", "--json"]),
    "no world": (["ask"], ["WORLD", "ask --help"]),
    "no request": (["ask", W], ["REQUEST"]),
    "too much": (["worlds", "all"], ["all"]),
    "ask, unknown world": (["ask", "no-world", "Book it."], ["no-world", W]),
    "ask, blank": (["ask", W, " \n"], ["blank"]),
    "ask, unknown system": (["ask", W, "Book it.", "--system", "guess"], ["guess", "pacemaker-rules"]),
    "ask, no model": (["ask", W, "Book it.", "--system", "pacemaker"], ["PACE_GRAPH_AGENT__MODEL", "pacemaker-rules"]),
    "ask, no such day": (["ask", W, "Book it.", "--date", "2026-02-30"], ["--date", "2026-02-30", "2026-03-14"]),
    "ask, a day in words": (["ask", W, "Book it.", "--date", "tomorrow"], ["--date", "tomorrow"]),
    "ask, setting without value": (["ask", W, "Book it.", "--set", "hops"], ["--set", "hops=3"]),
    "ask, unknown setting": (["ask", W, "Book it.", "--set", "hop=3"], ["--set", "hop", "hops"]),
    "ask, setting out of bounds": (["ask", W, "Book it.", "--set", "hops=-1"], ["--set", "hops", "-1"]),
    "ask, setting of another kind": (["ask", W, "Book it.", "--set", "k=many"], ["--set", "k", "many"]),
    "ask, setting of other words": (["ask", W, "Book it.", "--set", "edges=all"], ["edges", "symmetric"]),
    "search, unknown world": (["search", "no-world", "bench"], ["no-world"]),
    "search, blank": (["search", W, ""], ["blank"]),
    "search, none": (["search", W, "bench", "-k", "0"], ["-k", "0"]),
    "search, no number": (["search", W, "bench", "-k", "ten"], ["-k", "ten"]),
    "search, unknown leg": (["search", W, "bench", "--legs", "graph"], ["--legs", "graph", "lexical"]),
    "search, no such day": (["search", W, "bench", "--until", "3/4/2026"], ["--until", "3/4/2026"]),
    "explain, which": (["explain"], ["--last"]),
    "explain, unknown world": (["explain", "--last", "--world", "no-world"], ["no-world"]),
    "show, unknown world": (["world", "show", "no-world"], ["no-world", W]),
    "verify, unknown world": (["world", "verify", "no-world"], ["no-world"]),
    "re-embed, unknown world": (["world", "re-embed", "no-world"], ["no-world"]),
    "export, unknown world": (["world", "export", "no-world", "{tmp}/out"], ["no-world"]),
    "export, a file in the way": (["world", "export", W, "{tmp}/notes.json"], ["notes.json"]),
    "load, unknown format": (["load", "csv", "{tmp}/notes.json"], ["csv"]),
    "load, no world": (["load", "facts", "{tmp}/notes.json"], ["--world"]),
    "load, no file": (["load", "facts", "{tmp}/none.json", "--world", "w"], ["none.json"]),
    "load, no facts": (["load", "facts", "{tmp}/broken.json", "--world", "w"], ["broken.json"]),
    "load, a fact without text": (["load", "facts", "{tmp}/notext.csv", "--world", "w"], ["notext.csv", "3", "text"]),
    "load, no world name": (["load", "facts", "{tmp}/notes.json", "--world", "a/b"], ["--world"]),
    "load, no such zone": (["load", "facts", "{tmp}/notes.json", "--world", "w", "--zone", "Mars"], ["--zone", "Mars"]),
    "load, no folder": (["load", "pace", "{tmp}/none"], ["none"]),
    "load, a folder without worlds": (["load", "pace", "{tmp}"], ["kb/<case_id>/corpus.json"]),
    "load, no edges": (["load", "pace", "{tmp}", "--k-graph", "0"], ["--k-graph"]),
    "start, not ours": (["db", "start"], ["PACE_GRAPH_NEO4J__URI", "unset"]),
    "stop, not ours": (["db", "stop"], ["PACE_GRAPH_NEO4J__URI", "unset"]),
    "browser, not ours": (["db", "browser"], ["PACE_GRAPH_NEO4J__URI", "unset"]),
    "stop, no number": (["db", "stop", "--timeout", "soon"], ["--timeout", "soon"]),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_in_a_sentence(
    case: str, world: str, kept: Callable[[], tuple[int, int]], tmp_path: Path
) -> None:
    assert world == W
    arguments, named = BAD[case]
    (tmp_path / "notes.json").write_text(json.dumps(NOTES), encoding="utf-8")
    (tmp_path / "broken.json").write_text("{not json", encoding="utf-8")
    (tmp_path / "notext.csv").write_text("id,text\na,A fact.\nb,\n", encoding="utf-8")
    files = sorted(tmp_path.iterdir())
    before = kept()
    told = one_line(refused(*(argument.replace("{tmp}", str(tmp_path)) for argument in arguments)))
    for words in named:
        assert words in told
    assert kept() == before
    assert sorted(tmp_path.iterdir()) == files


@pytest.mark.parametrize("case", ["ask, unknown world", "search, blank", "show, unknown world", "load, no folder"])
def test_bad_input_leaves_stdout_empty_in_json_mode_too(case: str, world: str, tmp_path: Path) -> None:
    arguments = [argument.replace("{tmp}", str(tmp_path)) for argument in BAD[case][0]]
    one_line(refused(*arguments, "--json"))


def test_every_fault_of_a_file_is_named(world: str, kept: Callable[[], tuple[int, int]], tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    path.write_text("id,text,date\na,A fact.,2026-02-30\n,No id.,\nc,,\n", encoding="utf-8")
    before = kept()
    told = refused("load", "facts", path, "--world", "w").splitlines()
    assert told[0] == f"Error: {path}: 3 problems"
    assert len(told) == 4
    assert kept() == before


def test_a_setting_of_the_environment_is_named(world: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PACE_GRAPH_EMBEDDING__BATCH", "many")
    assert "PACE_GRAPH_EMBEDDING__BATCH" in one_line(refused("worlds"))


def test_deleting_asks_first(world: str, kept: Callable[[], tuple[int, int]]) -> None:
    before = kept()
    result = run("world", "delete", world)
    # With nobody there to ask.
    assert result.exit_code == 2
    assert "say --yes" in result.stderr
    assert kept() == before


# --- servers and endpoints that fail: status 1, soon -------------------------------------------------------------

NEED_A_GRAPH = [
    ["worlds"],
    ["worlds", "--json"],
    ["world", "show", W],
    ["world", "verify", W],
    ["world", "re-embed", W],
    ["world", "delete", W, "--yes"],
    ["world", "export", W, "out"],
    ["search", W, "bench"],
    ["ask", W, "Book it.", "--json"],
    ["explain", "--last"],
    ["demo"],
]


@pytest.mark.parametrize("arguments", NEED_A_GRAPH, ids=" ".join)
def test_no_graph_is_told_soon(arguments: list[str], nowhere: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PACE_GRAPH_NEO4J__URI", f"bolt://{nowhere}")
    began = time.monotonic()
    told = one_line(refused(*arguments, status=1))
    assert nowhere in told
    assert time.monotonic() - began < 8


def test_no_graph_is_told_after_a_file_was_read(notes: Path, nowhere: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PACE_GRAPH_NEO4J__URI", f"bolt://{nowhere}")
    note, *told = refused("load", "facts", notes, "--world", "w", status=1).splitlines()
    assert "time zone" in note
    assert nowhere in one_line("\n".join(told))


def test_a_wrong_password_is_bad_input_and_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PACE_GRAPH_NEO4J__PASSWORD", "hunter2-hunter2")
    told = one_line(refused("worlds"))
    assert "PACE_GRAPH_NEO4J__PASSWORD" in told
    assert "hunter2" not in told


def test_an_address_that_is_none_is_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PACE_GRAPH_NEO4J__URI", "somewhere")
    assert "PACE_GRAPH_NEO4J__URI" in one_line(refused("worlds"))


def test_an_endpoint_that_is_down_is_told(world: str, nowhere: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PACE_GRAPH_AGENT__MODEL", "any")
    monkeypatch.setenv("PACE_GRAPH_AGENT__BASE_URL", f"http://{nowhere}/v1")
    monkeypatch.setenv("PACE_GRAPH_AGENT__MAX_RETRIES", "0")
    for system in ("pacemaker", "pacemaker-rules"):
        assert nowhere in one_line(refused("ask", world, "Book it.", "--system", system, "--json", status=1))


# --- processes: readers that go away, users who interrupt --------------------------------------------------------


def command(*arguments: object) -> list[str]:
    return [str(Path(sys.executable).parent / "pace-graph"), *(str(argument) for argument in arguments)]


def process(*arguments: object, **more: Any) -> subprocess.CompletedProcess[str]:
    """A command run to its end in a process of its own."""
    return subprocess.run(command(*arguments), stderr=subprocess.PIPE, text=True, timeout=600, check=False, **more)


@pytest.mark.parametrize(
    "arguments",
    [["search", W, "choir", "--json"], ["search", W, "choir"], ["worlds"], ["worlds", "--json"], ["world", "show", W]],
    ids=" ".join,
)
def test_a_reader_that_goes_away_is_no_failure(world: str, arguments: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        done = process(*arguments, stdout=write)
    finally:
        os.close(write)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_interrupted_command_ends_with_130(world: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer(lambda _: Reply("never read", delay_s=20)) as server:
        monkeypatch.setenv("PACE_GRAPH_AGENT__MODEL", "slow")
        monkeypatch.setenv("PACE_GRAPH_AGENT__BASE_URL", server.url)
        asking = subprocess.Popen(
            command("ask", world, "Book it.", "--system", "pacemaker", "--json"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        deadline = time.monotonic() + 30
        while not server.requests and asking.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        asking.send_signal(signal.SIGINT)
        out, err = asking.communicate(timeout=15)
    assert (asking.returncode, out) == (130, "")
    assert err.strip() == "Interrupted."


# --- the demonstration -------------------------------------------------------------------------------------------

BUNDLED = ("mara_quill", "shen_yulan", "tomas_okafor")


def test_the_demonstration_shows_that_the_chain_beats_its_parts(
    neo4j: Address, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("PACE_GRAPH_EMBEDDING__MODEL")
    try:
        told = process("demo", "--json", stdout=subprocess.PIPE, cwd=tmp_path)
        assert told.returncode == 0, told.stderr
        report = json.loads(told.stdout)
        assert tuple(report["worlds"]) == BUNDLED
        systems = report["systems"]
        assert {"bm25", "dense", "hybrid", "pacemaker-rules"} <= set(systems)
        assert not any(SYSTEMS[name].needs_chat for name in systems)
        chain = systems["pacemaker-rules"]
        assert (chain["all"]["requests"], chain["conflict"]["requests"]) == (54, 27)
        for metric in ("Recall@10", "Gold@10"):
            for name in ("hybrid", "dense", "bm25"):
                assert chain["conflict"][metric] > systems[name]["conflict"][metric], (metric, name)
        assert chain["conflict"]["Recall@10"] <= chain["conflict"]["ceiling"] <= 1

        # A second time: nothing is loaded again, and people get tables, a path and the judgment.
        again = process("demo", stdout=subprocess.PIPE, cwd=tmp_path)
        assert again.returncode == 0, again.stderr
        assert len([line for line in again.stderr.splitlines() if "unchanged" in line]) == 3
        for words in (*BUNDLED, *systems, "all worlds, conflict requests", "Recall@10", "Gold@5", "MRR", "ceiling"):
            assert words in again.stdout, words
        for words in ("milliseconds a request", "evidence (fact, rank kept)", "★", "judgment in the data:"):
            assert words in again.stdout, words
        assert "Traceback" not in again.stdout + again.stderr
    finally:
        for name in BUNDLED:
            ok("world", "delete", name, "--yes")

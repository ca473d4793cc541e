"""What a newcomer typed and should be told: one sentence, status 2, nothing left behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pace_graph.config import Settings
from pace_graph.graph import Graph
from pace_graph.records import Fact, Query
from tests.made import load, ok, refused

pytestmark = pytest.mark.usefixtures("on_server")
FACTS = tuple(Fact(f"f{i}", f"Ada keeps note {i} on shelf {i % 3}.") for i in range(12))


@pytest.fixture
def notes(graph: Graph, settings: Settings, new_world: Callable[[], str]) -> str:
    name = new_world()
    load(graph, settings, name, FACTS)
    return name


@pytest.fixture
def asked(graph: Graph, settings: Settings, new_world: Callable[[], str]) -> str:
    name = new_world()
    queries = tuple(Query(f"Bring note {i}.", name, f"q{i}", gold=(f"f{i}",)) for i in range(3))
    load(graph, settings, name, FACTS, queries=queries)
    return name


def test_a_run_folder_below_a_file(asked: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    said = refused("run", "--system", "bm25", "--world", asked, "--out", tmp_path / "file" / "run")
    assert "cannot be made a run folder" in said
    assert said.count("\n") == 1


def test_a_run_over_a_world_that_is_not_there_names_those_that_are(asked: str, tmp_path: Path) -> None:
    said = refused("run", "--system", "bm25", "--world", asked + "x", "--out", tmp_path / "run")
    assert f"there is no world named {asked}x; there are: " in said
    assert not (tmp_path / "run").exists()


def test_a_run_over_a_world_without_requests_says_so(notes: str, tmp_path: Path) -> None:
    said = refused("run", "--system", "bm25", "--world", notes, "--out", tmp_path / "run")
    assert f"world {notes} has no requests" in said


def test_another_run_in_the_folder_is_told_in_few_words(asked: str, tmp_path: Path) -> None:
    ok("run", "--system", "bm25", "--world", asked, "--out", tmp_path / "run")
    said = refused("run", "--system", "dense", "--world", asked, "--out", tmp_path / "run")
    assert "systems: bm25 there, dense now" in said
    assert len(said) < 300


def test_a_sweep_of_two_requests_can_be_reported(asked: str, tmp_path: Path) -> None:
    # A paired test over so few requests may have one difference to go by.
    ok("sweep", "--out", tmp_path / "s", "--over", "H=0", "--world", asked, "--limit", "2")
    told = ok("report", tmp_path / "s" / "default", tmp_path / "s" / "H-0", "--format", "markdown")
    assert "Recall@10" in told


def test_control_signs_alone_are_blank(notes: str) -> None:
    assert "the request is blank" in refused("ask", notes, "\x01\x02\x03")


def test_a_deletion_that_nobody_can_agree_to_asks_for_yes(notes: str) -> None:
    said = refused("world", "delete", notes)
    assert "say --yes" in said


def test_a_run_folder_that_is_not_there(tmp_path: Path) -> None:
    assert "there is no folder" in refused("report", tmp_path / "nope")

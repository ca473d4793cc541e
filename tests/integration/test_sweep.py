"""A sweep asks again only for what a point changes."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from loaders.write import write_world
from pace_graph.cli.main import main
from pace_graph.env import Env
from pace_graph.evaluation.folder import RunFolder
from pace_graph.records import Case, Fact, Query
from tests.openai_server import Request, ScriptedServer


def reply(request: Request) -> str:
    """What a model would say: a plan, two views, or the first facts of the list."""
    text = request.system + request.user
    if "selected_doc_ids" in text:
        ids = re.findall(r'"doc_id": "(\w+)"', text)
        return json.dumps({"selected_doc_ids": ids[:10]})
    if '"counter"' in text:
        return json.dumps({"counter": ["what is planned on that day", "who needs what"]})
    return json.dumps({"conflict_dimensions": [{"dimension": "time"}], "risk_summary": "time"})


def world(name: str) -> Case:
    facts = tuple(
        Fact(f"d{i:02}", f"Ada keeps note {i} on row {i % 7} of shelf {i % 5} for day {i % 9}.") for i in range(60)
    )
    queries = tuple(
        Query(f"Bring note {i} from shelf {i} on day {i}.", name, f"q{i}", gold=(f"d{i:02}",)) for i in (1, 2)
    )
    return Case(name, facts, queries)


@pytest.mark.usefixtures("on_server")
def test_only_what_a_point_changes_is_asked_again(
    env: Env, new_world: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = new_world()
    write_world(env.graph, env.settings, world(name), source="test")
    with ScriptedServer(reply) as server:
        monkeypatch.setenv("PACE_GRAPH_AGENT__BASE_URL", server.url)
        monkeypatch.setenv("PACE_GRAPH_AGENT__MODEL", "scripted")
        monkeypatch.setenv("PACE_GRAPH_CACHE_DIR", str(tmp_path / "cache"))
        command = [
            "sweep", "--out", str(tmp_path / "s"), "--system", "pacemaker", "--world", name, "--over", "H=1,2",
            "--over", "w_counter=0.5", "--json",
        ]  # fmt: skip
        result = CliRunner().invoke(main, command)
        assert result.exit_code == 0, result.output
        first = len(server.requests)
        again = CliRunner().invoke(main, command)
        assert again.exit_code == 0
        assert len(server.requests) == first, "a finished sweep asks nothing"
        asked = Counter(json.dumps(found.body["messages"], sort_keys=True) for found in server.requests)
    assert set(asked.values()) == {1}, "no prompt was sent twice over all points"
    # 2 requests: plan, views and pre-hop once each (H changes none of them); post-hop again where the pool differs.
    assert 2 * 4 <= first < 4 * 2 * 4
    points = [RunFolder.there(tmp_path / "s" / point) for point in ("default", "H-1", "H-2", "w_counter-0.5")]
    assert [len(list(point.retrievals())) for point in points] == [2, 2, 2, 2]
    saved = [sum(row.cost.total.from_cache for row in point.retrievals()) for point in points]
    assert saved[0] == 0
    assert saved[1] >= 6


@pytest.mark.usefixtures("on_server")
def test_an_embedding_model_is_swept_on_copies_of_the_worlds(
    env: Env, new_world: Callable[[], str], tmp_path: Path
) -> None:
    name = new_world()
    write_world(env.graph, env.settings, world(name), source="test")
    result = CliRunner().invoke(
        main, ["sweep", "--out", str(tmp_path), "--system", "dense", "--world", name, "--over", "embedding=hash-32"]
    )
    assert result.exit_code == 0, result.output
    assert env.world(name).dimension == 64
    assert env.world(f"{name}~hash-32").dimension == 32
    assert RunFolder.there(tmp_path / "embedding-hash-32").config()["worlds"][f"{name}~hash-32"]["dimension"] == 32

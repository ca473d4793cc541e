"""A run that is killed, again and again, at moments nobody chose: nothing done is done, asked or paid for twice."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from loaders.pace import read as read_pace
from loaders.write import write_world
from pace_graph.config import Settings
from pace_graph.env import Env
from pace_graph.evaluation.folder import RunFolder
from tests.model_by_rule import RuleServer, prompt_of
from tests.openai_server import Reply, Request

pytestmark = pytest.mark.usefixtures("on_server")

BUNDLED = Path(__file__).parents[2] / "pace_graph" / "data" / "pace_mini"
KILLS = 20
CONCURRENCY = 4
CALLS = 5


class Watching(RuleServer):
    """Knows what arrived since it was last asked: the request that each call was about, and its prompt."""

    def __init__(self, **others: Any) -> None:
        super().__init__(**others)
        self._arrived: list[tuple[str, str]] = []
        self._guard = threading.Lock()

    def answer(self, request: Request) -> Reply:
        asked = re.search(r"Request:\n<<<\n(.*?)\n>>>", request.user, re.DOTALL)
        assert asked
        with self._guard:
            self._arrived.append((asked[1], prompt_of(request)))
        return super().answer(request)

    @property
    def count(self) -> int:
        return len(self._arrived)

    def taken(self) -> list[tuple[str, str]]:
        with self._guard:
            taken, self._arrived = self._arrived, []
        return taken


@pytest.fixture(scope="module")
def worlds(settings: Settings, env: Env) -> list[str]:
    names = []
    for case in read_pace(BUNDLED, cases=("mara_quill", "shen_yulan")):
        names.append(f"w-{uuid4().hex[:12]}")
        queries = tuple(replace(query, world=names[-1]) for query in case.queries)
        write_world(env.graph, settings, replace(case, world=names[-1], queries=queries), source="bundled")
    return names


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Any:
    with Watching(delay_s=0.03) as opened:
        monkeypatch.setenv("PACE_GRAPH_AGENT__MODEL", "by-rule")
        monkeypatch.setenv("PACE_GRAPH_AGENT__BASE_URL", opened.url)
        yield opened


def begin(out: Path, worlds: list[str]) -> subprocess.Popen[str]:
    named = [part for world in worlds for part in ("--world", world)]
    return subprocess.Popen(
        [
            str(Path(sys.executable).parent / "pace-graph"), "run", "--out", str(out), "--system", "pacemaker", *named,
            "--concurrency", str(CONCURRENCY), "--cache", str(out.parent / "replies.sqlite"), "--json",
        ],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def finish(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    told: dict[str, Any] = json.loads(out)
    return told


def gist(folder: RunFolder) -> list[str]:
    """The records without costs, in an order of their own."""
    rows = (json.loads(line) for line in (folder.path / "records.jsonl").read_bytes().splitlines())
    return sorted(json.dumps({name: value for name, value in row.items() if name != "cost"}) for row in rows)


def done(folder: RunFolder) -> set[str]:
    """The texts of the requests that have their answer on disk."""
    texts = {(query.world, query.query_id): query.text for query in folder.queries()}
    return {texts[row.key.world, row.key.query_id] for row in folder.answers() if row.status == "ok"}


def test_killed_at_twenty_random_moments_it_does_nothing_twice(
    server: Watching, worlds: list[str], tmp_path: Path
) -> None:
    seed = random.SystemRandom().randrange(10**6)
    print(f"seed {seed}")  # noqa: T201 - shown when it fails
    dice = random.Random(seed)

    # What an uninterrupted run leaves, and how long one takes to begin.
    (tmp_path / "whole").mkdir()
    began = time.monotonic()
    process = begin(tmp_path / "whole" / "run", worlds)
    while not server.count:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    startup = time.monotonic() - began
    total = finish(process)["requests"]
    whole = RunFolder.there(tmp_path / "whole" / "run")
    everything = server.taken()
    assert len(everything) == len(set(everything)) == total * CALLS

    # Half of the moments are counted in calls, so that work is under way; half in time, from the very start on.
    moments = ["calls", "time"] * (KILLS // 2)
    dice.shuffle(moments)
    sessions: list[list[tuple[str, str]]] = []
    recorded: list[set[str]] = []
    (tmp_path / "killed").mkdir()
    folder = RunFolder(tmp_path / "killed" / "run")
    for moment in moments:
        process = begin(folder.path, worlds)
        until, calls = time.monotonic() + dice.uniform(0, 1.3 * startup), dice.randint(1, 7)
        while process.poll() is None and (
            server.count < calls if moment == "calls" else time.monotonic() < until and server.count < 12
        ):
            time.sleep(0.002)
        time.sleep(dice.uniform(0, 0.05))
        assert process.poll() is None, f"it was done before it was killed: {process.communicate()}"
        os.kill(process.pid, signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        process.communicate()
        # Calls that were under way have arrived by now, and nothing arrives any more.
        time.sleep(0.05)
        sessions.append(server.taken())
        recorded.append(done(folder))
    told = finish(begin(folder.path, worlds))
    sessions.append(server.taken())

    assert (told["complete"], told["errors"], told["requests"]) == (True, 0, total)
    assert gist(folder) == gist(whole)
    assert {call for session in sessions for call in session} == set(everything)
    assert sum(bool(session) for session in sessions) > KILLS / 2
    for number, session in enumerate(sessions):
        assert len(session) == len(set(session))
        later = {call for other in sessions[number + 1 :] for call in other}
        again = [call for call in session if call in later]
        assert len(again) <= CONCURRENCY
        # A call that was followed by another one for the same request had its reply in the cache.
        last: dict[str, str] = dict(session)
        assert all(last[asked] == prompt for asked, prompt in again)
        if number < KILLS:
            assert recorded[number].isdisjoint(asked for asked, _ in later)
    repeated = sum(len(session) for session in sessions) - len(everything)
    print(f"{repeated} calls of {len(everything)} were under way when {KILLS} kills fell")  # noqa: T201
    assert repeated <= KILLS * CONCURRENCY


def test_a_kill_between_the_parts_of_a_record_is_as_if_it_had_not_begun(
    server: Watching, worlds: list[str], tmp_path: Path
) -> None:
    folder = RunFolder(tmp_path / "run")
    finish(begin(folder.path, worlds[:1]))
    file = folder.path / "records.jsonl"
    whole, lines = gist(folder), file.read_bytes().splitlines(keepends=True)
    asked = server.taken()
    dice = random.Random(3)
    for _ in range(2):
        kept = dice.randint(1, len(lines) - 1)
        file.write_bytes(b"".join(lines[:kept]) + lines[kept][: dice.randint(1, len(lines[kept]) - 1)])
        assert finish(begin(folder.path, worlds[:1]))["complete"] is True
        assert gist(folder) == whole
    assert server.taken() == []
    by_request: dict[str, list[str]] = defaultdict(list)
    for request, prompt in asked:
        by_request[request].append(prompt)
    assert {len(prompts) for prompts in by_request.values()} == {CALLS}

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pace_graph.config import Settings
from pace_graph.errors import ConfigError
from pace_graph.server import state
from pace_graph.server.places import Places


@pytest.fixture
def places(tmp_path: Path) -> Places:
    made = Places.of(Settings(data_dir=tmp_path / "data", cache_dir=tmp_path / "cache"))
    made.make()
    return made


def a_state(pid: int = 1, nonce: str = "n0nce") -> state.State:
    return state.State(nonce, pid, "ready", 7687, 7474, "2026.08.1", time.time())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_is_written_is_read(places: Places) -> None:
    state.write(places, a_state())
    assert state.read(places) == state.read(places)
    assert (mode(places.state), mode(places.home)) == (0o600, 0o700)
    found = state.read(places)
    assert found is not None
    assert found.browser_url == "http://127.0.0.1:7474/browser/?dbms=bolt://neo4j@127.0.0.1:7687"


@pytest.mark.parametrize("text", ["", "{", "[]", "7", '{"pid": 3}', '{"extra": 1}', "\x00"])
def test_a_file_that_is_no_state_is_none(places: Places, text: str) -> None:
    places.state.write_text(text)
    assert state.read(places) is None
    assert state.running(places) is None


def test_a_pid_that_another_process_has_now_is_not_alive(places: Places) -> None:
    state.write(places, a_state(pid=os.getpid(), nonce="not on the command line of pytest"))
    assert state.running(places) is None


def test_a_zombie_is_not_alive(places: Places) -> None:
    with subprocess.Popen([sys.executable, "-c", "pass", "w0rd"]) as process:
        end = time.monotonic() + 10
        while a_state(process.pid, "w0rd").alive() and time.monotonic() < end:
            time.sleep(0.02)
        assert not a_state(process.pid, "w0rd").alive()


def test_a_process_with_the_nonce_is_alive(places: Places) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()", "w0rd"], stdin=subprocess.PIPE) as process:
        end = time.monotonic() + 10
        while not a_state(process.pid, "w0rd").alive() and time.monotonic() < end:
            time.sleep(0.02)
        state.write(places, a_state(process.pid, "w0rd"))
        assert state.running(places) is not None
        state.write(places, a_state(process.pid, "w0rd").now("failed", "why"))
        assert state.running(places) is None
        process.communicate(b"\n")


def test_the_password_is_made_once_and_private(places: Places) -> None:
    with pytest.raises(ConfigError, match="makes a new one"):
        state.password(places)
    first = state.made_password(places).get_secret_value()
    assert len(first) >= 20
    assert state.made_password(places).get_secret_value() == first
    assert mode(places.password) == 0o600


def test_the_state_file_holds_no_secret(places: Places) -> None:
    secret = state.made_password(places).get_secret_value()
    state.write(places, a_state())
    assert secret not in json.dumps(json.loads(places.state.read_text()))


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="PACE_GRAPH_DATA_DIR"):
        Places.of(Settings(data_dir=tmp_path / "file", cache_dir=tmp_path)).make()

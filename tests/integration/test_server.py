"""The managed server, for real: four starts, each of some seconds, in one folder of its own."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import psutil
import pytest
from click.testing import CliRunner
from neo4j import GraphDatabase
from pydantic import SecretStr

from pace_graph import server
from pace_graph.cli.db import db
from pace_graph.config import Settings
from pace_graph.errors import ConfigError, ServerDown
from pace_graph.server import launch, ports, state
from pace_graph.server.address import Address
from pace_graph.server.places import Places
from pace_graph.server.probe import look

ENSURE = """
import json
from pace_graph import server
from pace_graph.config import Settings
said = []
address = server.ensure(Settings.read(), said.append)
print(json.dumps([address.uri, address.pid, address.password.get_secret_value(), said]))
"""


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    made = Settings(data_dir=tmp_path_factory.mktemp("server"))
    yield made
    server.stop(made)


@pytest.fixture(scope="module")
def both(settings: Settings) -> list[list[object]]:
    """What two commands at once got, with no PATH and with the usual ports taken."""
    environment = {**os.environ, "PATH": "", "PACE_GRAPH_DATA_DIR": str(settings.data_dir)}
    environment.pop("JAVA_HOME", None)
    environment["PACE_GRAPH_CACHE_DIR"] = str(settings.cache_dir)
    with _taken(ports.BOLT), _taken(ports.HTTP):
        commands = [
            subprocess.Popen(
                [sys.executable, "-c", ENSURE],
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            for _ in range(2)
        ]
        # Returns only when nobody holds the pipes any more: the daemon must not.
        told = [command.communicate(timeout=120) for command in commands]
    assert [error for _, error in told] == [b"", b""]
    return [json.loads(out) for out, _ in told]


@pytest.fixture
def address(settings: Settings, both: list[list[object]]) -> Address:
    found = server.status(settings)
    assert found is not None
    return found


def _taken(port: int) -> socket.socket:
    taken = socket.socket()
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # Taken by someone else is as good.
    with suppress(OSError):
        taken.bind((ports.LOOPBACK, port))
        taken.listen()
    return taken


def _count(address: Address, statement: str = "MATCH (n:Kept) RETURN count(n) AS n") -> int:
    auth = (address.user, address.password.get_secret_value())
    with GraphDatabase.driver(address.uri, auth=auth) as driver:
        return int(driver.execute_query(statement, database_=address.database).records[0]["n"])


def _wait_gone(pid: int, timeout_s: float) -> float:
    begin = time.monotonic()
    while psutil.pid_exists(pid) and time.monotonic() - begin < timeout_s:
        time.sleep(0.02)
    assert not psutil.pid_exists(pid)
    return time.monotonic() - begin


def test_two_at_once_start_one_server(both: list[list[object]]) -> None:
    (first, second) = both
    assert first[:3] == second[:3]
    lines = [str(line) for answer in both for line in answer[3]]  # type: ignore[attr-defined]
    assert len([line for line in lines if line.startswith("Starting the local Neo4j")]) == 1


def test_the_usual_ports_were_taken(address: Address) -> None:
    assert not address.uri.endswith(f":{ports.BOLT}")
    assert f":{ports.HTTP}/" not in (address.browser_url or "")


def test_it_listens_on_loopback_only(address: Address) -> None:
    listening = [c.laddr.ip for c in psutil.Process(address.pid).net_connections() if c.status == psutil.CONN_LISTEN]
    assert len(listening) == 2
    assert {ip.removeprefix("::ffff:") for ip in listening} == {ports.LOOPBACK}


def test_files_are_private(settings: Settings, address: Address) -> None:
    places = Places.of(settings)
    for path in (places.password, places.state, places.log, places.server_lock, places.start_lock):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    assert stat.S_IMODE(places.home.stat().st_mode) == 0o700


def test_authentication_is_on_and_nothing_phones_home(address: Address) -> None:
    with pytest.raises(ConfigError, match="refuses"):
        look(replace(address, password=SecretStr("neo4j")), 5)
    auth = (address.user, address.password.get_secret_value())
    statement = "CALL dbms.listConfig() YIELD name, value WHERE name IN $names RETURN name, value ORDER BY name"
    names = ["browser.allow_outgoing_connections", "client.allow_telemetry", "dbms.usage_report.enabled"]
    with GraphDatabase.driver(address.uri, auth=auth) as driver:
        rows = driver.execute_query(statement, names=names).records
        client = driver.execute_query("CALL dbms.clientConfig() YIELD name, value RETURN name, value").records
    assert [(row["name"], row["value"]) for row in rows] == [(name, "false") for name in names]
    assert ("browser.allow_outgoing_connections", "false") in [(row["name"], row["value"]) for row in client]


def test_browser_is_served(address: Address) -> None:
    assert address.browser_url is not None
    with urllib.request.urlopen(address.browser_url.split("?")[0], timeout=10) as page:
        assert b"<html" in page.read().lower()


def test_the_commands_tell(settings: Settings, address: Address, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PACE_GRAPH_DATA_DIR", str(settings.data_dir))
    run = CliRunner().invoke
    secret = address.password.get_secret_value()
    shown = json.loads(run(db, ["status", "--json"]).stdout)
    assert (shown["running"], shown["uri"], shown["release"]) == (True, address.uri, server.NEO4J_VERSION)
    told = run(db, ["browser"]).stdout
    assert told.startswith(f"{address.browser_url}\n")
    assert secret not in told + json.dumps(shown)
    assert secret in run(db, ["status", "--show-password"]).stdout
    doctor = run(db, ["doctor", "--json"])
    assert [finding for finding in json.loads(doctor.stdout) if not finding["ok"]] == []
    assert doctor.exit_code == 0


def test_sigkill_loses_nothing_and_leaves_nothing(settings: Settings, address: Address) -> None:
    _count(address, "UNWIND range(1, 500) AS i CREATE (n:Kept {i: i}) RETURN count(n) AS n")
    server.checkpoint(settings)
    _count(address, "UNWIND range(501, 700) AS i CREATE (n:Kept {i: i}) RETURN count(n) AS n")
    assert address.pid is not None
    os.kill(address.pid, signal.SIGKILL)
    _wait_gone(address.pid, 10)
    assert server.status(settings) is None
    server.checkpoint(settings)
    # What the dead server left names a process of someone else by now.
    places = Places.of(settings)
    left = state.read(places)
    assert left is not None
    state.write(places, replace(left, pid=os.getpid()))
    said: list[str] = []
    again = server.ensure(settings, said.append)
    assert (len(said), again.pid == os.getpid()) == (1, False)
    assert _count(again) == 700


def test_sigterm_ends_it_cleanly_and_soon(settings: Settings, address: Address) -> None:
    auth = (address.user, address.password.get_secret_value())
    with GraphDatabase.driver(address.uri, auth=auth) as driver:
        driver.verify_connectivity()
        assert address.pid is not None
        os.kill(address.pid, signal.SIGTERM)
        assert _wait_gone(address.pid, 30) < 15
    places = Places.of(settings)
    assert not places.state.exists()
    assert "Stopped." in places.log.read_text()
    assert server.stop(settings) is False


def test_stopped_while_it_starts(settings: Settings, both: list[list[object]]) -> None:
    places = Places.of(settings)
    places.state.write_text("{ not a state")
    pid = launch._spawn(places)
    while "Starting..." not in (places.log.read_text() if places.log.exists() else ""):
        time.sleep(0.05)
    os.kill(pid, signal.SIGTERM)
    with pytest.raises(ServerDown, match=r"ended while it started|did not start"):
        launch.awaited(places, pid)
    _wait_gone(pid, 30)
    address = server.ensure(settings, lambda _: None)
    assert _count(address) == 700
    assert server.stop(settings) is True
    assert server.status(settings) is None


def test_why_it_does_not_start_is_said(settings: Settings, both: list[list[object]]) -> None:
    places = Places.of(settings)
    kept = places.home / "data" / "databases"
    away = kept.with_name("away")
    kept.rename(away)
    kept.write_text("a file where a folder belongs")
    with pytest.raises(ServerDown, match=r"databases") as told:
        server.ensure(settings, lambda _: None)
    assert str(places.log) in str(told.value)
    kept.unlink()
    away.rename(kept)

"""The door to Neo4j: what cannot be used is refused soon, in a sentence, with the right exit status."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from pace_graph.errors import ConfigError, GraphError, ServerDown
from pace_graph.graph import Graph
from pace_graph.server import Address
from tests.made import ok, refused

LOOPBACK = "127.0.0.1"


@contextmanager
def listening() -> Iterator[socket.socket]:
    with socket.create_server((LOOPBACK, 0)) as listener:
        yield listener


def uri(listener: socket.socket, scheme: str = "bolt") -> str:
    return f"{scheme}://{LOOPBACK}:{listener.getsockname()[1]}"


class FakeBolt:
    """Enough of Bolt 5.0 to say which release one is: the handshake, HELLO, and success to everything else."""

    def __init__(self, agent: str) -> None:
        self._agent = agent
        self._listener = socket.create_server((LOOPBACK, 0))
        self._thread = threading.Thread(target=self._serve)
        self.uri = uri(self._listener)

    def __enter__(self) -> FakeBolt:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                self._talk(connection)

    def _talk(self, connection: socket.socket) -> None:
        self._read(connection, 20)  # the preamble and four ranges of versions
        connection.sendall(b"\x00\x00\x00\x05")
        while (message := self._message(connection)) is not None:
            if message[1:2] == b"\x02":  # GOODBYE
                return
            connection.sendall(self._success())

    def _success(self) -> bytes:
        def text(value: str) -> bytes:
            return b"\xd0" + bytes([len(value)]) + value.encode()

        body = b"\xb1\x70\xa2" + text("server") + text(self._agent) + text("connection_id") + text("bolt-1")
        return struct.pack(">H", len(body)) + body + b"\x00\x00"

    def _message(self, connection: socket.socket) -> bytes | None:
        message = b""
        while True:
            header = self._read(connection, 2)
            if len(header) < 2:
                return None
            size = struct.unpack(">H", header)[0]
            if size == 0 and message:
                return message
            message += self._read(connection, size)

    @staticmethod
    def _read(connection: socket.socket, size: int) -> bytes:
        found = b""
        while len(found) < size and (piece := connection.recv(size - len(found))):
            found += piece
        return found


@pytest.mark.parametrize("agent", ["Neo4j/5.26.10", "Neo4j/2025.12.1", "Neo4j/4.4.0", "Memgraph/v3.0", "Neo4j/dev"])
def test_a_server_older_than_the_cypher_is_refused_with_one_sentence(agent: str) -> None:
    with FakeBolt(agent) as server, pytest.raises(GraphError) as caught:
        Graph.open(server.uri, "neo4j", "secret")
    assert str(caught.value) == (
        f"{server.uri} runs {agent}; pace-graph needs Neo4j 2026.01 or newer: upgrade it, or unset the URI"
    )
    assert not isinstance(caught.value, ServerDown)


def test_on_the_command_line_too(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeBolt("Neo4j/5.26.10") as server:
        monkeypatch.setenv("PACE_GRAPH_NEO4J__URI", server.uri)
        for command in (("worlds",), ("search", "w", "tea"), ("ask", "w", "May I?"), ("world", "delete", "w", "--yes")):
            said = refused(*command, status=1)
            assert said.startswith(f"Error: {server.uri} runs Neo4j/5.26.10; pace-graph needs Neo4j 2026.01 or newer")
            assert said.count("\n") == 1


@pytest.mark.parametrize("agent", ["Neo4j/2026.01.0", "Neo4j/2026.08.1", "Neo4j/2027.02.0-aura"])
def test_a_server_that_is_new_enough_gets_past_that(agent: str) -> None:
    # What is no database is found out by the statement that follows.
    with FakeBolt(agent) as server, pytest.raises(ConfigError, match="no usable database") as caught:
        Graph.open(server.uri, "neo4j", "secret", timeout_s=2)
    assert "needs Neo4j" not in str(caught.value)


@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
def test_nothing_listening_is_said_within_a_second(scheme: str) -> None:
    with listening() as listener:
        address = uri(listener, scheme)
    begun = time.monotonic()
    with pytest.raises(ServerDown, match=f"no usable Neo4j at {address}"):
        Graph.open(address, "neo4j", "secret")
    assert time.monotonic() - begun < 2


def test_it_is_status_1_on_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    with listening() as listener:
        monkeypatch.setenv("PACE_GRAPH_NEO4J__URI", uri(listener))
    begun = time.monotonic()
    said = refused("worlds", status=1)
    assert said.startswith("Error: no usable Neo4j at bolt://127.0.0.1:")
    assert "Traceback" not in said
    assert time.monotonic() - begun < 3


@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
def test_a_port_that_takes_calls_and_never_speaks_is_given_up_after_the_time_set(scheme: str) -> None:
    with listening() as listener:
        begun = time.monotonic()
        with pytest.raises(ServerDown, match="no usable Neo4j"):
            Graph.open(uri(listener, scheme), "neo4j", "secret", timeout_s=0.5)
    assert time.monotonic() - begun < 5


def test_a_server_of_another_kind_is_no_neo4j() -> None:
    class Page(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            """Keeps quiet."""

    server = HTTPServer((LOOPBACK, 0), Page)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        with pytest.raises(ServerDown, match="no usable Neo4j"):
            Graph.open(f"bolt://{LOOPBACK}:{server.server_address[1]}", "neo4j", "secret", timeout_s=2)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize(
    "wrong", ["http://127.0.0.1:7474", "127.0.0.1:7687", "bolt://127.0.0.1:notaport", "bolt://", "bolt://:7687", ""]
)
def test_an_address_that_is_none_is_named(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PACE_GRAPH_NEO4J__URI", wrong)
    said = refused("worlds")
    assert said.startswith("Error: PACE_GRAPH_NEO4J__URI: ")
    assert wrong in said


def test_a_wrong_password_is_bad_input_and_names_the_settings(
    on_server: None, neo4j: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PACE_GRAPH_NEO4J__PASSWORD", "not-the-password")
    begun = time.monotonic()
    said = refused("worlds")
    assert said == (
        f"Error: {neo4j.uri} refused user neo4j; set PACE_GRAPH_NEO4J__USER and PACE_GRAPH_NEO4J__PASSWORD\n"
    )
    assert "not-the-password" not in said
    assert time.monotonic() - begun < 5


def test_a_wrong_database_is_bad_input_and_named(
    on_server: None, neo4j: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PACE_GRAPH_NEO4J__DATABASE", "no-such-database")
    begun = time.monotonic()
    said = refused("worlds")
    assert f"PACE_GRAPH_NEO4J__DATABASE: {neo4j.uri} has no usable database no-such-database" in said
    assert said.count("\n") == 1
    assert time.monotonic() - begun < 5


def test_a_server_that_goes_away_is_said_to_have_gone(monkeypatch: pytest.MonkeyPatch, graph: Graph) -> None:
    from neo4j.exceptions import ServiceUnavailable

    def gone(*_: Any, **__: Any) -> Any:
        raise ServiceUnavailable("the connection was closed")

    monkeypatch.setattr(graph._driver, "execute_query", gone)
    with pytest.raises(ServerDown, match="Neo4j went away during schema/ping: the connection was closed"):
        graph.read("schema/ping")


def test_a_statement_that_is_refused_is_named(graph: Graph) -> None:
    with pytest.raises(GraphError, match=r"^world/open: .*parameter") as caught:
        graph.read("world/open")
    assert not isinstance(caught.value, ServerDown)


def test_a_statement_that_writes_is_refused_where_only_reading_was_meant(graph: Graph, new_world: Any) -> None:
    with pytest.raises(GraphError, match="world/doom"):
        graph.read("world/doom", world=new_world())


def test_which_statements_ran_is_kept(graph: Graph) -> None:
    graph.read("world/list")
    assert "world/list" in graph.used


def test_commands_reach_the_server_that_is_set(on_server: None) -> None:
    assert ok("worlds", "--json").startswith("[")

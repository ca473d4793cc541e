"""One real Neo4j for the whole run, an environment without surprises for each test."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from pace_graph import server
from pace_graph.config import EmbeddingSettings, Neo4jSettings, Settings
from pace_graph.env import Env, open_env
from pace_graph.graph import Graph
from pace_graph.server import Address

CACHE = Settings().cache_dir
"""Read before any test changes the environment: jars and models are downloaded once, not for every run."""

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A job in the background ignores SIGINT, and so would every command that the tests start and interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)

_FOREIGN = ("PACE_GRAPH_", "OPENAI_", "LANGSMITH_", "LANGCHAIN_")


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No variable of whoever runs the tests reaches them; nothing they start lands in that person's folders."""
    for name in [name for name in os.environ if name.startswith(_FOREIGN)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PACE_GRAPH_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("PACE_GRAPH_CACHE_DIR", str(CACHE))


@pytest.fixture(scope="session")
def neo4j(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    """The managed Neo4j, started once, with data of its own."""
    settings = Settings(data_dir=tmp_path_factory.mktemp("neo4j"), cache_dir=CACHE, neo4j=Neo4jSettings())
    address = server.ensure(settings, lambda _: None)
    yield address
    server.stop(settings)


@pytest.fixture(scope="session")
def settings(neo4j: Address) -> Settings:
    """Settings that reach that server, with an embedding model that needs no weights."""
    return Settings(
        neo4j=Neo4jSettings(uri=neo4j.uri, user=neo4j.user, password=neo4j.password),
        embedding=EmbeddingSettings(model="hash-64"),
        cache_dir=CACHE,
    )


@pytest.fixture(scope="session")
def env(settings: Settings) -> Iterator[Env]:
    """An environment on that server, without a chat model."""
    with open_env(settings) as opened:
        yield opened


@pytest.fixture(scope="session")
def graph(env: Env) -> Graph:
    """The connection of that environment."""
    return env.graph


@pytest.fixture
def new_world() -> Callable[[], str]:
    """Names that no other test uses: tests share a server and never see each other."""
    return lambda: f"w-{uuid4().hex[:12]}"


@pytest.fixture
def on_server(monkeypatch: pytest.MonkeyPatch, neo4j: Address) -> None:
    """Commands run in this test reach the shared server and embed with hash-64."""
    monkeypatch.setenv("PACE_GRAPH_NEO4J__URI", neo4j.uri)
    monkeypatch.setenv("PACE_GRAPH_NEO4J__USER", neo4j.user)
    monkeypatch.setenv("PACE_GRAPH_NEO4J__PASSWORD", neo4j.password.get_secret_value())
    monkeypatch.setenv("PACE_GRAPH_EMBEDDING__MODEL", "hash-64")

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest

from pace_graph.config import Settings
from pace_graph.server import NEO4J_VERSION, conf, ports
from pace_graph.server.jars import listed
from pace_graph.server.places import Places
from pace_graph.server.release import COORDINATES, new_enough

ROOT = Path(__file__).parents[2]
GB = 1024**3


@pytest.mark.parametrize(("gb", "heap", "cache"), [(1, 512, 128), (8, 1024, 512), (16, 2048, 1024), (512, 2048, 1024)])
def test_memory_is_bounded(gb: int, heap: int, cache: int) -> None:
    assert (conf.heap_mb(gb * GB), conf.page_cache_mb(gb * GB)) == (heap, cache)


def test_every_address_is_loopback(tmp_path: Path) -> None:
    values = conf.server(Places.of(Settings(data_dir=tmp_path)), 1, 2, GB)
    addresses = {name: value for name, value in values.items() if name.endswith("_address")}
    assert len(addresses) == 6
    assert all(value.startswith("127.0.0.1") for value in addresses.values())
    assert values["dbms.security.auth_enabled"] == "true"


def test_a_taken_port_is_not_chosen() -> None:
    with socket.socket() as taken:
        taken.bind((ports.LOOPBACK, 0))
        taken.listen()
        usual = taken.getsockname()[1]
        assert ports.answers(usual)
        assert ports.free(usual) != usual
    assert ports.free(usual) == usual


def test_compose_runs_the_same_release() -> None:
    compose = (ROOT / "docker" / "compose.yml").read_text("utf-8")
    assert re.findall(r"image: neo4j:(\S+)", compose) == [NEO4J_VERSION]
    assert re.findall(r'- "(?!127\.0\.0\.1:)', compose) == []


def test_the_jars_are_of_the_same_release() -> None:
    named = {(jar.group, jar.artifact, jar.version) for jar in listed()}
    assert set(COORDINATES) <= named


@pytest.mark.parametrize(
    ("version", "ok"),
    [
        ("5.26.0", False),
        ("2025.12.1", False),
        ("2026.01.0", True),
        ("2026.08.1", True),
        ("2027.1-aura", True),
    ],
)
def test_releases_compare(version: str, ok: bool) -> None:
    assert new_enough(version) is ok


def test_no_host_of_a_registry_is_named() -> None:
    sources = "".join(path.read_text("utf-8") for path in (ROOT / "pace_graph" / "server").glob("*.py"))
    assert re.findall(r"https?://(?!127\.0\.0\.1|\{LOOPBACK\})\S+", sources) == []

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from pace_graph.config import Settings
from pace_graph.errors import ServerDown
from pace_graph.server import install, jars
from pace_graph.server.jars import Jar
from pace_graph.server.places import Places


def a_jar(name: str, data: bytes, classifier: str = "") -> Jar:
    return Jar("org.example", name, "1", classifier, len(data), hashlib.sha256(data).hexdigest())


CONTENT = {"a": b"first", "b": b"second jar", "c": b"third"}
LISTED = tuple(a_jar(name, data) for name, data in CONTENT.items())


class Central:
    """Maven Central, as scripted: a reply per download, `None` for a broken connection."""

    def __init__(self) -> None:
        self.bad: dict[str, list[bytes | None]] = {}
        self.asked: list[str] = []

    def __call__(self, jar: Jar, folder: Path) -> Path:
        self.asked.append(jar.artifact)
        bad = self.bad.get(jar.artifact, [])
        data = bad.pop(0) if bad else CONTENT[jar.artifact]
        if data is None:
            raise ConnectionError("connection reset")
        folder.mkdir(parents=True)
        path = folder / "file"
        path.write_bytes(data)
        return path


@pytest.fixture
def central(monkeypatch: pytest.MonkeyPatch) -> Central:
    made = Central()
    monkeypatch.setattr(install, "_download", made)
    monkeypatch.setattr(install.time, "sleep", lambda _: None)
    monkeypatch.setattr(install, "missing", lambda repository: [jar for jar in LISTED if not jar.there(repository)])
    return made


@pytest.fixture
def places(tmp_path: Path) -> Places:
    made = Places.of(Settings(data_dir=tmp_path / "data", cache_dir=tmp_path / "cache"))
    made.make()
    return made


def test_every_jar_comes_and_is_told(central: Central, places: Places) -> None:
    said: list[str] = []
    install.install(places, said.append)
    assert [jar.path(places.repository).read_bytes() for jar in LISTED] == list(CONTENT.values())
    assert said[0].endswith("once: 3 jars, 1 MB.")
    assert said[-1] == "  3 of 3 jars, 1 of 1 MB"


def test_the_second_time_nothing_is_asked_or_told(central: Central, places: Places) -> None:
    install.install(places, lambda _: None)
    central.asked.clear()
    said: list[str] = []
    install.install(places, said.append)
    assert (central.asked, said) == ([], [])


def test_a_broken_or_cut_download_is_tried_again(central: Central, places: Places) -> None:
    central.bad = {"b": [None, b"sec", b"SECOND JAR"]}
    install.install(places, lambda _: None)
    assert central.asked.count("b") == 4
    assert LISTED[1].path(places.repository).read_bytes() == CONTENT["b"]


def test_no_network_is_one_sentence_and_what_came_stays(central: Central, places: Places) -> None:
    central.bad = {"c": [None] * 10}
    with pytest.raises(ServerDown, match=r"c:1 could not be fetched .*connection reset.*PACE_GRAPH_NEO4J__URI") as told:
        install.install(places, lambda _: None)
    assert "\n" not in str(told.value)
    central.bad.clear()
    install.install(places, lambda _: None)
    assert all(jar.there(places.repository) for jar in LISTED)
    assert [path.name for path in places.repository.iterdir() if path.name.startswith("fetching")] == []


def test_a_full_disk_is_said_before_anything_is_fetched(
    central: Central, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(install.shutil, "disk_usage", lambda _: install.shutil._ntuple_diskusage(10, 5, 5))
    with pytest.raises(ServerDown, match="PACE_GRAPH_CACHE_DIR"):
        install.install(places, lambda _: None)
    assert central.asked == []


def test_the_real_list_is_whole() -> None:
    listed = jars.listed()
    assert len({str(jar) for jar in listed}) == len(listed) > 200
    assert all(len(jar.sha256) == 64 and jar.size > 0 for jar in listed)
    assert 150 < jars.megabytes(listed) < 250
    (epoll,) = [jar for jar in listed if jar.classifier == "linux-x86_64"]
    assert epoll.path(Path("m2")).name == f"{epoll.artifact}-{epoll.version}-linux-x86_64.jar"

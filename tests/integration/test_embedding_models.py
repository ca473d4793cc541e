"""Embedding models: two that run here, and any behind an endpoint; what is no vector is refused before the graph."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from pydantic import SecretStr

from pace_graph import embed
from pace_graph.config import EmbeddingSettings, Settings
from pace_graph.embed import checked, onnx
from pace_graph.embed.endpoint import EndpointEmbedder
from pace_graph.errors import ConfigError, ModelError, ServerDown, WorldError
from pace_graph.graph import Graph
from pace_graph.knn import Floats
from pace_graph.server import Address
from tests.made import embedding_server, facts, held, load, ok, put, refused, with_model
from tests.openai_server import Reply, hashed

LATIN = [
    "Mara sleeps early on weekdays.",
    "Mara goes to bed before ten from Monday to Friday.",
    "Ivo repaired the garden fence.",
    "café",
    "x",
    "?!",
    "long " * 2_000,
    "NUL \0 inside",
    "林桥",
    "👩‍👩‍👧",
]
CHINESE = [
    "林桥对花生过敏，出门总带药。",
    "她吃花生会起疹子。",
    "周末去西湖边骑车。",
    "药",
    "？！",
    "很" * 3_000,
    "Mara",
    "🚲",
]
TEXTS = {onnx.LATIN: LATIN, onnx.CHINESE: CHINESE}
DIMENSIONS = {onnx.LATIN: 384, onnx.CHINESE: 512}


@pytest.fixture(scope="module", params=[onnx.LATIN, onnx.CHINESE])
def model(request: pytest.FixtureRequest, settings: Settings) -> onnx.OnnxEmbedder:
    return onnx.OnnxEmbedder(request.param, settings.cache_dir)


def test_vectors_have_the_dimension_said_and_length_one(model: onnx.OnnxEmbedder) -> None:
    vectors = model.embed(TEXTS[model.name])
    assert model.dimension == DIMENSIONS[model.name]
    assert vectors.shape == (len(TEXTS[model.name]), DIMENSIONS[model.name])
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors.astype(np.float64), axis=1) == pytest.approx(np.ones(len(vectors)), abs=1e-6)
    assert model.embed([]).shape == (0, DIMENSIONS[model.name])


def test_a_text_has_the_same_bits_alone_and_among_any_others(model: onnx.OnnxEmbedder) -> None:
    texts = TEXTS[model.name]
    together = model.embed(texts)
    assert [vector.tobytes() for vector in together] == [model.embed([text])[0].tobytes() for text in texts]
    assert model.embed(texts[::-1])[::-1].tobytes() == together.tobytes()
    assert model.embed([texts[0]] * 5).tobytes() == together[0].tobytes() * 5


def test_many_threads_and_a_second_session_give_the_same_bits(model: onnx.OnnxEmbedder, settings: Settings) -> None:
    texts = TEXTS[model.name][:4]
    expected = model.embed(texts).tobytes()
    with ThreadPoolExecutor(8) as pool:
        assert {each.tobytes() for each in pool.map(lambda _: model.embed(texts), range(16))} == {expected}
    assert onnx.OnnxEmbedder(model.name, settings.cache_dir).embed(texts).tobytes() == expected


def test_near_in_meaning_is_near(model: onnx.OnnxEmbedder) -> None:
    one, same, other = model.embed(TEXTS[model.name][:3])
    assert float(one @ same) > float(one @ other) + 0.1


def test_what_lies_past_the_longest_text_is_left_out_not_refused(model: onnx.OnnxEmbedder) -> None:
    word = {onnx.LATIN: "tea ", onnx.CHINESE: "茶"}[model.name]
    long, longer = model.embed([word * 600, word * 900])
    assert long.tobytes() == longer.tobytes()


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        (LATIN[:3], onnx.LATIN),
        (CHINESE[:3], onnx.CHINESE),
        ([*CHINESE[:2], LATIN[0]], onnx.CHINESE),
        ([*LATIN[:2], CHINESE[0]], onnx.LATIN),
        ([CHINESE[0], LATIN[0]], onnx.LATIN),
        ([], onnx.LATIN),
    ],
)
def test_a_new_world_gets_the_model_of_the_script_most_facts_are_in(
    settings: Settings, texts: list[str], name: str
) -> None:
    assert embed.for_texts(with_model(settings, "auto"), texts).name == name


def test_a_world_keeps_its_model_whatever_later_facts_are_in(
    graph: Graph, settings: Settings, new_world: Callable[[], str], neo4j: Address
) -> None:
    from pace_graph.records import Fact

    world, auto = new_world(), with_model(settings, "auto")
    first = load(graph, auto, world, [Fact("f1", LATIN[0])], merge=True)
    again = load(graph, auto, world, [Fact(f"c{n}", text) for n, text in enumerate(CHINESE[:3])], merge=True)
    assert first.embedding_model == again.embedding_model == onnx.LATIN
    assert {len(fact["embedding"]) for fact in held(neo4j, world).facts.values()} == {384}
    with pytest.raises(WorldError, match=rf"with {onnx.LATIN} \(dimension 384\), but {onnx.CHINESE} \(dimension 512\)"):
        embed.for_world(with_model(settings, onnx.CHINESE), world, onnx.LATIN, 384)


def test_what_was_stored_is_what_was_embedded_to_the_bit(
    graph: Graph, settings: Settings, new_world: Callable[[], str]
) -> None:
    from pace_graph.records import Fact
    from pace_graph.worlds import read_vectors

    world = new_world()
    load(graph, with_model(settings, onnx.LATIN), world, [Fact(f"{n}", text) for n, text in enumerate(LATIN[:4])])
    ids, vectors = read_vectors(graph, world, 384)
    assert ids == ["0", "1", "2", "3"]
    assert vectors.tobytes() == onnx.OnnxEmbedder(onnx.LATIN, settings.cache_dir).embed(LATIN[:4]).tobytes()


def test_a_download_that_is_not_what_was_released_is_removed(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    onnx.OnnxEmbedder(onnx.LATIN, settings.cache_dir).embed(["x"])
    [jar] = (settings.cache_dir / "maven").rglob(f"{onnx.MODELS[onnx.LATIN].artifact}-*.jar")
    copy = tmp_path / "cache" / jar.relative_to(settings.cache_dir)
    copy.parent.mkdir(parents=True)
    for file in jar.parent.iterdir():
        os.link(file, copy.parent / file.name)
    copy.unlink()
    copy.write_bytes(jar.read_bytes()[:-1] + b"x")
    with pytest.raises(ServerDown, match="SHA-256 differs"):
        onnx.OnnxEmbedder(onnx.LATIN, tmp_path / "cache").embed(["x"])
    assert not copy.exists()


# Endpoints.


def endpoint(url: str, **others: object) -> EndpointEmbedder:
    return EndpointEmbedder("far-away", EmbeddingSettings(base_url=url, **others))


def test_an_endpoint_gets_plain_texts_in_batches_and_its_vectors_are_scaled_to_length_one() -> None:
    with embedding_server(embed=lambda text: [3.0 * len(text), 4.0 * len(text)]) as server:
        model = endpoint(server.url, batch=2)
        assert model.dimension == 2
        assert model.embed(["a", "bb", "ccc"]) == pytest.approx(np.array([[0.6, 0.8]] * 3))
        assert model.embed([]).shape == (0, 2)
        asked = [request.body["input"] for request in server.requests]
    assert asked == [["dimension"], ["a", "bb"], ["ccc"]]
    assert all(request.body["model"] == "far-away" for request in server.requests)


def test_the_dimension_set_is_sent_and_not_asked_for() -> None:
    with embedding_server(dimension=8) as server:
        model = endpoint(server.url, dimensions=8)
        assert model.dimension == 8
        assert server.requests == []
        model.embed(["a"])
    assert [request.body["dimensions"] for request in server.requests] == [8]


def test_a_world_loaded_over_an_endpoint_is_searched_over_it(
    on_server: None, new_world: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = new_world()
    with embedding_server(dimension=24) as server:
        monkeypatch.setenv("PACE_GRAPH_EMBEDDING__MODEL", "far-away")
        monkeypatch.setenv("PACE_GRAPH_EMBEDDING__BASE_URL", server.url)
        ok("load", "facts", put(tmp_path, facts(12)), "--world", world)
        [first, *_] = json.loads(ok("search", world, facts(12)[3].text, "--legs", "dense", "--json"))
    assert first["fact_id"] == "f0003"
    assert first["legs"]["dense"]["score"] == pytest.approx(1, abs=1e-5)


BAD: dict[str, tuple[Callable[[str], list[float]], str]] = {
    "not a number": (lambda _: [math.nan, 1.0, 1.0, 1.0], "not finite"),
    "infinite": (lambda _: [math.inf, 1.0, 1.0, 1.0], "not finite"),
    "too large for 32 bits": (lambda _: [1e300, 1.0, 1.0, 1.0], "not finite"),
    "zero": (lambda _: [0.0] * 4, "length zero"),
    "too short": (lambda _: [1.0] * 3, r"several lengths|shape"),
    "too long": (lambda _: [1.0] * 5, r"several lengths|shape"),
    "words": (lambda _: ["a"] * 4, "not of numbers"),  # type: ignore[list-item]
    "empty": (lambda _: [], r"several lengths|shape"),
}


@pytest.mark.filterwarnings("ignore:Pydantic serializer")
@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("which", ["one", "all"])
def test_what_is_no_vector_is_refused_before_it_reaches_the_graph(
    graph: Graph, settings: Settings, neo4j: Address, new_world: Callable[[], str], kind: str, which: str
) -> None:
    make, said = BAD[kind]
    world = new_world()
    given = facts(6)
    bad = {fact.text for fact in (given if which == "all" else given[4:5])}
    with embedding_server(embed=lambda text: make(text) if text in bad else hashed(text, 4)) as server:
        far = with_model(settings, "far-away", base_url=server.url, batch=3)
        with pytest.raises(ModelError, match=said) as caught:
            load(graph, far, world, given)
    assert "far-away" in str(caught.value)
    there = held(neo4j, world).facts
    assert set(there) <= ({fact.fact_id for fact in given[:3]} if which == "one" else set())
    assert all(len(fact["embedding"]) == 4 for fact in there.values())


@pytest.mark.parametrize(
    "reply",
    [
        Reply("no such model", status=404),
        Reply("overloaded", status=400),
        Reply("who are you", status=401),
        Reply(raw=b"{}"),
        Reply(raw=b'{"data": []}'),
        Reply(raw=b'{"data": [{"index": 0, "embedding": null, "object": "embedding"}]}'),
        Reply(raw=b"not json"),
        Reply(drop=True),
    ],
)
def test_an_endpoint_that_fails_is_an_error_of_one_sentence(reply: Reply, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openai._base_client.BaseClient._calculate_retry_timeout", lambda *_: 0.0)
    with embedding_server() as server:
        monkeypatch.setattr(server, "_embeddings", lambda _: reply)
        for call in (lambda model: model.dimension, lambda model: model.embed(["a"])):
            with pytest.raises(ModelError, match="far-away"):
                call(endpoint(server.url))


def test_too_few_vectors_are_refused() -> None:
    one = {"object": "embedding", "index": 0, "embedding": [1.0, 0.0]}
    with embedding_server() as server:
        server._embeddings = lambda _: Reply(raw=json.dumps({"data": [one]}).encode())
        with pytest.raises(ModelError, match="shape"):
            endpoint(server.url).embed(["a", "b"])


def test_nothing_listening_is_a_failed_endpoint_and_nothing_is_loaded(
    on_server: None, neo4j: Address, new_world: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("openai._base_client.BaseClient._calculate_retry_timeout", lambda *_: 0.0)
    world = new_world()
    with embedding_server() as server:
        monkeypatch.setenv("PACE_GRAPH_EMBEDDING__BASE_URL", server.url)
    monkeypatch.setenv("PACE_GRAPH_EMBEDDING__MODEL", "far-away")
    said = refused("load", "facts", put(tmp_path, facts(3)), "--world", world, status=1)
    assert "the embedding endpoint failed for far-away" in said
    assert held(neo4j, world).nodes == {}


def test_the_key_is_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    key = "sk-test-5up3r5ecret"
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    with embedding_server(key=key) as server:
        assert endpoint(server.url, api_key=SecretStr(key)).embed(["a"]).shape == (1, 16)
        monkeypatch.setattr(server, "_embeddings", lambda _: Reply(f"bad key {key}", status=400))
        with pytest.raises(ModelError) as caught:
            endpoint(server.url, api_key=SecretStr(key)).embed(["a"])
    assert key not in str(caught.value)
    assert "sk-of-another" not in json.dumps([dict(request.headers) for request in server.requests])


def test_a_model_that_is_neither_local_nor_behind_an_endpoint_is_named() -> None:
    with pytest.raises(
        ConfigError, match=r"the embedding model far-away is no local one: set PACE_GRAPH_EMBEDDING__BASE"
    ):
        embed.embedder(Settings(), "far-away")


@pytest.mark.parametrize("name", ["hash-0", "hash-4097", "hash-", "hash-x", "hash--1", "hash-1.5", "hash-٣"])
def test_a_hash_model_needs_a_dimension(name: str) -> None:
    with pytest.raises(ConfigError, match="write hash-<dimension>"):
        embed.embedder(Settings(), name)


@pytest.mark.parametrize("dimension", [1, 7, 64, 4096])
def test_hash_models_depend_on_the_text_alone(dimension: int) -> None:
    model = embed.embedder(Settings(), f"hash-{dimension}")
    texts = ["mara tea", "tea mara", "?!", "", "\ud800", "林桥", "tea " * 9_000]
    together = model.embed(texts)
    assert together.shape == (len(texts), dimension)
    assert [v.tobytes() for v in together] == [model.embed([text])[0].tobytes() for text in texts]
    assert model.embed([]).shape == (0, dimension)


def floats(*rows: list[float]) -> Floats:
    return np.array(rows, dtype=np.float32)


@pytest.mark.parametrize(
    ("vectors", "said"),
    [
        (floats([1, 0], [math.nan, 0]), "not finite"),
        (floats([1, 0], [-math.inf, 0]), "not finite"),
        (floats([1, 0], [0, 0]), "length zero"),
        (floats([1, 0]), r"shape \(1, 2\), not \(2, 2\)"),
        (floats([1, 0, 0], [1, 0, 0]), r"shape \(2, 3\), not \(2, 2\)"),
    ],
)
def test_the_gate_every_vector_passes(vectors: Floats, said: str) -> None:
    with pytest.raises(ModelError, match=f"some-model .*{said}"):
        checked(vectors, 2, 2, "some-model")


@pytest.mark.parametrize("size", [1e-30, 1e-18, 1.0, 1e18, 3e38])
def test_vectors_of_any_length_are_scaled(size: float) -> None:
    assert np.linalg.norm(checked(floats([size, size / 2]), 1, 2, "m")) == pytest.approx(1)

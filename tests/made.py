"""Worlds made for tests, loads of them, and a look at what the graph holds that uses nothing of the product."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result
from neo4j import GraphDatabase

from loaders.write import Loaded, write_world
from pace_graph.cli.main import main
from pace_graph.config import EmbeddingSettings, Settings
from pace_graph.graph import Graph
from pace_graph.records import Case, Fact
from pace_graph.server import Address
from tests.openai_server import Reply, Request, ScriptedServer

_WORDS = [
    *("mara", "ivo", "tea", "cello", "hills", "lake", "river", "train", "ticket", "dentist", "sister", "garden"),
    *("chess", "bread", "night", "shift", "early", "late", "monday", "friday", "allergy", "peanut", "running"),
    *("knee", "choir", "practice", "bridge", "market", "flat", "keys", "landlord", "rain", "boots"),
]


def facts(count: int, seed: int = 0) -> tuple[Fact, ...]:
    """Facts of few words that many of them share, so that vectors are near each other and some are equal."""
    dice = random.Random(seed)
    return tuple(Fact(f"f{n:04d}", " ".join(dice.choices(_WORDS, k=5))) for n in range(count))


def changed(given: Iterable[Fact], **texts: str) -> tuple[Fact, ...]:
    """The facts, some with another text."""
    return tuple(replace(fact, text=texts.get(fact.fact_id, fact.text)) for fact in given)


def put(folder: Path, given: Iterable[Fact], name: str = "notes.json") -> Path:
    """A file of facts for `load facts`."""
    rows = [{"id": f.fact_id, "text": f.text, **({"date": f.date} if f.date else {})} for f in given]
    path = folder / name
    path.write_text(json.dumps({"facts": rows}, ensure_ascii=False), encoding="utf-8")
    return path


def put_pace(folder: Path, world: str, given: Iterable[Fact]) -> Path:
    """A folder for `load pace`."""
    path = folder / "kb" / world / "corpus.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([{"doc_id": f.fact_id, "text": f.text} for f in given]), encoding="utf-8")
    return folder


def load(
    graph: Graph, settings: Settings, world: str, given: Iterable[Fact], *, source: str = "made", merge: bool = False,
    k_graph: int = 10, **others: Any,
) -> Loaded:  # fmt: skip
    """Loads facts as a world."""
    case = Case(world, tuple(given), **others)
    return write_world(graph, settings, case, source=source, merge=merge, k_graph=k_graph)


def with_model(settings: Settings, model: str, **others: Any) -> Settings:
    """The settings with another embedding model."""
    return settings.model_copy(update={"embedding": EmbeddingSettings(model=model, **others)})


def run(*arguments: object) -> Result:
    """A command line, run in this process."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def ok(*arguments: object) -> str:
    """The standard output of a command line that ends well."""
    result = run(*arguments)
    assert result.exit_code == 0, (result.exit_code, result.stderr, result.exception)
    return result.stdout


def refused(*arguments: object, status: int = 2) -> str:
    """The standard error of a command line that ends with that status and prints nothing else."""
    result = run(*arguments)
    assert result.exit_code == status, (result.exit_code, result.output, result.exception)
    assert result.stdout == ""
    return result.stderr


def found(world: str, query: str, *more: object) -> list[str]:
    """The ids that `search --json` prints, best first."""
    return [hit["fact_id"] for hit in json.loads(ok("search", world, query, "--json", *more))]


def cypher(at: Address, statement: str, **parameters: Any) -> list[dict[str, Any]]:
    """The rows of a statement, past the product."""
    auth = (at.user, at.password.get_secret_value())
    with GraphDatabase.driver(at.uri, auth=auth, notifications_min_severity="OFF") as driver:
        return [row.data() for row in driver.execute_query(statement, parameters, database_=at.database).records]


@dataclass(frozen=True)
class Held:
    """All that the graph holds of a world.

    Attributes:
        nodes: element id to labels and properties.
        edges: element id to type, ends (element ids) and properties.
    """

    nodes: dict[str, tuple[Any, ...]]
    edges: dict[str, tuple[Any, ...]]

    @property
    def facts(self) -> dict[str, dict[str, Any]]:
        """Fact id to properties."""
        return {each["fact_id"]: each for labels, each in self.nodes.values() if "Fact" in labels}

    @property
    def similar(self) -> dict[tuple[str, str], tuple[str, int, float]]:
        """(source id, target id) to element id, rank and score; each pair of facts has one edge at most."""
        ids = {key: each.get("fact_id") for key, (_, each) in self.nodes.items()}
        links = [(key, edge) for key, edge in self.edges.items() if edge[0] == "SIMILAR_TO"]
        by_ends = {(ids[a], ids[b]): (key, more["rank"], more["score"]) for key, (_, a, b, more) in links}
        assert len(by_ends) == len(links)
        return by_ends

    @property
    def graph(self) -> dict[tuple[str, str], tuple[int, float]]:
        """(source id, target id) to rank and score."""
        return {ends: (rank, score) for ends, (_, rank, score) in self.similar.items()}


def held(at: Address, world: str) -> Held:
    """What the graph holds of a world, as it stands."""
    nodes = cypher(
        at, "MATCH (n) WHERE n.world = $w RETURN elementId(n) AS i, labels(n) AS l, properties(n) AS p", w=world
    )
    edges = cypher(
        at,
        "MATCH (a)-[r]->(b) WHERE a.world = $w OR b.world = $w OR r.world = $w "
        "RETURN elementId(r) AS i, type(r) AS t, elementId(a) AS a, elementId(b) AS b, properties(r) AS p",
        w=world,
    )
    return Held(
        {row["i"]: (tuple(sorted(row["l"])), row["p"]) for row in nodes},
        {row["i"]: (row["t"], row["a"], row["b"], row["p"]) for row in edges},
    )


class EmbeddingServer(ScriptedServer):
    """An embedding endpoint, slow if wanted, that knows what it was asked for.

    Attributes:
        delay_s: waits before each answer.
    """

    delay_s = 0.0

    @property
    def texts(self) -> list[str]:
        """Every text that arrived, in order; the one that asks for the dimension left out."""
        asked = [request.body["input"] for request in self.requests if request.path.endswith("/embeddings")]
        return [text for texts in asked for text in texts if texts != ["dimension"]]

    def _embeddings(self, request: Request) -> Reply:
        return replace(super()._embeddings(request), delay_s=self.delay_s)


@contextmanager
def embedding_server(dimension: int = 16, delay_s: float = 0.0, **others: Any) -> Iterator[EmbeddingServer]:
    """Such an endpoint, as long as the context lasts."""
    with EmbeddingServer(dimension=dimension, **others) as server:
        server.delay_s = delay_s
        yield server

"""What a system needs to run: the graph, the models, and the indexes kept per world."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from pace_graph import embed
from pace_graph.config import Settings
from pace_graph.embed import Embedder
from pace_graph.graph import Graph
from pace_graph.lexical import Lexical
from pace_graph.llm import Chat, Limits, Replies, untraced
from pace_graph.records import KnowledgeBase
from pace_graph.worlds import open_world, world_row


@dataclass(frozen=True)
class Env:
    """Passed to every system; there are no globals.

    What is built from a world (its facts, its BM25 index) is kept by the world's digest, so that a changed world is
    never answered from what it was.
    """

    graph: Graph
    settings: Settings
    chat: Chat
    _worlds: dict[str, KnowledgeBase] = field(default_factory=dict)
    _lexical: dict[str, tuple[str, Lexical]] = field(default_factory=dict)
    _embedders: dict[tuple[str, int], Embedder] = field(default_factory=dict)

    def world(self, name: str) -> KnowledgeBase:
        """The world as it is now; raises WorldError as `open_world` does."""
        kept = self._worlds.get(name)
        row = world_row(self.graph, name) if kept else None
        if (
            kept is None
            or row is None
            or row["status"] != "ready"
            or (row["digest"], row["content"]) != (kept.digest, kept.content)
        ):
            self._worlds[name] = open_world(self.graph, name)
        return self._worlds[name]

    def lexical(self, kb: KnowledgeBase) -> Lexical:
        """The BM25 index of a world, built once for each of its digests."""
        digest, index = self._lexical.get(kb.world, ("", None))
        if index is None or digest != kb.digest:
            index = Lexical({fact_id: fact.text for fact_id, fact in kb.facts.items()})
            self._lexical[kb.world] = (kb.digest, index)
        return index

    def forget_all_but(self, name: str) -> None:
        """Lets go of the facts and indexes of every other world; chains that are built keep their own."""
        for kept in (self._worlds, self._lexical):
            for other in [found for found in kept if found != name]:
                del kept[other]

    def embedder(self, kb: KnowledgeBase) -> Embedder:
        """The embedding model of a world; raises WorldError when another one is set."""
        key = (kb.embedding_model, kb.dimension)
        if key not in self._embedders:
            self._embedders[key] = embed.for_world(self.settings, kb.world, *key)
        return self._embedders[key]


@contextmanager
def open_env(
    settings: Settings | None = None, say: Callable[[str], None] = lambda _: None, *, replies: Replies | None = None,
    limits: Limits | None = None,
) -> Iterator[Env]:  # fmt: skip
    """An environment on the graph that the settings name; without a URI, on the managed local server.

    Chains that run in it are not traced by LangSmith, whatever the environment of the process says.

    Args:
        say: told in one line when a server is started.
        replies: a cache of model replies to read from and add to.
        limits: requests and tokens per minute to keep to.

    Raises:
        ServerDown, GraphError, ConfigError: when no usable graph is there.
    """
    settings = settings or Settings.read()
    with untraced(), open_graph(settings, say) as graph, Chat(settings, replies, limits) as chat:
        yield Env(graph, settings, chat)


def open_graph(settings: Settings, say: Callable[[str], None] = lambda _: None) -> Graph:
    """The graph that the settings name. Raises as `open_env` does."""
    neo4j = settings.neo4j
    if neo4j.uri is None:
        from pace_graph import server

        found = server.ensure(settings, say)
        return Graph.open(found.uri, found.user, found.password.get_secret_value(), found.database, neo4j.timeout_s)
    password = neo4j.password.get_secret_value() if neo4j.password else ""
    return Graph.open(neo4j.uri, neo4j.user, password, neo4j.database, neo4j.timeout_s)

"""Where a server is and how to sign in."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import SecretStr

from pace_graph.config import Settings
from pace_graph.server import state
from pace_graph.server.places import Places


@dataclass(frozen=True)
class Address:
    """Where a server is and how to sign in.

    Attributes:
        browser_url: Neo4j Browser with the server filled in (`&cmd=edit&arg=<statement>` may follow);
            None for a server that is not ours.
        pid: the daemon's; None for a server that is not ours.
    """

    uri: str
    user: str
    password: SecretStr
    database: str
    browser_url: str | None
    pid: int | None


def external(settings: Settings) -> Address:
    """The server that PACE_GRAPH_NEO4J__URI names; an empty password means no sign-in."""
    neo4j = settings.neo4j
    return Address(neo4j.uri or "", neo4j.user, neo4j.password or SecretStr(""), neo4j.database, None, None)


def managed(places: Places, now: state.State) -> Address:
    """The managed server in this state."""
    return Address(now.uri, "neo4j", state.password(places), "neo4j", now.browser_url, now.pid)

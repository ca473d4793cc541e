"""The one door to Neo4j: named statements, values as parameters, managed transactions."""

from __future__ import annotations

import re
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, cast
from urllib.parse import urlsplit

from pace_graph.errors import ConfigError, GraphError, ServerDown
from pace_graph.texts import statement

if TYPE_CHECKING:
    from neo4j import Driver, RoutingControl

Row = dict[str, Any]

NEEDED = (2026, 1)
"""The oldest release whose vector indexes take a filter (Cypher 25, SEARCH … WHERE)."""

_SCHEMES = frozenset({"bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc"})
_AGENT = "pace-graph"


class Graph:
    """A connection to one database.

    Every statement comes from a file and runs in a managed transaction: retried on transient faults, routed to a
    reader or the leader, chained by bookmarks. `used` records which statements ran, for the test that none is left
    untried.
    """

    def __init__(self, driver: Driver, database: str = "neo4j") -> None:
        self._driver = driver
        self._database = database
        self.used: set[str] = set()

    @classmethod
    def open(cls, uri: str, user: str, password: str, database: str = "neo4j", timeout_s: float = 5.0) -> Self:
        """A connection that has been tried once.

        Raises:
            ConfigError: when the address or the credentials cannot be used.
            ServerDown: when nothing answers within `timeout_s` seconds.
            GraphError: when the server is older than the Cypher that pace-graph speaks.
        """
        from neo4j import GraphDatabase

        _check_address(uri)
        _look(uri, user, password, database, timeout_s)
        driver = GraphDatabase.driver(
            uri,
            auth=(user, password),
            connection_timeout=timeout_s,
            connection_acquisition_timeout=max(timeout_s, 30.0),
            max_transaction_retry_time=15.0,
            notifications_min_severity="OFF",
            telemetry_disabled=True,
            user_agent=_AGENT,
        )
        graph = cls(driver, database)
        try:
            graph.read("schema/ping")
        except GraphError as error:
            driver.close()
            raise ConfigError(
                f"PACE_GRAPH_NEO4J__DATABASE: {uri} has no usable database {database}: {error}"
            ) from error
        return graph

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Gives the connections back."""
        self._driver.close()

    def read(self, name: str, /, *, shape: dict[str, int] | None = None, **params: Any) -> list[Row]:
        """The rows of a statement that only reads; a cluster may send it to a replica.

        Raises:
            ServerDown: when the server is gone.
            GraphError: when the server refuses the statement.
        """
        from neo4j import RoutingControl

        return self._run(name, RoutingControl.READ, shape, params)

    def write(self, name: str, /, *, shape: dict[str, int] | None = None, **params: Any) -> list[Row]:
        """The rows of a statement that may write. Raises as `read` does."""
        from neo4j import RoutingControl

        return self._run(name, RoutingControl.WRITE, shape, params)

    def _run(self, name: str, routing: RoutingControl, shape: dict[str, int] | None, params: Row) -> list[Row]:
        from neo4j.exceptions import DriverError, Neo4jError, ServiceUnavailable, SessionExpired

        text = statement(name).shaped(shape or {})
        self.used.add(name)
        try:
            # The text comes from a file of ours, with whole numbers set: never from a user.
            result = self._driver.execute_query(cast("Any", text), params, routing_=routing, database_=self._database)
        except (ServiceUnavailable, SessionExpired) as error:
            raise ServerDown(f"Neo4j went away during {name}: {_short(error)}") from error
        except (DriverError, Neo4jError) as error:
            raise GraphError(f"{name}: {_short(error)}") from error
        return [record.data() for record in result.records]


def _check_address(uri: str) -> None:
    """Nothing for the address of a Neo4j.

    By hand, since drivers take http:// too, and where no host is named the one on this machine.
    """
    try:
        parts = urlsplit(uri)
        usable = parts.scheme in _SCHEMES and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ConfigError(
            f"PACE_GRAPH_NEO4J__URI: {uri!r} is no address of a Neo4j; write it as bolt://host:7687 or neo4j+s://host"
        )


def _look(uri: str, user: str, password: str, database: str, timeout_s: float) -> None:
    """One look at a server, by a driver that gives up soon and asks for nothing an old server lacks.

    Raises as `Graph.open` does.
    """
    from neo4j import GraphDatabase
    from neo4j.exceptions import AuthError, DriverError, Neo4jError

    with GraphDatabase.driver(
        uri,
        auth=(user, password),
        connection_timeout=timeout_s,
        connection_acquisition_timeout=timeout_s,
        max_transaction_retry_time=0,
        telemetry_disabled=True,
        user_agent=_AGENT,
    ) as driver:
        try:
            _refuse_old(driver.get_server_info().agent, uri)
            driver.verify_connectivity()
        except AuthError as error:
            raise ConfigError(
                f"{uri} refused user {user}; set PACE_GRAPH_NEO4J__USER and PACE_GRAPH_NEO4J__PASSWORD"
            ) from error
        except (DriverError, Neo4jError, OSError, ValueError) as error:
            raise ServerDown(f"no usable Neo4j at {uri} (database {database}): {_short(error)}") from error


def _refuse_old(agent: str, uri: str) -> None:
    found = re.match(r"Neo4j/(\d+)\.(\d+)", agent)
    release = (int(found[1]), int(found[2])) if found else (0, 0)
    if release < NEEDED:
        needed = ".".join(f"{part:02d}" for part in NEEDED)
        raise GraphError(f"{uri} runs {agent}; pace-graph needs Neo4j {needed} or newer: upgrade it, or unset the URI")


def _short(error: BaseException) -> str:
    text = getattr(error, "message", None) or str(error)
    return " ".join(text.split())[:300]

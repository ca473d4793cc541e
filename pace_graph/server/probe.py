"""One quick look at a server: does it answer, and what is it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, LiteralString

from neo4j import Driver, GraphDatabase, RoutingControl
from neo4j.exceptions import AuthError, DriverError, Neo4jError

from pace_graph.errors import ConfigError, ServerDown
from pace_graph.server.address import Address

KERNEL: LiteralString = """
CALL dbms.components() YIELD name, versions, edition
WHERE name = 'Neo4j Kernel'
RETURN versions[0] AS release, edition
"""


@dataclass(frozen=True)
class Seen:
    """What a server said of itself.

    Attributes:
        clock_ms: its clock, milliseconds since 1970.
        indexes: state of each vector index, by name.
    """

    release: str
    edition: str
    clock_ms: int
    indexes: dict[str, str]


def look(address: Address, timeout_s: float) -> Seen:
    """What the server at this address says.

    Raises:
        ConfigError: it refuses the user and password.
        ServerDown: it does not answer.
    """
    try:
        return _look(address, timeout_s)
    except AuthError as error:
        raise ConfigError(f"{address.uri}: refuses the user {address.user} with this password") from error
    except (DriverError, Neo4jError, OSError, ValueError) as error:
        raise ServerDown(f"{address.uri}: does not answer ({str(error).splitlines()[0][:160]})") from error


def signs_in(uri: str, password: str) -> bool:
    """Whether the user neo4j has this password there (and need not change it)."""
    with GraphDatabase.driver(uri, auth=("neo4j", password), connection_timeout=10.0) as driver:
        try:
            driver.verify_connectivity()
        except Neo4jError:
            return False
    return True


def _look(address: Address, timeout_s: float) -> Seen:
    secret = address.password.get_secret_value()
    with GraphDatabase.driver(
        address.uri,
        auth=(address.user, secret) if secret else None,
        connection_timeout=timeout_s,
        connection_acquisition_timeout=timeout_s,
        max_transaction_retry_time=0,
        notifications_min_severity="OFF",
    ) as driver:
        driver.verify_connectivity()
        (kernel,) = _rows(driver, address, KERNEL)
        (clock,) = _rows(driver, address, "RETURN datetime().epochMillis AS ms")
        indexes = _rows(driver, address, "SHOW VECTOR INDEXES YIELD name, state")
    return Seen(kernel["release"], kernel["edition"], clock["ms"], {row["name"]: row["state"] for row in indexes})


def _rows(driver: Driver, address: Address, statement: LiteralString) -> list[dict[str, Any]]:
    result = driver.execute_query(statement, database_=address.database, routing_=RoutingControl.READ)
    return [record.data() for record in result.records]

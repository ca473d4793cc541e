"""Which Neo4j: one release, the same in the managed server, in docker/compose.yml and in the Cypher."""

from __future__ import annotations

import re

NEO4J_VERSION = "2026.08.1"
# The first release whose SEARCH clause filters inside a vector index.
OLDEST_VERSION = "2026.01"
# The bare server, not the test harness: that one brings JUnit, AssertJ and friends along.
COORDINATES = (
    ("org.neo4j.app", "neo4j-server", NEO4J_VERSION),
    ("org.neo4j", "neo4j", NEO4J_VERSION),
    ("org.neo4j.client", "neo4j-browser", "5.24.0"),
)


def order(version: str) -> tuple[int, ...]:
    """A version as numbers that compare; what follows a hyphen or plus (Aura, snapshots) is left out."""
    plain = re.split("[-+]", version, maxsplit=1)[0]
    return tuple(int(part) for part in plain.split(".") if part.isdigit())


def new_enough(version: str) -> bool:
    """Whether a server of this release understands our Cypher."""
    return order(version) >= order(OLDEST_VERSION)

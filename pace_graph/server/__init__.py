"""The graph's server: a managed local Neo4j without Docker or Java, or the one whose URI is set."""

from __future__ import annotations

from pace_graph.server.address import Address
from pace_graph.server.lifecycle import checkpoint, ensure, status, stop
from pace_graph.server.release import NEO4J_VERSION

__all__ = ["NEO4J_VERSION", "Address", "checkpoint", "ensure", "status", "stop"]

"""pace-graph: finds, in what is known about a person, the facts that speak against a request.

import pace_graph

with pace_graph.open_env() as env:
    reply = pace_graph.ask(env, "mara_quill", "Book the harbour room for tomorrow evening.")
    for hit in reply.retrieved.hits:
        print(reply.kb.facts[hit.fact_id].text, hit.path)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pace_graph.asking import Reply, ask, search
    from pace_graph.config import PaceConfig, Settings
    from pace_graph.env import Env, open_env
    from pace_graph.errors import (
        ConfigError,
        DataError,
        GraphError,
        InputError,
        ModelError,
        PaceGraphError,
        ReplyError,
        ServerDown,
        TextError,
        WorldError,
    )
    from pace_graph.records import Answered, Case, Fact, Hit, KnowledgeBase, Query, Retrieved
    from pace_graph.retrievers import SYSTEMS, System

__version__ = "0.1.0"

_HOMES = {
    "pace_graph.asking": ("Reply", "ask", "search"),
    "pace_graph.config": ("PaceConfig", "Settings"),
    "pace_graph.env": ("Env", "open_env"),
    "pace_graph.errors": (
        "ConfigError", "DataError", "GraphError", "InputError", "ModelError", "PaceGraphError", "ReplyError",
        "ServerDown", "TextError", "WorldError",
    ),
    "pace_graph.records": ("Answered", "Case", "Fact", "Hit", "KnowledgeBase", "Query", "Retrieved"),
    "pace_graph.retrievers": ("SYSTEMS", "System"),
}  # fmt: skip
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "SYSTEMS",
    "Answered",
    "Case",
    "ConfigError",
    "DataError",
    "Env",
    "Fact",
    "GraphError",
    "Hit",
    "InputError",
    "KnowledgeBase",
    "ModelError",
    "PaceConfig",
    "PaceGraphError",
    "Query",
    "Reply",
    "ReplyError",
    "Retrieved",
    "ServerDown",
    "Settings",
    "System",
    "TextError",
    "WorldError",
    "__version__",
    "ask",
    "open_env",
    "search",
]


def __getattr__(name: str) -> Any:
    # Looked up when first used: the command line imports this package, and its help must not wait for a driver.
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)

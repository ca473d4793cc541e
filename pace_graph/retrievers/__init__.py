"""Systems: each built for one world, then asked query by query."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from langchain_core.runnables import Runnable

from pace_graph.config import PaceConfig
from pace_graph.env import Env
from pace_graph.errors import ConfigError
from pace_graph.records import KnowledgeBase, Query, Retrieved
from pace_graph.retrievers.pacemaker import pacemaker
from pace_graph.retrievers.plain import bm25, dense, hybrid
from pace_graph.retrievers.rules import pacemaker_rules

Build = Callable[[Env, KnowledgeBase, PaceConfig], Runnable[Query, Retrieved]]


@dataclass(frozen=True)
class System:
    """A way to retrieve.

    Attributes:
        build: makes the chain for one world.
        needs_chat: whether its retrieval calls a chat model.
        defaults: settings that this system has other defaults for.
    """

    build: Build
    help: str
    needs_chat: bool = False
    defaults: tuple[tuple[str, int], ...] = ()

    def config(self, **given: object) -> PaceConfig:
        """The configuration: the paper's, this system's own defaults, then what is given."""
        return PaceConfig.model_validate({**dict(self.defaults), **given})


SYSTEMS: dict[str, System] = {
    "bm25": System(bm25, "words only: BM25 with the request"),
    "dense": System(dense, "meaning only: vector search with the request"),
    "hybrid": System(hybrid, "both, fused; the request as the only view"),
    "pacemaker-rules": System(
        pacemaker_rules,
        "PaceMaker's chain with deterministic stages; no chat model",
        # Its filters cost nothing, so it reads deeper before the first one than a model is asked to.
        defaults=(("k", 20), ("n_seed", 40), ("n_filter", 20)),
    ),
    "pacemaker": System(pacemaker, "PaceMaker with a chat model: four calls a query", needs_chat=True),
}


def find_system(name: str) -> System:
    """The system of that name.

    Raises:
        ConfigError: when there is none.
    """
    if name not in SYSTEMS:
        raise ConfigError(f"there is no system named {name}; there are: {', '.join(SYSTEMS)}")
    return SYSTEMS[name]

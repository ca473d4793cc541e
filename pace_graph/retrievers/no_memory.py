"""`no-memory`, a control: what the answer generator does with the request alone."""

from __future__ import annotations

from langchain_core.runnables import Runnable

from pace_graph.config import PaceConfig
from pace_graph.env import Env
from pace_graph.records import KnowledgeBase, Query, Retrieved
from pace_graph.retrievers.given import given


def no_memory(env: Env, kb: KnowledgeBase, c: PaceConfig) -> Runnable[Query, Retrieved]:  # noqa: ARG001 - as all systems
    """No fact."""
    return given(c, lambda _: ())

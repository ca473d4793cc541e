"""The plain retrievers: one view, one or both legs.

Source:
    PACE, section on baselines (Sparse and Dense); `hybrid` is our own control.
"""

from __future__ import annotations

from langchain_core.runnables import Runnable

from pace_graph.config import PaceConfig
from pace_graph.env import Env
from pace_graph.records import KnowledgeBase, Leg, Query, Retrieved
from pace_graph.stages.fuse import fuse
from pace_graph.stages.retrieve import retrieve
from pace_graph.stages.views import whole


def _plain(env: Env, kb: KnowledgeBase, c: PaceConfig, *legs: Leg) -> Runnable[Query, Retrieved]:
    search = retrieve(
        env.graph, env.embedder(kb), env.lexical(kb), kb, k=c.n_baseline, legs=legs, prefix=c.query_prefix
    )
    return whole(c) | search | fuse(k_rrf=c.k_rrf, k=c.n_baseline, n=c.n_baseline)


def bm25(env: Env, kb: KnowledgeBase, c: PaceConfig) -> Runnable[Query, Retrieved]:
    """BM25 with the request alone."""
    return _plain(env, kb, c, "lexical")


def dense(env: Env, kb: KnowledgeBase, c: PaceConfig) -> Runnable[Query, Retrieved]:
    """Vector search with the request alone."""
    return _plain(env, kb, c, "dense")


def hybrid(env: Env, kb: KnowledgeBase, c: PaceConfig) -> Runnable[Query, Retrieved]:
    """Both legs with the request alone, fused."""
    return _plain(env, kb, c, "dense", "lexical")

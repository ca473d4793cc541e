"""PaceMaker: plan, counter views, hybrid retrieval, fusion, filter, walk, filter. Four model calls a query."""

from __future__ import annotations

from langchain_core.runnables import Runnable

from pace_graph.config import PaceConfig
from pace_graph.env import Env
from pace_graph.records import KnowledgeBase, Query, Retrieved
from pace_graph.stages.filter import keep
from pace_graph.stages.fuse import fuse
from pace_graph.stages.plan import plan
from pace_graph.stages.retrieve import retrieve
from pace_graph.stages.traverse import traverse
from pace_graph.stages.views import views


def pacemaker(env: Env, kb: KnowledgeBase, c: PaceConfig) -> Runnable[Query, Retrieved]:
    """The chain of the paper.

    Source:
        PACE, section on PaceMaker.
    """
    search = retrieve(env.graph, env.embedder(kb), env.lexical(kb), kb, k=c.k, prefix=c.query_prefix)
    return (
        plan(env.chat, c)
        | views(env.chat, c)
        | search
        | fuse(k_rrf=c.k_rrf, k=c.k, n=c.n_seed)
        | keep(env.chat, kb, c, name="pre-hop", n=c.n_filter)
        | traverse(env.graph, kb, c)
        | keep(env.chat, kb, c, name="post-hop", n=c.n_final)
    )

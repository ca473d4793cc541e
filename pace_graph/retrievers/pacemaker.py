"""PaceMaker: plan, counter views, hybrid retrieval, fusion, filter, walk, filter. Four model calls a query."""

from __future__ import annotations

from langchain_core.runnables import Runnable

from pace_graph.config import PaceConfig
from pace_graph.env import Env
from pace_graph.records import KnowledgeBase, Query, Retrieved
from pace_graph.retrievers.parts import Parts
from pace_graph.stages.filter import keep
from pace_graph.stages.plan import plan
from pace_graph.stages.retrieve import retrieve
from pace_graph.stages.views import views


def with_model(env: Env, kb: KnowledgeBase, c: PaceConfig) -> Parts:
    """The stages of the paper: one model call each for plan, views and the two filters."""
    return Parts(
        env, kb, c,
        plan=plan(env.chat, c),
        views=views(env.chat, c),
        retrieve=retrieve(env.graph, env.embedder(kb), env.lexical(kb), kb, k=c.k, prefix=c.query_prefix),
        pre_hop=keep(env.chat, kb, c, name="pre-hop", n=c.n_filter),
        post_hop=keep(env.chat, kb, c, name="post-hop", n=c.n_final),
    )  # fmt: skip


def pacemaker(env: Env, kb: KnowledgeBase, c: PaceConfig) -> Runnable[Query, Retrieved]:
    """The chain of the paper.

    Source:
        PACE, section on PaceMaker.
    """
    p = with_model(env, kb, c)
    return p.plan | p.views | p.retrieve | p.fuse(c.n_seed) | p.pre_hop | p.traverse | p.post_hop

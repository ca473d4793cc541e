"""`pacemaker-rules`: the same chain without a model, deterministic from end to end."""

from __future__ import annotations

from langchain_core.runnables import Runnable

from pace_graph.config import PaceConfig, RuleConfig
from pace_graph.env import Env
from pace_graph.records import KnowledgeBase, Query, Retrieved
from pace_graph.retrievers.parts import Parts
from pace_graph.stages.retrieve import retrieve
from pace_graph.stages.rules import by_priority, rescore, rule_plan, rule_views


def with_rules(env: Env, kb: KnowledgeBase, c: PaceConfig) -> Parts:
    """The stages with rules in the place of the four model calls."""
    r = RuleConfig()
    lexical = env.lexical(kb)
    return Parts(
        env, kb, c,
        plan=rule_plan(kb),
        views=rule_views(c),
        retrieve=retrieve(env.graph, env.embedder(kb), lexical, kb, k=c.k, depth=r.depth, prefix=c.query_prefix),
        pre_hop=by_priority(kb, r, name="pre-hop", n=c.n_filter),
        post_hop=rescore(c) | by_priority(kb, r, name="post-hop", n=c.n_final),
    )  # fmt: skip


def pacemaker_rules(env: Env, kb: KnowledgeBase, c: PaceConfig) -> Runnable[Query, Retrieved]:
    """PaceMaker's chain with rules in the place of the four model calls. It never pretends to a verdict."""
    p = with_rules(env, kb, c)
    return p.plan | p.views | p.retrieve | p.fuse(c.n_seed) | p.pre_hop | p.traverse | p.post_hop

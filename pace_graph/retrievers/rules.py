"""`pacemaker-rules`: the same chain without a model, deterministic from end to end."""

from __future__ import annotations

from langchain_core.runnables import Runnable

from pace_graph.config import PaceConfig, RuleConfig
from pace_graph.env import Env
from pace_graph.records import KnowledgeBase, Query, Retrieved
from pace_graph.stages.fuse import fuse
from pace_graph.stages.retrieve import retrieve
from pace_graph.stages.rules import by_priority, rescore, rule_plan, rule_views
from pace_graph.stages.traverse import traverse


def pacemaker_rules(env: Env, kb: KnowledgeBase, c: PaceConfig) -> Runnable[Query, Retrieved]:
    """PaceMaker's chain with rules in the place of the four model calls. It never pretends to a verdict."""
    r = RuleConfig()
    search = retrieve(env.graph, env.embedder(kb), env.lexical(kb), kb, k=c.k, depth=r.depth, prefix=c.query_prefix)
    return (
        rule_plan(kb)
        | rule_views(c)
        | search
        | fuse(k_rrf=c.k_rrf, k=c.k, n=c.n_seed)
        | by_priority(kb, r, name="pre-hop", n=c.n_filter)
        | traverse(env.graph, kb, c)
        | rescore(c)
        | by_priority(kb, r, name="post-hop", n=c.n_final)
    )

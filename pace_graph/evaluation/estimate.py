"""What a run would ask of the models, before it does: calls and tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pace_graph.asking import build
from pace_graph.config import PaceConfig
from pace_graph.env import Env
from pace_graph.evaluation.plan import RunPlan
from pace_graph.evaluation.prices import total
from pace_graph.evaluation.rows import Asked
from pace_graph.ledger import StageCost
from pace_graph.lexical import is_cjk
from pace_graph.records import Fact, Retrieved
from pace_graph.retrievers import find_system
from pace_graph.stages.filter import listed
from pace_graph.texts import prompt

_SAMPLE = 6
_REPLY_TOKENS = {"plan": 200, "views": 120, "pre-hop": 100, "post-hop": 100, "answer": 120}


@dataclass(frozen=True, slots=True)
class Estimate:
    """What one system would ask for: calls and tokens of all its requests, and money where prices are set."""

    system: str
    requests: int
    calls: int
    tokens_in: int
    tokens_out: int
    usd: float | None


def estimate(env: Env, plan: RunPlan) -> list[Estimate]:
    """One estimate a system. A few requests are retrieved without a model to see how large prompts would be.

    Tokens are guessed from characters: four a token, two signs of Chinese for three tokens. A repeat after an unreadable
    reply, and what a cache saves, are not in it.
    """
    sample = [plan.queries[i * len(plan.queries) // _SAMPLE] for i in range(min(_SAMPLE, len(plan.queries)))]
    return [_system(env, plan, name, sample) for name in plan.systems]


def _system(env: Env, plan: RunPlan, name: str, sample: Sequence[Asked]) -> Estimate:
    asks = find_system(name).needs_chat
    seen = [_stages(env, plan.systems[name], query, asks=asks, answers=plan.answers) for query in dict.fromkeys(sample)]
    stages = [StageCost(stage, calls=1, tokens_in=_mean([found[stage] for found in seen])) for stage in seen[0]]
    count = len(plan.queries)
    whole = tuple(
        StageCost(one.stage, calls=count, tokens_in=count * one.tokens_in, tokens_out=count * _REPLY_TOKENS[one.stage])
        for one in stages
    )
    return Estimate(
        name,
        count,
        sum(stage.calls for stage in whole),
        sum(stage.tokens_in for stage in whole),
        sum(stage.tokens_out for stage in whole),
        total(env.settings, whole),
    )


def _stages(env: Env, c: PaceConfig, query: Asked, *, asks: bool, answers: bool) -> dict[str, int]:
    """Prompt tokens of each call that one request would make."""
    kb = env.world(query.world)
    rules = find_system("pacemaker-rules")
    # The same depths as the system's own, so that its pool is as large.
    like = c.model_copy(update={"answer_form": "prose"})
    found = build(env, kb, rules, like, "pacemaker-rules").invoke(query.query())
    text, facts = tokens(query.text), _facts([kb.facts[i] for i in found.fact_ids])
    calls: dict[str, int] = {}
    if asks:
        calls["plan"] = tokens(prompt("pace/plan").system + prompt("pace/plan").user) + text + 250
        calls["views"] = tokens(prompt("pace/views").system + prompt("pace/views").user) + 2 * text + 250
        filter_prompt = tokens(prompt("pace/filter").system + prompt("pace/filter").user) + text + 100
        calls["pre-hop"] = filter_prompt + facts(c.n_seed)
        calls["post-hop"] = filter_prompt + facts(_pool(found))
    if answers:
        calls["answer"] = tokens(prompt("pace/answer").system + prompt("pace/answer").user) + text + facts(c.n_answer)
    return calls


def _pool(found: Retrieved) -> int:
    hops = sum(len(step.hits) for step in found.trail if step.stage.startswith("hop "))
    return hops + len(found.after("pre-hop"))


def _facts(seen: Sequence[Fact]) -> Callable[[int], int]:
    each = _mean([tokens(listed(fact)) for fact in seen]) if seen else 0
    return lambda count: count * each


def _mean(values: Sequence[int]) -> int:
    return round(sum(values) / len(values))


def tokens(text: str) -> int:
    """About how many tokens a text is."""
    chinese = sum(map(is_cjk, text))
    return round((len(text) - chinese) / 4 + 1.5 * chinese)

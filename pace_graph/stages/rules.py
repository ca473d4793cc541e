"""The deterministic stages of `pacemaker-rules`: plan and views from what the request names, filters by fused score.

No model is called. A plan's directions are the three situation types of the task: the times, the people and the rest
of the scene that the request names. A filter multiplies the fused score by how much a fact speaks of constraints
(`cues`), and by whether it concerns a day that the request is about.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta

from langchain_core.runnables import Runnable

from pace_graph import cues
from pace_graph.config import PaceConfig, RuleConfig
from pace_graph.dates import Language, is_chinese, resolve, spellings
from pace_graph.records import Direction, KnowledgeBase, Plan, Query, Ranking, Retrieved, View, Views
from pace_graph.stages.filter import Kept, cut
from pace_graph.stages.fuse import wrrf
from pace_graph.stages.stage import stage
from pace_graph.stages.views import original

_SOUGHT = {
    # What evidence of each kind speaks of, in the words of the task's definitions.
    "people": {
        "en": "needs, health condition, allergy, must avoid, promised, limit, asked not to",
        "zh": "身体状况 过敏 医生要求 不能 避免 答应 约定",
    },
    "conditions": {
        "en": "notice, rule, works, maintenance, restricted, only, limit, requires, announced",
        "zh": "通知 公告 规定 施工 检修 限制 只能 要求",
    },
}
_MOST_DAYS = 10
_SPELLED_DAYS = 2


def rule_plan(kb: KnowledgeBase) -> Runnable[Query, Plan]:
    """Directions from the times and people that the request names, and its scene."""

    def step(query: Query) -> Plan:
        times = tuple(moment.text for moment in resolve(query.text, query.ref_date)) if query.ref_date else ()
        people = named_people(query.text, kb)
        found = (
            Direction("times", "what is planned or takes how long around then", times),
            Direction("people", "needs, limits and duties of the people concerned", people),
            Direction("conditions", "rules and announced conditions of places and services"),
        )
        return Plan(query, found if times else found[1:])

    return stage("plan", step)


def rule_views(c: PaceConfig) -> Runnable[Plan, Views]:
    """One counter view a direction: the days spelled out; people, or the request, with what such evidence says."""

    def step(plan: Plan) -> Views:
        language: Language = "zh" if is_chinese(plan.query.text) else "en"
        texts = [_view(direction, plan.query, language) for direction in plan.directions]
        counters = tuple(View(text, "counter", c.w_counter) for text in texts[: c.counter_views])
        return Views(plan, (original(plan.query, c), *counters))

    return stage("views", step)


def _view(direction: Direction, query: Query, language: Language) -> str:
    if direction.dimension == "times":
        days = sorted(concerned_days(query))[:_SPELLED_DAYS]
        return " ".join(text for day in days for text in spellings(day, language)[:2]) or query.text
    subject = " ".join(direction.anchors) or query.text
    return f"{subject} {_SOUGHT[direction.dimension][language]}"


def concerned_days(query: Query) -> frozenset[date]:
    """The days that the request is about, as resolved against the day it is made on."""
    if query.ref_date is None:
        return frozenset()
    days: set[date] = set()
    for moment in resolve(query.text, query.ref_date):
        length = min((moment.end - moment.start).days + 1, _MOST_DAYS)
        days.update(moment.start + timedelta(offset) for offset in range(length))
    return frozenset(days)


def named_people(text: str, kb: KnowledgeBase) -> tuple[str, ...]:
    """The alters of the profile that a text names, by full or given name."""
    return tuple(
        person.name
        for person in kb.people
        if person.role == "alter" and any(_names(text, part) for part in _calling(person.name))
    )


def _names(text: str, name: str) -> bool:
    # Chinese does not set words apart; in other scripts a name inside a longer word is none.
    return name in text if is_chinese(name) else re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _calling(name: str) -> tuple[str, ...]:
    if is_chinese(name):
        return (name, name[1:]) if len(name) > 2 else (name,)
    return (name, name.split(maxsplit=1)[0]) if name.split() else ()


def rescore(c: PaceConfig) -> Runnable[Retrieved, Retrieved]:
    """Gives every fact of the pool the fused score of its ranks for the request itself, also one the walk found.

    It reads the request's own lists to their whole depth; a fact that neither holds scores 0.
    """

    def step(retrieved: Retrieved) -> Retrieved:
        pool = set(retrieved.fact_ids)
        lists = [_within(ranking, pool) for ranking in retrieved.rankings.lists if ranking.view == 0]
        scores = {hit.fact_id: hit.score for hit in wrrf(lists, [c.w_original], c.k_rrf)}
        rescored = tuple(replace(hit, score=scores.get(hit.fact_id, 0.0)) for hit in retrieved.hits)
        return replace(retrieved, hits=rescored)

    return stage("rescore", step)


def _within(ranking: Ranking, pool: set[str]) -> Ranking:
    kept = [(i, score) for i, score in zip(ranking.fact_ids, ranking.scores, strict=True) if i in pool]
    return replace(ranking, fact_ids=tuple(i for i, _ in kept), scores=tuple(score for _, score in kept))


def by_priority(kb: KnowledgeBase, r: RuleConfig, *, name: str, n: int) -> Runnable[Retrieved, Retrieved]:
    """The filter without a model: the `n` best by fused score times priority, ties by id."""

    def step(retrieved: Retrieved) -> Retrieved:
        priority = _priority(kb, r, retrieved.query)
        ranked = sorted(retrieved.hits, key=lambda hit: (-hit.score * priority(hit.fact_id), hit.fact_id))
        return cut(retrieved, Kept(tuple(hit.fact_id for hit in ranked[:n])), name)

    return stage(name, step)


def _priority(kb: KnowledgeBase, r: RuleConfig, query: Query) -> Callable[[str], float]:
    days = {day.isoformat() for day in concerned_days(query)}

    def priority(fact_id: str) -> float:
        dated = r.day_factor if days.intersection(kb.days.get(fact_id, ())) else 1.0
        return float(r.cue_factor ** cues.weight(kb.facts[fact_id].text) * dated)

    return priority

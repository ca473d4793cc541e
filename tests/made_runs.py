"""Run folders made for tests: systems, worlds, judges, errors and all, without a graph or a model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any

from pace_graph.config import PaceConfig
from pace_graph.evaluation.folder import RunFolder
from pace_graph.evaluation.rows import Answer, Asked, Cost, Judged, Judgment, Key, Retrieval, Row, as_json
from pace_graph.ledger import StageCost

LABELS: tuple[Judged, ...] = ("PASS", "WRONG_RATIONALE", "FAIL")
SITUATIONS = ("temporal", "personal", "state")
SKILL = {
    "bm25": 0.25,
    "dense": 0.3,
    "pacemaker": 0.6,
    "pacemaker-no-planning": 0.5,
    "pacemaker-no-traversal": 0.4,
    "pacemaker-no-selection": 0.55,
    "oracle": 1.0,
    "no-memory": 0.0,
}


def asked(world: str, number: int, gold: Sequence[str] = ("g1", "g2"), **given: Any) -> Asked:
    """A request; its type and status follow from its number."""
    fields = {
        "text": f"Request {number} of {world}.",
        "ref_date": "2026-03-20",
        "label": "conflict" if number % 2 == 0 else "non_conflict",
        "situation": SITUATIONS[number // 2 % 3],
        "judgment": f"Gold reason {number}.",
        "gold_missing": (),
        **given,
    }
    return Asked(world=world, query_id=f"q{number:02d}", gold=tuple(gold), **fields)


def steps(**by_stage: Sequence[str]) -> tuple[dict[str, Any], ...]:
    """Steps of a trail; `pre_hop` stands for `pre-hop`, `hop_1` for `hop 1`."""
    names = {"pre_hop": "pre-hop", "post_hop": "post-hop"}
    return tuple(
        {
            "stage": names.get(name, name.replace("_", " ")),
            "status": "ok",
            "unknown": 0,
            "duplicate": 0,
            "hits": [[fact, 0.0, 0, [fact]] for fact in facts],
        }
        for name, facts in by_stage.items()
    )


def costs(*stages: tuple[str, float, int], usd: float | None = None, saved: int = 0) -> Cost:
    """A cost from (stage, seconds, calls)."""
    return Cost(
        tuple(StageCost(name, seconds, calls, 300 * calls, 40 * calls) for name, seconds, calls in stages), usd, saved
    )


def write_run(
    path: Path,
    queries: Sequence[Asked],
    rows: Iterable[Row],
    judgments: Mapping[str, Iterable[Judgment]] | None = None,
    systems: Mapping[str, Mapping[str, Any]] | Sequence[str] = (),
    **config: Any,
) -> RunFolder:
    """A run folder of these rows; the configuration is that of `run`, as far as reports read it."""
    path.mkdir(parents=True, exist_ok=True)
    own = systems if isinstance(systems, Mapping) else {name: PaceConfig().model_dump() for name in systems}
    worlds = dict.fromkeys(query.world for query in queries)
    given = {
        "systems": dict(own),
        "worlds": {world: {"embedding_model": "bge-small-en", "facts": 500} for world in worlds},
        "answers": True,
        "models": {"agent": {"model": "scripted"}, "answer": {"model": "scripted"}},
        "prompts": {"pace/plan": "abc"},
        "versions": {"pace-graph": "0.1.0"},
        **config,
    }
    (path / "config.json").write_text(json.dumps(given), encoding="utf-8")
    _lines(path / "queries.jsonl", (asdict(query) for query in queries))
    _lines(path / "records.jsonl", map(as_json, rows))
    for name, found in (judgments or {}).items():
        _lines(path / f"judge-{name}.jsonl", map(as_json, found))
    return RunFolder(path)


def _lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def realistic(
    path: Path,
    *,
    worlds: Sequence[str] = ("mara", "tomas", "沈玉兰"),
    systems: Sequence[str] = tuple(SKILL),
    judges: Sequence[str] = ("judge-a", "judge-b"),
    per_world: int = 18,
    seed: int = 0,
    change: Callable[[list[Row], list[Judgment]], None] = lambda *_: None,
    config: Mapping[str, Any] | None = None,
    **given: Any,
) -> RunFolder:
    """A run as real ones look: every system finds and answers by its skill, by chance of a seed.

    Args:
        change: what is done to the rows, and to the judgments of the first judge, before they are written.
    """
    dice = Random(seed)
    queries = [asked(w, n, [f"g{n}-{i}" for i in range(2 + n % 4)]) for w in worlds for n in range(per_world)]
    rows: list[Row] = []
    found: dict[str, list[Judgment]] = {judge: [] for judge in judges}
    for system in systems:
        for query in queries:
            key = Key(system, query.world, query.query_id)
            rows += [_retrieval(key, query, dice), _answer(key, query, dice)]
            label = _label(system, query, dice)
            for judge in judges:
                found[judge] += _opinions(key, judge, label, dice)
    change(rows, found[judges[0]] if judges else [])
    own = {system: PaceConfig(**(config or {})).model_dump() for system in systems}
    return write_run(path, queries, rows, found, own, **given)


def _retrieval(key: Key, query: Asked, dice: Random) -> Retrieval:
    skill = SKILL.get(key.system, 0.3)
    gold = list(query.gold)
    found = [fact for fact in gold if dice.random() < skill + 0.2]
    noise = [f"x{dice.randrange(500)}-{i}" for i in range(10)]
    fused = [fact for fact in found if dice.random() < 0.9] + noise
    dice.shuffle(fused)
    if not key.system.startswith("pacemaker"):
        kept = gold if key.system == "oracle" else [] if key.system == "no-memory" else fused[:10]
        trail = steps(retrieve=[*found, *noise], fuse=kept)
        return Retrieval(key, "ok", tuple(kept), steps=trail, cost=costs(("retrieve", 0.01 + dice.random() / 50, 0)))
    seeds = [fact for fact in fused if dice.random() < 0.8]
    walk = "traversal" not in key.system
    reached = [fact for fact in gold if fact not in seeds and dice.random() < 0.5] if walk else []
    pool = [*seeds, *reached, *(f"w{i}" for i in range(20))] if walk else seeds
    kept = [fact for fact in pool if dice.random() < 0.8][:10]
    trail = {"retrieve": [*found, *noise], "fuse": fused, "pre_hop": seeds}
    if walk:
        trail |= {"hop_1": reached, "hop_2": [f"w{i}" for i in range(20)]}
    chain = [("plan", 1.1, 1), ("views", 0.9, 1), ("retrieve", 0.05, 0), ("fuse", 0.001, 0), ("pre-hop", 1.6, 1)]
    chain += [("traverse", 0.03, 0)] if walk else []
    chain += [("post-hop", 2.2, 1)]
    spread = [(name, seconds * (0.7 + 0.6 * dice.random()), calls) for name, seconds, calls in chain]
    return Retrieval(key, "ok", tuple(kept), steps=steps(**trail, post_hop=kept), cost=costs(*spread, usd=0.0021))


def _answer(key: Key, query: Asked, dice: Random) -> Answer:
    text = f"I would rather not do that for {query.world}: something else is planned then, and it needs care. " * 2
    return Answer(key, "ok", text, "decline", cost=costs(("answer", 0.8 + dice.random(), 1), usd=0.0008, saved=12))


def _label(system: str, query: Asked, dice: Random) -> Judged:
    good = SKILL.get(system, 0.3) * (0.75 if query.label == "conflict" else 0.95) - 0.1 * (
        query.situation == "temporal"
    )
    return "PASS" if dice.random() < good else "FAIL" if dice.random() < 0.7 else "WRONG_RATIONALE"


def _opinions(key: Key, judge: str, label: Judged, dice: Random, repeats: int = 3) -> list[Judgment]:
    return [
        Judgment(
            key, judge, n, "ok", label if dice.random() < 0.93 else dice.choice(LABELS), cost=costs(("judge", 0.4, 1))
        )
        for n in range(repeats)
    ]

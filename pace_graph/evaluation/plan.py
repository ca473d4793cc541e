"""What a run is: systems, worlds, requests and every setting, fixed before the first call."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib.metadata import version
from typing import Any, Literal

from pace_graph import __version__
from pace_graph.config import PaceConfig
from pace_graph.env import Env
from pace_graph.errors import ConfigError
from pace_graph.evaluation.rows import Asked, Key
from pace_graph.llm.endpoint import shown
from pace_graph.retrievers import find_system
from pace_graph.texts import prompt, prompt_names
from pace_graph.worlds import counts, list_worlds, open_world, read_queries, world_row


@dataclass(frozen=True)
class RunPlan:
    """Every request of every world, to be asked of every system.

    Attributes:
        systems: name to configuration.
        answers: whether each retrieval is answered too.
    """

    systems: Mapping[str, PaceConfig]
    queries: tuple[Asked, ...]
    answers: bool
    config: Mapping[str, Any]

    @cached_property
    def keys(self) -> tuple[Key, ...]:
        """What has to be done, world by world, so that few worlds are held at a time."""
        by_world: dict[str, list[str]] = {}
        for query in self.queries:
            by_world.setdefault(query.world, []).append(query.query_id)
        return tuple(
            Key(system, world, query_id)
            for world, query_ids in by_world.items()
            for system in self.systems
            for query_id in query_ids
        )


def plan_run(
    env: Env, systems: Sequence[str], worlds: Sequence[str], *, answers: bool, limit: int | None = None,
    settings: Mapping[str, object] | None = None, must_be_able: bool = True,
) -> RunPlan:  # fmt: skip
    """The plan of a run; nothing is asked yet.

    Args:
        worlds: all worlds that have requests when empty.
        limit: the first so many requests of each world.
        settings: fields of PaceConfig, for every system.
        must_be_able: refuse a plan that needs a model when none is set.

    Raises:
        ConfigError, WorldError: when a system, world or setting cannot be used, or a model is needed and none is set.
    """
    chosen = {name: find_system(name).config(**(settings or {})) for name in systems}
    needing = [name for name in chosen if find_system(name).needs_chat]
    if must_be_able and (needing or answers) and not env.chat.configured:
        why = f"{needing[0]} asks a chat model" if needing else "answers are written by a chat model"
        raise ConfigError(
            f"{why}: set PACE_GRAPH_AGENT__MODEL (and __BASE_URL, __API_KEY), or leave it out (--no-answer)"
        )
    for world in worlds:
        _has_requests(env, world)
    named = list(worlds) or [row.world for row in list_worlds(env.graph) if row.queries and row.status == "ready"]
    queries = tuple(Asked.of(query) for world in named for query in read_queries(env.graph, world)[:limit])
    if not queries:
        raise ConfigError("there is no request to ask: no world with requests is loaded; try: pace-graph demo")
    return RunPlan(chosen, queries, answers, _config(env, chosen, named, queries, answers=answers, limit=limit))


def _has_requests(env: Env, world: str) -> None:
    world_row(env.graph, world)
    if not counts(env.graph, world)["queries"]:
        raise ConfigError(f"world {world} has no requests to ask; name one that has (see: pace-graph worlds)")


def _config(
    env: Env, systems: Mapping[str, PaceConfig], worlds: Sequence[str], queries: Sequence[Asked], *, answers: bool,
    limit: int | None,
) -> dict[str, Any]:  # fmt: skip
    opened = {world: open_world(env.graph, world) for world in worlds}
    return {
        "systems": {name: config.model_dump() for name, config in systems.items()},
        "worlds": {
            world: {
                "digest": kb.digest,
                "facts": len(kb.facts),
                "embedding_model": kb.embedding_model,
                "dimension": kb.dimension,
                "requests": _digest([query for query in queries if query.world == world]),
            }
            for world, kb in opened.items()
        },
        "answers": answers,
        "limit": limit,
        "models": _models(env),
        "prompts": {
            name: prompt(name, env.settings.prompts_dir).digest for name in prompt_names() if name.startswith("pace/")
        },
        "versions": {
            "pace-graph": __version__,
            "python": platform.python_version(),
            **{name: version(name) for name in ("langchain-core", "langchain-openai", "neo4j", "rank-bm25", "numpy")},
        },
    }


def _digest(queries: Sequence[Asked]) -> str:
    """A digest of requests, gold included: a world's own digest is of its facts alone."""
    rows = json.dumps([asdict(query) for query in queries], sort_keys=True)
    return hashlib.sha256(rows.encode()).hexdigest()[:16]


def _models(env: Env) -> dict[str, Any]:
    roles: tuple[Literal["agent", "answer"], ...] = ("agent", "answer")
    chosen = {role: env.settings.chat(role) for role in roles}
    return {
        role: {
            "model": c.model,
            "base_url": c.base_url and shown(c.base_url),
            "temperature": c.temperature,
            "max_tokens": c.max_tokens,
        }
        for role, c in chosen.items()
        if c.model
    }

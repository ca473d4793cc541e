"""How long one request takes without chat models, stage by stage: `python -m tests.bench.retrieval`.

Measured: the whole chain of a system (4 views for pacemaker-rules, the embedding of the views included) on worlds
of PACE's size, in a graph that holds many of them. Loading is not part of it.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import time
from collections.abc import Sequence
from statistics import median
from unittest.mock import patch

from loaders.write import write_world
from pace_graph import __version__, embed
from pace_graph.asking import build
from pace_graph.config import EmbeddingSettings, Settings
from pace_graph.embed import onnx
from pace_graph.env import Env, open_env
from pace_graph.ledger import Ledger
from pace_graph.records import Query
from pace_graph.retrievers import find_system
from tests.bench.made_worlds import REF, Remembering, facts, requests, worlds


def main() -> None:
    """Loads the worlds unless they are there, then asks."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--worlds", type=int, default=40)
    options.add_argument("--facts", type=int, default=2035)
    options.add_argument("--requests", type=int, default=200)
    options.add_argument("--systems", default="bm25,dense,hybrid,pacemaker-rules")
    given = options.parse_args()
    settings = Settings.read(embedding=EmbeddingSettings(model=onnx.LATIN))
    with open_env(settings, print) as env:
        names = _load(env, given.worlds, given.facts)
        print(f"pace-graph {__version__}, Python {platform.python_version()}, {os.cpu_count()} cores")
        print(f"{len(names)} worlds of {given.facts} facts; milliseconds a request over {given.requests} requests\n")
        for system in given.systems.split(","):
            _measure(env, system, names, given.requests)


def _load(env: Env, count: int, size: int) -> list[str]:
    model = Remembering(embed.embedder(env.settings, onnx.LATIN))
    began = time.perf_counter()
    names = []
    with patch("pace_graph.embed.embedder", lambda *_: model):
        for case in worlds(count, size, facts(2 * size, seed=1)):
            write_world(env.graph, env.settings, case, source="bench")
            names.append(case.world)
            print(f"\r{len(names)} of {count} worlds loaded, {time.perf_counter() - began:.0f} s", end="", flush=True)
    print()
    return names


def _measure(env: Env, name: str, names: Sequence[str], count: int) -> None:
    system = find_system(name)
    chains = {world: build(env, env.world(world), system, system.config(), name) for world in names}
    draw = random.Random(5)
    stages: dict[str, list[float]] = {}
    for number, text in enumerate(requests(count + 40, seed=3)):
        ledger = Ledger()
        query = Query(text, draw.choice(names), ref_date=REF)
        began = time.perf_counter()
        chains[query.world].invoke(query, {"callbacks": [ledger]})
        seconds = time.perf_counter() - began
        if number < 40:  # the server compiles what it runs often; a service is warm
            continue
        stages.setdefault("whole", []).append(seconds)
        for cost in ledger.costs():
            stages.setdefault(cost.stage, []).append(cost.seconds)
    print(name)
    for stage, found in stages.items():
        ordered = sorted(found)
        print(f"  {stage:10} p50 {1000 * median(ordered):7.1f}   p95 {1000 * ordered[int(0.95 * len(ordered))]:7.1f}")


if __name__ == "__main__":
    main()

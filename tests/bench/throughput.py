"""How much of an endpoint's time a run uses: `python -m tests.bench.throughput`.

An endpoint that takes half a second a call, in a process of its own, is asked by 32 requests at a time; a request of
`pacemaker` with its answer is five calls one after another, so no run can do more than 32 / (5 x 0.5 s) requests a
second. Shown is how near a run comes to that, worlds opened, records and replies kept on disk; with `--delay 0`, how
much memory thousands of requests leave behind.
"""

from __future__ import annotations

import argparse
import contextlib
import cProfile
import os
import platform
import pstats
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median

from loaders.write import write_world
from pace_graph import __version__
from pace_graph.config import ChatSettings, EmbeddingSettings, Settings
from pace_graph.env import open_env
from pace_graph.evaluation.folder import RunFolder
from pace_graph.evaluation.plan import plan_run
from pace_graph.evaluation.run import Progress, carry_out
from pace_graph.llm import Replies
from pace_graph.records import Query
from tests.bench.made_worlds import REF, facts, requests, worlds

_CALLS = 5
_WORLDS = 4


def main() -> None:
    """Loads worlds unless they are there, then runs."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--requests", type=int, default=320)
    options.add_argument("--facts", type=int, default=2035)
    options.add_argument("--concurrency", type=int, default=32)
    options.add_argument("--delay", type=float, default=0.5, help="seconds a call takes")
    options.add_argument("--profile", action="store_true", help="show where one worker spends its time")
    given = options.parse_args()
    with _endpoint(given.delay) as url, tempfile.TemporaryDirectory() as folder:
        agent = ChatSettings(model="by-rule", base_url=url)
        settings = Settings.read(agent=agent, embedding=EmbeddingSettings(model="hash-64"))
        replies = Replies(Path(folder) / "replies.sqlite")
        with open_env(settings, print, replies=replies) as env:
            names = []
            for case in worlds(_WORLDS, given.facts, facts(2 * given.facts, seed=1)):
                world = f"{case.world}-hash"
                asked = requests(given.requests // _WORLDS, seed=len(names))
                queries = tuple(Query(f"{text} ({n})", world, f"q{n:04}", REF) for n, text in enumerate(asked))
                write_world(env.graph, settings, replace(case, world=world, queries=queries), source="bench")
                names.append(world)
            plan = plan_run(env, ["pacemaker"], names, answers=True)
            before, growth, ended = _rss(), list[str](), list[float]()

            def shown(progress: Progress) -> None:
                done = sum(progress.done.values())
                if done > len(ended):
                    ended.append(time.perf_counter())
                if done and done % 500 == 0 and len(growth) < done // 500:
                    growth.append(f"{done}: {_rss():.0f}")

            began, cpu = time.perf_counter(), time.process_time()
            with _profiled() if given.profile else contextlib.nullcontext():
                progress = carry_out(
                    env, plan, RunFolder(Path(folder) / "run"), concurrency=given.concurrency, shown=shown
                )
            seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
            stages = _stages(RunFolder(Path(folder) / "run"))
        replies.close()
    count = len(plan.keys)
    print(f"pace-graph {__version__}, Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores")
    print(f"{count} requests of {_CALLS} calls, {given.concurrency} at a time, {given.delay} s a call: {seconds:.1f} s")
    print(f"  {count / seconds:.2f} requests a second, {1000 * cpu / count:.1f} ms of our own CPU each")
    print(f"  {sum(progress.errors.values())} failed; memory {before:.0f} MB before, {_rss():.0f} MB after {growth}")
    print("  median seconds: " + ", ".join(f"{stage} {median(found):.3f}" for stage, found in stages.items()))
    if given.delay:
        most = given.concurrency / (_CALLS * given.delay)
        middle = ended[count // 10 : -(count // 10)]
        steady = (len(middle) - 1) / (middle[-1] - middle[0])
        print(f"  {steady / most:.3f} of the most that is possible ({most:.1f} a second); wanted: 0.85")
        print(f"  {count / seconds / most:.3f} with the beginning, when threads fill up, and the end, when they idle")


@contextlib.contextmanager
def _endpoint(delay: float) -> Iterator[str]:
    command = [sys.executable, "-m", "tests.model_by_rule", "--delay", str(delay)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()


def _stages(folder: RunFolder) -> dict[str, list[float]]:
    """The seconds of every stage, over all requests."""
    found: dict[str, list[float]] = {}
    for row in folder.rows():
        for cost in row.cost.stages:
            found.setdefault(cost.stage, []).append(cost.seconds)
    return found


def _rss() -> float:
    import psutil

    return float(psutil.Process().memory_info().rss) / 2**20


@contextlib.contextmanager
def _profiled() -> Iterator[None]:
    """Profiles every thread that is started in the block."""
    found: list[cProfile.Profile] = []

    def begin(*_: object) -> None:
        sys.setprofile(None)
        found.append(cProfile.Profile(time.thread_time))
        found[-1].enable()

    threading.setprofile(begin)
    try:
        yield
    finally:
        threading.setprofile(None)
    stats = pstats.Stats(found[0])
    for other in found[1:]:
        stats.add(other)
    stats.sort_stats("tottime").print_stats(45)


if __name__ == "__main__":
    main()

"""`pace-graph sweep`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from loaders.write import write_world
from pace_graph.cli import options
from pace_graph.cli.load import write_all
from pace_graph.cli.progress import RunScreen
from pace_graph.cli.terminal import as_json, give, say
from pace_graph.config import Settings
from pace_graph.env import Env, open_env
from pace_graph.evaluation.folder import RunFolder
from pace_graph.evaluation.plan import plan_run
from pace_graph.evaluation.run import carry_out
from pace_graph.evaluation.sweep import Point, points
from pace_graph.llm import Limits, Replies
from pace_graph.retrievers import SYSTEMS
from pace_graph.worlds import list_worlds, read_case


@click.command()
@click.option(
    "--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="Holds one run folder a point."
)
@click.option(
    "--over",
    type=options.Setting(),
    multiple=True,
    required=True,
    metavar="NAME=A,B,…",
    help="What is swept: a setting, H, M, K, N, embedding, or prompts (folders); repeatable.",
)
@click.option("--grid", is_flag=True, help="Every combination; otherwise one value is changed at a time.")
@click.option(
    "--system", default="pacemaker-rules", show_default=True, type=click.Choice(list(SYSTEMS)), help="The system."
)
@click.option("--world", "worlds", multiple=True, help="A world; repeatable. By default all that have requests.")
@click.option("--limit", type=click.IntRange(min=1), help="The first so many requests of each world.")
@click.option("--answer/--no-answer", "answers", default=False, show_default=True, help="Answer too.")
@options.concurrency
@options.rpm
@options.tpm
@options.cache
@options.no_cache
@as_json
def sweep(
    out: Path, over: tuple[tuple[str, str], ...], grid: bool, system: str, worlds: tuple[str, ...], limit: int | None,
    answers: bool, concurrency: int, rpm: int | None, tpm: int | None, cache: Path | None, no_cache: bool,
    machine: bool,
) -> None:  # fmt: skip
    """Run one system at every point of a sweep.

    Points share the cache of replies: only what a point changes is asked again. The same command goes on where it
    stopped.
    """
    wanted = points(over, grid=grid)
    settings = Settings.read()
    replies = options.replies(cache, no_cache, settings.cache_dir)
    done: list[dict[str, Any]] = []
    for number, point in enumerate(wanted, start=1):
        say(f"{point.name} ({number} of {len(wanted)})")
        with _at(settings, point, replies, Limits(rpm, tpm)) as env:
            named = _worlds(env, point, worlds)
            plan = plan_run(env, [system], named, answers=answers, limit=limit, settings=point.settings)
            with RunScreen(len(plan.keys)) as shown:
                progress = carry_out(env, plan, RunFolder(out / point.name), concurrency=concurrency, shown=shown)
        errors = sum(progress.errors.values())
        done.append({"point": point.name, "run": str(out / point.name), "errors": errors})
    if machine:
        give(done)
    else:
        click.echo(f"{len(done)} points. Look at them with: pace-graph report {out}/*")


@contextmanager
def _at(settings: Settings, point: Point, replies: Replies | None, limits: Limits) -> Iterator[Env]:
    changed: dict[str, Any] = {"prompts_dir": Path(point.prompts)} if point.prompts else {}
    if point.embedding:
        changed["embedding"] = settings.embedding.model_copy(update={"model": point.embedding})
    with open_env(settings.model_copy(update=changed), say, replies=replies, limits=limits) as env:
        yield env


def _worlds(env: Env, point: Point, worlds: tuple[str, ...]) -> list[str]:
    """The worlds of a point: as they are, or copies that are kept with the embedding model of the point."""
    named = list(worlds) or [
        row.world for row in list_worlds(env.graph) if row.queries and row.status == "ready" and "~" not in row.world
    ]
    if point.embedding is None:
        return named
    cases = (replace(read_case(env.graph, world), world=f"{world}~{point.embedding}") for world in named)
    return [
        each.world
        for each in write_all(env.graph, env.settings, cases, f"sweep over {point.embedding}", write=write_world)
    ]

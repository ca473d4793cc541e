"""`pace-graph run` and `pace-graph estimate`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.table import Table

from pace_graph.cli import options
from pace_graph.cli.progress import RunScreen
from pace_graph.cli.terminal import as_json, give, say, screen
from pace_graph.config import Settings
from pace_graph.env import Env, open_env
from pace_graph.errors import ConfigError
from pace_graph.evaluation.estimate import Estimate, estimate
from pace_graph.evaluation.folder import RunFolder
from pace_graph.evaluation.plan import RunPlan, plan_run
from pace_graph.evaluation.run import Progress, carry_out
from pace_graph.llm import Limits
from pace_graph.retrievers import SYSTEMS

F = TypeVar("F", bound=Callable[..., Any])

_OFFLINE = tuple(name for name, system in SYSTEMS.items() if system.ranks and not system.needs_chat)


def planned(command: F) -> F:
    """Adds the options that say what is run."""
    for option in (
        click.option(
            "--answer/--no-answer", "answers", default=None, help="Answer too; by default when a model is set."
        ),
        click.option("--limit", type=click.IntRange(min=1), help="The first so many requests of each world."),
        click.option(
            "--world", "worlds", multiple=True, help="A world; repeatable. By default all that have requests."
        ),
        click.option(
            "--system",
            "systems",
            multiple=True,
            type=click.Choice(list(SYSTEMS)),
            help="A system; repeatable. By default those that need no model.",
        ),
        options.settings,
    ):
        command = option(command)
    return command


@click.command()
@planned
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="The run folder.")
@options.concurrency
@options.rpm
@options.tpm
@click.option("--budget", type=click.FloatRange(min=0), metavar="USD", help="Begin no request once this is spent.")
@options.cache
@options.no_cache
@as_json
def run(
    out: Path, concurrency: int, rpm: int | None, tpm: int | None, budget: float | None, cache: Path | None,
    no_cache: bool, machine: bool, **planning: Any,
) -> None:  # fmt: skip
    """Ask every request of worlds of systems, into a run folder.

    The same command goes on where an earlier one stopped, however it stopped; requests that failed are tried again.
    """
    settings = Settings.read()
    _check_budget(settings, budget)
    with open_env(
        settings, say, replies=options.replies(cache, no_cache, settings.cache_dir), limits=Limits(rpm, tpm)
    ) as env:
        plan = _plan(env, **planning)
        folder = RunFolder(out)
        with _shown(plan) as shown:
            progress = carry_out(env, plan, folder, concurrency=concurrency, budget_usd=budget, shown=shown)
    _tell(progress, folder, machine)


def _check_budget(settings: Settings, budget: float | None) -> None:
    chosen = settings.chat("agent")
    if budget is not None and (chosen.usd_in is None or chosen.usd_out is None):
        raise ConfigError(
            "--budget needs prices: set PACE_GRAPH_AGENT__USD_IN and PACE_GRAPH_AGENT__USD_OUT (USD a million tokens)"
        )


def _plan(
    env: Env, systems: tuple[str, ...], worlds: tuple[str, ...], answers: bool | None, limit: int | None,
    settings: tuple[tuple[str, str], ...], must_be_able: bool = True,
) -> RunPlan:  # fmt: skip
    return plan_run(
        env,
        systems or _OFFLINE,
        worlds,
        answers=env.chat.configured if answers is None else answers,
        limit=limit,
        settings=dict(settings),
        must_be_able=must_be_able,
    )


@contextmanager
def _shown(plan: RunPlan) -> Iterator[Callable[[Progress], None]]:
    with RunScreen(len(plan.keys)) as shown:
        yield shown


def _tell(progress: Progress, folder: RunFolder, machine: bool) -> None:
    todo, done, errors = (sum(count.values()) for count in (progress.todo, progress.done, progress.errors))
    if machine:
        give(
            {
                "run": str(folder.path),
                "requests": todo,
                "done": done,
                "errors": errors,
                "complete": done == todo and not errors,
                "out_of_budget": progress.out_of_budget,
                "usd": None if progress.unpriced else progress.usd,
            }
        )
        return
    click.echo(f"{folder.path}: {done - errors} of {todo} requests done" + (f", {errors} failed" if errors else ""))
    if errors or progress.out_of_budget:
        why = "the budget is spent" if progress.out_of_budget else "failed requests are tried again"
        click.echo(f"Not final ({why}): run the same command again.")
    else:
        click.echo(f"Look at it with: pace-graph report {folder.path}")


@click.command("estimate")
@planned
@as_json
def estimate_run(machine: bool, **planning: Any) -> None:
    """Tell what a run would ask of the models, before it does."""
    with open_env(Settings.read(), say) as env:
        found = estimate(env, _plan(env, must_be_able=False, **planning))
    if machine:
        give([_row(one) for one in found])
        return
    table = Table("system", "requests", "model calls", "prompt tokens", "reply tokens", "USD", box=None)
    for one in found:
        usd = "no price set" if one.usd is None else f"{one.usd:.2f}"
        counts = (one.requests, one.calls, one.tokens_in, one.tokens_out)
        table.add_row(one.system, *(f"{count:,}" for count in counts), usd)
    screen().print(table)
    click.echo("Tokens are guessed from characters; replies already in the cache will not be asked for again.")


def _row(one: Estimate) -> dict[str, Any]:
    return {name: getattr(one, name) for name in Estimate.__slots__}

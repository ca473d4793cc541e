"""`pace-graph demo`: the bundled worlds, every system, one evidence path."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.resources import as_file, files
from statistics import median
from typing import Any
from urllib.parse import quote

import click
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from pace_graph import server
from pace_graph.cli.evidence import evidence_tree
from pace_graph.cli.load import told, write_all
from pace_graph.cli.terminal import as_json, give, say, screen
from pace_graph.config import Settings
from pace_graph.dates import is_chinese
from pace_graph.env import Env, open_env
from pace_graph.evaluation.measure import Measured, averages, measure, stage_seconds
from pace_graph.evaluation.metrics import PAPER
from pace_graph.formats import find_format
from pace_graph.retrievers import SYSTEMS, find_system
from pace_graph.traces import Asked, browser_statement, last_trace, write_trace

_QUERIES = 18


@click.command()
@as_json
def demo(machine: bool) -> None:
    """Load the bundled worlds, measure every system, show an evidence path."""
    settings = Settings.read()
    with open_env(settings, say) as env:
        worlds = _load(env, settings)
        systems = [
            name
            for name, system in SYSTEMS.items()
            if system.group == "system" and (env.chat.configured or not system.needs_chat)
        ]
        say(f"Asking {_QUERIES * len(worlds)} requests of {len(systems)} systems …")
        rows = _measure(env, worlds, systems)
        if machine:
            give(_report(rows, worlds, systems))
            return
        out = screen()
        for table in (*_tables(rows, worlds, systems), _stages(rows)):
            out.print(table)
            out.print()
        _show_path(env, rows, out)
        if settings.managed:
            _browser(settings, env, out)


def _load(env: Env, settings: Settings) -> list[str]:
    pace = find_format("pace")
    with as_file(files("pace_graph").joinpath("data", "pace_mini")) as folder:
        cases = list(pace.read(folder))
        loaded = write_all(env.graph, settings, cases, "the bundled worlds (pace-graph demo)")
    for each in loaded:
        say(told(each))
    return [each.world for each in loaded]


def _measure(env: Env, worlds: Sequence[str], systems: Sequence[str]) -> list[Measured]:
    if not sys.stderr.isatty():
        return measure(env, worlds, systems)
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("requests", total=_QUERIES * len(worlds) * len(systems))
        return measure(env, worlds, systems, lambda: bar.advance(task))


def _chosen(rows: list[Measured], system: str, world: str | None = None, label: str | None = None) -> list[Measured]:
    return [
        row
        for row in rows
        if row.system == system and world in (None, row.query.world) and label in (None, row.query.label)
    ]


def _tables(rows: list[Measured], worlds: Sequence[str], systems: Sequence[str]) -> list[Table]:
    scopes: list[tuple[str, str | None, str | None]] = [(world, world, None) for world in worlds]
    scopes += [("all worlds, all requests", None, None), ("all worlds, conflict requests", None, "conflict")]
    return [
        _table(title, [(name, _chosen(rows, name, world, label)) for name in systems]) for title, world, label in scopes
    ]


def _table(title: str, by_system: list[tuple[str, list[Measured]]]) -> Table:
    count = len(by_system[0][1])
    table = Table("system", title=f"{title} ({count} requests, %)", title_justify="left", title_style="bold")
    for metric in PAPER:
        table.add_column(metric.name, justify="right")
    table.add_column("ceiling", justify="right")
    for name, rows in by_system:
        scores = averages(rows)
        reach = sum(row.ceiling for row in rows) / len(rows)
        table.add_row(name, *(f"{100 * scores[metric.name]:.1f}" for metric in PAPER), f"{100 * reach:.1f}")
    return table


def _stages(rows: list[Measured]) -> Table:
    table = Table(
        "system",
        "stage",
        title="where the time went (milliseconds a request)",
        title_justify="left",
        title_style="bold",
    )
    for name in ("p50", "p95"):
        table.add_column(name, justify="right")
    for system in dict.fromkeys(row.system for row in rows):
        chosen = _chosen(rows, system)
        for stage, seconds in stage_seconds(chosen).items():
            table.add_row(system, stage, *_milliseconds(seconds))
        table.add_row(
            system,
            "whole",
            *_milliseconds([sum(c.seconds for c in row.costs) for row in chosen]),
            end_section=True,
        )
    return table


def _milliseconds(seconds: Sequence[float]) -> tuple[str, str]:
    ordered = sorted(seconds)
    return f"{1000 * median(ordered):.1f}", f"{1000 * ordered[int(0.95 * (len(ordered) - 1))]:.1f}"


def _show_path(env: Env, rows: list[Measured], out: Console) -> None:
    """Draws the conflict request for which the last system found most of the gold, over the most hops."""
    system = "pacemaker" if env.chat.configured else "pacemaker-rules"
    chinese = os.environ.get("LANG", "").startswith("zh")
    # Shown in the reader's language, where the environment tells it.
    found = [row for row in _chosen(rows, system, label="conflict") if is_chinese(row.query.text) == chinese]
    best = max(
        found,
        key=lambda row: (
            row.scores["Recall@10"],
            sum(h.hop for h in row.retrieved.hits if h.fact_id in row.query.gold),
            row.query.query_id,
        ),
    )
    write_trace(env.graph, best.retrieved, Asked(system, run="demo"), find_system(system).config())
    out.print(evidence_tree(last_trace(env.graph, best.query.world)))
    out.print(f"judgment in the data: {best.query.judgment}\n", markup=False)


def _browser(settings: Settings, env: Env, out: Console) -> None:
    address = server.status(settings)
    if address is None or address.browser_url is None:
        return
    statement = browser_statement(last_trace(env.graph)["trace_id"])
    out.print("The same path in Neo4j Browser (user neo4j; password: pace-graph db status --show-password):")
    out.print(f"{address.browser_url}&cmd=edit&arg={quote(statement)}", soft_wrap=True, markup=False)
    out.print("\nor paste this statement:\n", markup=False)
    out.print(statement, markup=False, soft_wrap=True)


def _report(rows: list[Measured], worlds: Sequence[str], systems: Sequence[str]) -> dict[str, Any]:
    def scores(system: str, world: str | None, label: str | None) -> dict[str, float]:
        chosen = _chosen(rows, system, world, label)
        return {
            **averages(chosen),
            "ceiling": sum(row.ceiling for row in chosen) / len(chosen),
            "requests": len(chosen),
        }

    return {
        "worlds": list(worlds),
        "systems": {
            name: {
                "all": scores(name, None, None),
                "conflict": scores(name, None, "conflict"),
                "worlds": {world: scores(name, world, None) for world in worlds},
                "seconds_by_stage": {
                    stage: median(found) for stage, found in stage_seconds(_chosen(rows, name)).items()
                },
            }
            for name in systems
        },
    }

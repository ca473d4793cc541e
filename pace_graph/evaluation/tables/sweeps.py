"""Runs that differ in settings, embedding models or prompts: a table of the points, and curves through them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pace_graph.evaluation import paper as printed
from pace_graph.evaluation.scores import RunScores, SystemScores, of
from pace_graph.evaluation.tables.shape import Column, Table, Value, paper, without_empty
from pace_graph.evaluation.tables.view import View

Settings = Mapping[str, Any]


@dataclass(frozen=True)
class Point:
    """One run of a sweep, for one system.

    Attributes:
        changed: the settings that are not what most runs have, with their values.
        base: all settings that differ between any two runs, with the values of most.
    """

    run: RunScores
    system: SystemScores
    changed: Settings
    base: Settings

    @property
    def told(self) -> str:
        """The point in words."""
        return ", ".join(f"{name} = {value}" for name, value in self.changed.items()) or "as most runs"


def sweep_points(view: View) -> dict[str, list[Point]]:
    """System to its points: only systems that more than one run has, with settings that differ."""
    found: dict[str, list[Point]] = {}
    for name in dict.fromkeys(system.system for system in view.systems):
        both = [(run, system) for run in view.runs for system in run.systems if system.system == name]
        settings = [_settings(run, system) for run, system in both]
        base = _base(settings)
        if len(both) > 1 and base:
            found[name] = [
                Point(run, system, {k: v for k, v in own.items() if k in base and v != base[k]}, base)
                for (run, system), own in zip(both, settings, strict=True)
            ]
    return found


def _settings(run: RunScores, system: SystemScores) -> dict[str, Any]:
    prompts = run.config.get("prompts", {})
    return {**system.config, "embedding": embedding(run), "prompts": " ".join(str(v)[:8] for v in prompts.values())}


def embedding(run: RunScores) -> str:
    """The embedding models of a run's worlds."""
    worlds = run.config.get("worlds", {})
    models = {str(world["embedding_model"]) for world in worlds.values()} if isinstance(worlds, dict) else set()
    return ", ".join(sorted(models))


def _base(settings: Sequence[Settings]) -> dict[str, Any]:
    """Settings that differ, with the value that most have; of equals the first."""
    names = dict.fromkeys(name for each in settings for name in each)
    counted = {name: Counter(repr(each.get(name)) for each in settings) for name in names}
    differing = [name for name, counts in counted.items() if len(counts) > 1]
    return {
        name: next(each.get(name) for each in settings if repr(each.get(name)) == counted[name].most_common(1)[0][0])
        for name in differing
    }


def curves(points: Sequence[Point]) -> dict[str, list[tuple[Any, Point]]]:
    """Setting to (value, point), where points differ from most in it alone; several that move together are one."""
    axes = dict.fromkeys(_axis(point) for point in points if _axis(point))
    found: dict[str, list[tuple[Any, Point]]] = {}
    for axis in axes:
        on = [(_value(point, axis), point) for point in points if _axis(point) in ((), axis)]
        if all(isinstance(value, int | float) and not isinstance(value, bool) for value, _ in on) and len(on) > 1:
            found[" = ".join(axis)] = sorted(on, key=lambda each: each[0])
    return found


def _axis(point: Point) -> tuple[str, ...]:
    # Settings that were changed to one value are one axis (N of the paper is two of ours).
    values = {repr(value) for value in point.changed.values()}
    return tuple(sorted(point.changed)) if len(values) == 1 else ()


def _value(point: Point, axis: Sequence[str]) -> Any:
    return {**point.base, **point.changed}[axis[0]]


def sweep(view: View) -> list[Table]:
    """Every point with its rates: the paper's Tables 14 and 15."""
    rows = [
        (
            *(system, point.run.name, point.told),
            *(view.retrieval(point.system, metric) for metric in view.metrics(point.system)),
            *(view.labelled(point.system), view.labelled(point.system, chosen=of("conflict"))),
            *(view.labelled(point.system, chosen=of("non_conflict")), printed.NONE),
        )
        for system, points in sweep_points(view).items()
        for point in points
    ]
    columns = [
        *(Column("system"), Column("run"), Column("settings")),
        *(Column(metric.name, "percent") for metric in view.metrics(view.systems[0])),
        *(Column("Pass", "percent"), Column("Pass, conflict", "percent"), Column("Pass, non-conflict", "percent")),
        paper("paper (Tables 14, 15)"),
    ]
    return [Table("sweep", "Runs with different settings", *without_empty(columns, rows))] if rows else []


def embeddings(view: View) -> list[Table]:
    """Runs with different embedding models: the paper's Tables 16 and 17."""
    if len({embedding(run) for run in view.runs}) < 2:
        return []
    rows: list[tuple[Value, ...]] = [
        (
            *(embedding(run), view.name(system)),
            *(view.retrieval(system, metric) for metric in view.metrics(system)),
            *(view.labelled(system), printed.NONE),
        )
        for run in view.runs
        for system in run.systems
    ]
    columns = [
        *(Column("embedding model"), Column("system")),
        *(Column(metric.name, "percent") for metric in view.metrics(view.systems[0])),
        *(Column("Pass", "percent"), paper("paper (Tables 16, 17)")),
    ]
    note = (
        "The paper finds Qwen3-Embedding-8B, BGE-M3 and NV-Embed-v2 very alike; its figures are not in our source (—)."
    )
    return [Table("embeddings", "Embedding models", *without_empty(columns, rows), (note,))]

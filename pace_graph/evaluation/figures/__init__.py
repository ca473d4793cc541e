"""Pictures of a report, each beside the table that it draws."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import Any

from pace_graph.evaluation.figures.curves import Curve, curves
from pace_graph.evaluation.figures.dots import Series, dots, panels
from pace_graph.evaluation.figures.stacks import Parts, legend_above, stacks
from pace_graph.evaluation.figures.style import Picture, height, percent_axis
from pace_graph.evaluation.losses import CEILINGS, LOSSES
from pace_graph.evaluation.opinions import STATUSES
from pace_graph.evaluation.scores import COVERAGES, SITUATIONS, Scored, SystemScores, of
from pace_graph.evaluation.stats import Rate
from pace_graph.evaluation.tables.costs import stages_of
from pace_graph.evaluation.tables.loss import ceiling, given_share, lost_share, with_gold
from pace_graph.evaluation.tables.quality import SAID
from pace_graph.evaluation.tables.sweeps import curves as sweep_curves
from pace_graph.evaluation.tables.sweeps import sweep_points
from pace_graph.evaluation.tables.view import View


def pictures(view: View) -> tuple[Picture, ...]:
    """Every picture that the runs have something for."""
    ranked = [system for system in view.systems if system.ranks and with_gold(system)]
    judged = [system for system in view.systems if system.judged]
    found = [_by_type(view, ranked, "recall-by-type", f"Recall@{view.deepest}", view.recall)] if ranked else []
    if judged:
        found += [_by_type(view, judged, "pass-by-type", "Pass", view.labelled)]
        found += [_pass_by_coverage(view, [system for system in judged if system.ranks])]
    if ranked:
        found += [_coverage(view, ranked), _losses(view, ranked), _ceilings(view, ranked)]
    timed = [system for system in view.systems if stages_of(system)]
    return (*found, *_sweeps(view), *([_latency(view, timed)] if timed else []))


def _by_type(
    view: View, systems: list[SystemScores], table: str, measure: str, score: Callable[..., Rate | None]
) -> Picture:
    names = [view.name(system) for system in systems]

    def draw(figure: Any) -> None:
        by_panel: dict[str, Series] = {
            situation: {
                SAID[status]: [score(system, chosen=of(status, situation)) for system in systems] for status in STATUSES
            }
            for situation in SITUATIONS
        }
        panels(figure, names, by_panel, measure)

    title = f"{measure} by situation type and status, with 95 % intervals"
    return Picture(table, title, table, draw, (10, height(len(systems), 0.4)))


def _pass_by_coverage(view: View, systems: list[SystemScores]) -> Picture:
    def draw(figure: Any) -> None:
        axes = figure.subplots()
        series = {
            f"{bucket} of the gold found": [view.labelled(system, chosen=_covered(bucket)) for system in systems]
            for bucket in COVERAGES
        }
        dots(axes, [view.name(system) for system in systems], series)
        axes.set_xlabel("Pass, conflict requests")
        legend_above(figure, axes)

    title = "Pass on conflict requests by how much of the gold is among the first ten facts, with 95 % intervals"
    return Picture("pass-by-coverage", title, "coverage", draw, (9, height(len(systems), 0.42)))


def _covered(bucket: str) -> Callable[[Scored], bool]:
    return lambda row: row.asked.label == "conflict" and row.coverage == bucket


def _coverage(view: View, systems: list[SystemScores]) -> Picture:
    def draw(figure: Any) -> None:
        axes = figure.subplots()
        parts: Parts = {bucket: [_share(system, bucket) for system in systems] for bucket in reversed(COVERAGES)}
        stacks(axes, [view.name(system) for system in systems], parts)
        percent_axis(axes)
        axes.set_xlabel("conflict requests")
        legend_above(figure, axes)

    title = "Conflict requests by how much of the gold is among the first ten facts"
    return Picture("coverage", title, "coverage", draw, (9, height(len(systems))))


def _share(system: SystemScores, bucket: str) -> float:
    conflicts = [row for row in system.found if row.asked.label == "conflict"]
    return sum(row.coverage == bucket for row in conflicts) / len(conflicts) if conflicts else 0.0


def _losses(view: View, systems: list[SystemScores]) -> Picture:
    def draw(figure: Any) -> None:
        axes = figure.subplots()
        parts = {"given to the answer": [_plain(given_share(view, system)) for system in systems]}
        for stage, text in LOSSES.items():
            parts[text] = [_plain(lost_share(view, system, stage)) for system in systems]
        stacks(axes, [view.name(system) for system in systems], parts)
        percent_axis(axes)
        axes.set_xlabel("gold facts")
        legend_above(figure, axes, 2)

    return Picture("losses", "Where gold was lost", "losses", draw, (9, height(len(systems)) + 0.5))


def _plain(rate: Rate | None) -> float:
    return (rate.value if rate else None) or 0.0


def _ceilings(view: View, systems: list[SystemScores]) -> Picture:
    # Of a system without filters all stages are nearly the same: its line would only be in the way.
    chains = [system for system in systems if ceiling(view, system, "pre-hop")] or systems

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        stages = list(CEILINGS)
        by_name: dict[str, Curve] = {
            view.name(system): [(at, ceiling(view, system, stage)) for at, stage in enumerate(stages)]
            for system in chains
        }
        curves(axes, by_name, bands=len(chains) <= 2)
        axes.set_xticks(range(len(stages)), CEILINGS.values())
        axes.set_ylabel("gold facts still there")
        legend_above(figure, axes, 2)

    return Picture("ceilings", "Oracle ceiling after each stage", "ceilings", draw, (9, 4.2))


def _latency(view: View, systems: list[SystemScores]) -> Picture:
    def draw(figure: Any) -> None:
        axes = figure.subplots()
        found = [{stage: median(c.seconds for c in costs) for stage, costs in stages_of(s).items()} for s in systems]
        # In the order of the longest chain: the stages of the others lie on it.
        stages = dict.fromkeys(stage for each in sorted(found, key=len, reverse=True) for stage in each)
        parts = {stage: [each.get(stage, 0.0) for each in found] for stage in stages}
        stacks(axes, [view.name(system) for system in systems], parts)
        for row, each in enumerate(found):
            axes.annotate(f"  {sum(each.values()):.3g} s", (sum(each.values()), row), va="center", fontsize=9)
        axes.margins(x=0.1)
        axes.set_xlabel("median seconds a request")
        legend_above(figure, axes, 5)

    return Picture("latency", "Time by stage", "latency", draw, (9, height(len(systems))))


def _sweeps(view: View) -> list[Picture]:
    found: list[Picture] = []
    for system, points in sweep_points(view).items():
        for axis, on in sweep_curves(points).items():
            by_name: dict[str, Curve] = {
                f"Recall@{view.deepest}": [(x, view.recall(point.system)) for x, point in on],
                "Pass": [(x, view.labelled(point.system)) for x, point in on],
                "Pass, conflict": [(x, view.labelled(point.system, chosen=of("conflict"))) for x, point in on],
            }
            found.append(sweep_picture(f"sweep-{len(found)}", f"{system} over {axis}", axis, by_name))
    return found


def sweep_picture(name: str, title: str, setting: str, by_name: dict[str, Curve]) -> Picture:
    """Curves of rates over a setting."""

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        curves(axes, by_name)
        axes.set_xticks(sorted({x for curve in by_name.values() for x, _ in curve}))
        axes.set_xlabel(setting)
        legend_above(figure, axes)

    return Picture(name, title, "sweep", draw, (7, 3.6))


__all__ = ["Picture", "pictures", "sweep_picture"]

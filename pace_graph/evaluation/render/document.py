"""What every format is given, and how a value reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pace_graph.evaluation.figures.style import Picture
from pace_graph.evaluation.stats import Rate
from pace_graph.evaluation.tables.shape import Column, Table, Unit, Value

NOT_FINAL = "Not final: figures below may still change."
NUMERIC: frozenset[Unit] = frozenset({"percent", "points", "count", "number", "seconds", "ms", "usd", "p"})


@dataclass(frozen=True)
class Document:
    """A report.

    Attributes:
        not_final: one sentence a system with errors or with requests left; empty when the report is final.
        choices: how the figures were made, in sentences.
        pictures: drawn when asked for; formats without pictures never draw.
    """

    title: str
    not_final: tuple[str, ...]
    choices: tuple[str, ...]
    tables: tuple[Table, ...]
    pictures: Sequence[Picture] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """A value as people read it: the figure, and its interval where it has one."""

    text: str
    interval: str = ""


def shown(value: Value, column: Column) -> Shown:
    """A value as people read it."""
    if isinstance(value, Rate):
        if value.value is None:
            return Shown("–")
        inside = "" if value.low is None or value.high is None else _interval(value.low, value.high, column.unit)
        return Shown(number(value.value, column.unit), inside)
    if value is None:
        return Shown("–" if column.unit in NUMERIC else "")
    return Shown(value if isinstance(value, str) else number(value, column.unit))


def _interval(low: float, high: float, unit: Unit) -> str:
    return f"[{number(low, unit)}, {number(high, unit)}]"


def number(value: float, unit: Unit) -> str:
    """A number in its unit, rounded for reading."""
    if unit == "p":
        return "< 0.001" if value < 0.001 else f"{value:.3f}"
    told = {
        "percent": f"{100 * value:.1f}",
        "points": f"{100 * value:+.1f}",
        "count": f"{value:,.0f}",
        "number": f"{value:.2f}",
        "seconds": f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}",
        "ms": f"{1000 * value:.1f}",
        "usd": f"{value:.4f}" if abs(value) < 10 else f"{value:,.2f}",
    }
    return told.get(unit, str(value))


def heading(column: Column) -> str:
    """A column's name with its unit."""
    units = {"percent": "%", "points": "points", "ms": "ms", "seconds": "s"}
    unit = units.get(column.unit)
    return f"{column.name} ({unit})" if unit else column.name

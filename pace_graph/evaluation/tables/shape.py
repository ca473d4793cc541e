"""What a table is: values with their units, so that every format is no more than a way to write them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from pace_graph.evaluation.stats import Rate

Unit = Literal["text", "long", "percent", "points", "count", "number", "seconds", "ms", "usd", "p"]
"""`percent` and `points` are kept as shares in [0, 1] or [-1, 1]; `long` is running text."""

Value = str | int | float | Rate | None


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        paper: whether it holds figures that the paper prints, not ours.
    """

    name: str
    unit: Unit = "text"
    paper: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table as values.

    Attributes:
        name: short and stable, for files and links.
        notes: sentences below it.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    notes: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        """Every row has a value for every column."""
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"table {self.name}: a row of {len(row)} values below {len(self.columns)} columns")


def paper(name: str) -> Column:
    """A column of the paper's own figures."""
    return Column(name, "text", paper=True)


def without_empty(
    columns: Sequence[Column], rows: Sequence[Sequence[Value]]
) -> tuple[tuple[Column, ...], tuple[tuple[Value, ...], ...]]:
    """The columns, and the rows, without columns that hold nothing at all."""
    kept = [i for i in range(len(columns)) if any(not _is_empty(row[i]) for row in rows)]
    return tuple(columns[i] for i in kept), tuple(tuple(row[i] for i in kept) for row in rows)


def _is_empty(value: Value) -> bool:
    return value is None or (isinstance(value, Rate) and value.value is None)

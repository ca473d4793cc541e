"""A report as one CSV file in long form: a line a value, unrounded, shares in [0, 1]."""

from __future__ import annotations

import csv as lines
from collections.abc import Iterator
from io import StringIO

from pace_graph.evaluation.render.document import NUMERIC, Document
from pace_graph.evaluation.stats import Rate
from pace_graph.evaluation.tables.shape import Column, Table, Value

HEAD = ("final", "table", "row", "of", "column", "unit", "paper", "value", "low", "high", "n")
"""`row` counts from 1; `of` holds the row's texts, such as system and status."""

Line = tuple[str | float | int, ...]


def write(document: Document) -> str:
    """The report. When it is not final, the first lines say why, and every line says so in its first field."""
    out = StringIO()
    writer = lines.writer(out, lineterminator="\n")
    writer.writerow(HEAD)
    final = "no" if document.not_final else "yes"
    for number, told in enumerate(document.not_final, start=1):
        writer.writerow((final, "not-final", number, "", "why", "text", "", _text(told), "", "", ""))
    for table in document.tables:
        writer.writerows((final, table.name, *line) for line in _lines(table))
    return out.getvalue()


def _lines(table: Table) -> Iterator[Line]:
    for number, row in enumerate(table.rows, start=1):
        pairs = list(zip(row, table.columns, strict=True))
        told = "; ".join(str(value) for value, column in pairs if column.unit == "text" and not column.paper and value)
        for value, column in pairs:
            if column.unit in NUMERIC or column.unit == "long" or column.paper:
                yield (number, _text(told), *_value(value, column))


def _value(value: Value, column: Column) -> Line:
    whose = (_text(column.name), column.unit, "paper" if column.paper else "")
    if isinstance(value, Rate):
        return *whose, *(_number(each) for each in (value.value, value.low, value.high)), value.n
    return *whose, _text(value) if isinstance(value, str) else _number(value), "", "", ""


def _number(value: float | None) -> str | float | int:
    return "" if value is None else value


def _text(text: str) -> str:
    # A spreadsheet would take it for a formula.
    return f"'{text}" if text[:1] in {"=", "+", "-", "@", "\t", "\r"} else text

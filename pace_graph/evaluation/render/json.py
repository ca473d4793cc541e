"""A report as JSON: values unrounded, shares in [0, 1]."""

from __future__ import annotations

from json import dumps
from typing import Any

from pace_graph.evaluation.render.document import Document
from pace_graph.evaluation.stats import Rate
from pace_graph.evaluation.tables.shape import Table, Value


def write(document: Document) -> str:
    """The report; `final` comes first."""
    return dumps(as_json(document), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def as_json(document: Document) -> dict[str, Any]:
    """The report as one object."""
    return {
        "final": not document.not_final,
        "not_final": list(document.not_final),
        "title": document.title,
        "choices": list(document.choices),
        "tables": [_table(table) for table in document.tables],
    }


def _table(table: Table) -> dict[str, Any]:
    return {
        "name": table.name,
        "title": table.title,
        "columns": [{"name": c.name, "unit": c.unit, "paper": c.paper} for c in table.columns],
        "rows": [
            {column.name: _value(value) for value, column in zip(row, table.columns, strict=True)} for row in table.rows
        ],
        "notes": list(table.notes),
    }


def _value(value: Value) -> Any:
    if isinstance(value, Rate):
        return {"value": value.value, "low": value.low, "high": value.high, "n": value.n}
    return value

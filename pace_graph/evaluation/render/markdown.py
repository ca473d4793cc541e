"""A report as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pace_graph.evaluation.render.document import NOT_FINAL, NUMERIC, Document, heading, shown
from pace_graph.evaluation.tables.shape import Column, Table, Value

_SIGNS = re.compile(r"([\\`*_\[\]|#~])")


def write(document: Document) -> str:
    """The report: a heading and a table each."""
    return "\n".join(_lines(document)) + "\n"


def _lines(document: Document) -> Iterator[str]:
    yield from (f"# {escaped(document.title)}", "")
    if document.not_final:
        yield from (f"> **{NOT_FINAL}**", ">")
        yield from (f"> - {escaped(line)}" for line in document.not_final)
        yield ""
    yield from (f"- {escaped(line)}" for line in document.choices)
    for table in document.tables:
        yield from _table(table)


def _table(table: Table) -> Iterator[str]:
    yield from ("", f"## {escaped(table.title)}", "")
    yield _row([escaped(heading(column)) for column in table.columns])
    yield _row(["---:" if column.unit in NUMERIC else "---" for column in table.columns])
    for row in table.rows:
        yield _row([_cell(value, column) for value, column in zip(row, table.columns, strict=True)])
    yield ""
    yield from (f"- {escaped(note)}" for note in table.notes)


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(value: Value, column: Column) -> str:
    told = shown(value, column)
    return escaped(f"{told.text} {told.interval}".strip())


def escaped(text: str) -> str:
    """A text on one line in which nothing is Markdown or HTML."""
    line = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SIGNS.sub(r"\\\1", line)

"""A report as LaTeX tables in the booktabs manner, to be put into a paper with `input`."""

from __future__ import annotations

from collections.abc import Iterator

from pace_graph.evaluation.render.document import NOT_FINAL, NUMERIC, Document, heading, shown
from pace_graph.evaluation.tables.shape import Column, Table, Value

_SIGNS = {
    "\\": r"\textbackslash{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "—": "---",
    "–": "--",
    "−": r"\ensuremath{-}",
}
_HEAD = (
    r"% \usepackage[T1]{fontenc} \usepackage{booktabs,graphicx}; for Chinese text: xelatex with \usepackage{xeCJK}",
)


def write(document: Document) -> str:
    """The report: a table environment each."""
    return "\n".join(_lines(document)) + "\n"


def _lines(document: Document) -> Iterator[str]:
    yield f"% {_line(document.title)}"
    yield from _HEAD
    if document.not_final:
        yield from (f"% {line}" for line in ("NOT FINAL", *map(_line, document.not_final)))
        yield r"\noindent\textbf{" + escaped(NOT_FINAL) + r"}"
        yield r"\begin{itemize}"
        yield from (rf"\item {escaped(line)}" for line in document.not_final)
        yield r"\end{itemize}"
    yield from (f"% {_line(line)}" for line in document.choices)
    for table in document.tables:
        yield from _table(table)


def _table(table: Table) -> Iterator[str]:
    yield from ("", r"\begin{table}[htbp]", r"\centering\small", rf"\caption{{{escaped(table.title)}}}")
    yield rf"\label{{tab:{table.name}}}"
    # No wider than the page, and never larger than it is.
    yield r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
    yield rf"\begin{{tabular}}{{{''.join(_shape(column) for column in table.columns)}}}"
    yield from (r"\toprule", _row([escaped(heading(column)) for column in table.columns]), r"\midrule")
    for row in table.rows:
        yield _row([_cell(value, column) for value, column in zip(row, table.columns, strict=True)])
    yield from (r"\bottomrule", r"\end{tabular}}")
    yield from (rf"\par\smallskip\footnotesize {escaped(note)}" for note in table.notes)
    yield r"\end{table}"


def _shape(column: Column) -> str:
    return "r" if column.unit in NUMERIC else "p{0.6\\linewidth}" if column.unit == "long" else "l"


def _row(cells: list[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def _cell(value: Value, column: Column) -> str:
    told = shown(value, column)
    # In braces: a bracket at the start of a row would be read as an argument of the line break before it.
    inside = rf" {{\scriptsize {{{escaped(told.interval)}}}}}" if told.interval else ""
    return f"{{{escaped(told.text)}}}{inside}"


def _line(text: str) -> str:
    return " ".join(text.split())


def escaped(text: str) -> str:
    """A text in which nothing is LaTeX."""
    return "".join(_SIGNS.get(sign, sign) for sign in _line(text))

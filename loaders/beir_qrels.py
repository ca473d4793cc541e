"""The relevance judgments of a BEIR data set: tab-separated query id, document id and relevance."""

from __future__ import annotations

import csv
import io
from collections.abc import Container, Iterator
from pathlib import Path

from loaders.problems import Problems, plural, shown
from loaders.reading import read_text
from pace_graph.errors import DataError


def read_relevant(
    path: Path, queries: Container[str], facts: Container[str], problems: Problems
) -> dict[str, list[str]]:
    """The relevant documents of each query, in the order of the file; faults go to `problems`.

    One that is no document stays with `skip_invalid`, for whoever sets it aside.

    Raises:
        DataError: when the file as a whole cannot be read.
    """
    found: dict[str, list[str]] = {}
    for number, row in _rows(path):
        why = _why_not(row, queries)
        if why is not None:
            problems.skip(path, f"line {number}: {why}")
        elif int(row[2]) > 0:
            if row[1] in facts or problems.skip_invalid:
                found.setdefault(row[0], []).append(row[1])
            else:
                hint = "--skip-invalid sets it aside"
                problems.refuse(path, f"line {number}: there is no document {shown(row[1])} in the corpus ({hint})")
    return found


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Every row that is not empty, without a header, with the line it starts on."""
    reader = csv.reader(io.StringIO(read_text(path), newline=""), delimiter="\t", strict=True)
    before = 0
    try:
        for row in reader:
            # BEIR takes the first line for a header, whatever it holds; here a judgment is not lost to that.
            if row and not (before == 0 and not any(sign.isdigit() for sign in row[-1])):
                yield before + 1, row
            before = reader.line_num
    except csv.Error as error:
        raise DataError(path, f"not tab-separated in the row that starts on line {before + 1}: {error}") from error


def _why_not(row: list[str], queries: Container[str]) -> str | None:
    if len(row) != 3:
        return f"has {plural(len(row), 'column', 'columns')}; expected query-id, corpus-id and score, with tabs between"
    if not _is_whole(row[2]):
        return f"the score is {shown(row[2])}, not a whole number"
    return None if row[0] in queries else f"there is no query {shown(row[0])} in queries.jsonl"


def _is_whole(text: str) -> bool:
    return text.strip().removeprefix("-").isdecimal()

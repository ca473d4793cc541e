"""JSON, JSON Lines and CSV files as records."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from loaders.fact_items import ID_KEYS
from loaders.problems import Problems, kind, plural
from loaders.reading import parse_json, read_json, read_text
from loaders.sections import Section, section_of
from pace_graph.errors import ConfigError, DataError

ENDINGS = {".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv"}
COLUMNS = {*ID_KEYS, "text", "date"}
WIDEST_FIELD = 2**31 - 1  # characters; what a C long holds everywhere


def read_rows(path: Path, form: str | None, problems: Problems) -> Section:
    """The records of a file; `form` is json, jsonl or csv, and None is told by its ending.

    Raises:
        ConfigError: when the ending tells nothing.
        DataError: when the file as a whole cannot be read.
    """
    form = form or ENDINGS.get(path.suffix.lower())
    if form is None:
        raise ConfigError(f"{path}: the ending {path.suffix or '(none)'} tells no format; say --as json, jsonl or csv")
    readers = {"json": _json, "jsonl": _jsonl, "csv": _csv}
    return readers[form](path, problems)


def _json(path: Path, _: Problems) -> Section:
    value = read_json(path)
    if isinstance(value, dict) and isinstance(value.get("facts"), list):
        value = value["facts"]
    if not isinstance(value, list):
        hint = "; load it with: load pace" if isinstance(value, dict) and "corpus" in value else ""
        raise DataError(path, f'holds {kind(value)}; expected a list of facts, or {{"facts": [...]}}{hint}')
    return section_of(path, value)


def _jsonl(path: Path, problems: Problems) -> Section:
    found: list[tuple[int, object]] = []
    # Split by hand: splitlines also breaks at U+2028 and its like, which JSON strings may hold as they are.
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line or line.isspace():
            continue
        try:
            found.append((number, parse_json(line, first_line=number)))
        except ValueError as error:
            problems.skip(path, f"line {number}: {error}")
    return Section(path, "line", found)


def _csv(path: Path, problems: Problems) -> Section:
    rows = _csv_rows(path, problems)
    if not rows:
        return Section(path, "line", [])
    header = _header(path, *rows[0])
    found: list[tuple[int, object]] = []
    for number, row in rows[1:]:
        if len(row) > len(header):
            count = plural(len(row), "column", "columns")
            hint = "; put a text that holds a comma in double quotes"
            problems.skip(path, f"line {number}: has {count}, the header has {len(header)}{hint}")
        else:
            found.append((number, {name: value for name, value in zip(header, row, strict=False) if name}))
    return Section(path, "line", found)


def _csv_rows(path: Path, problems: Problems) -> list[tuple[int, list[str]]]:
    """Every row that is not empty, with the line it starts on."""
    # Line ends are left alone, since a quoted text may hold them; strict, since a lost quote would swallow
    # the rest of the file.
    reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    found, before = [], 0
    limit = csv.field_size_limit(WIDEST_FIELD)
    try:
        for row in reader:
            if row:
                found.append((before + 1, row))
            before = reader.line_num
    except csv.Error as error:
        problems.refuse(path, f"not CSV in the row that starts on line {before + 1}: {error}")
    finally:
        csv.field_size_limit(limit)
    return found


def _header(path: Path, number: int, row: list[str]) -> list[str]:
    names = [name.strip().lower() for name in row]
    known = [name if name in COLUMNS else "" for name in names]
    twice = sorted({name for name in known if name and known.count(name) > 1})
    if twice:
        raise DataError(path, f"line {number}: the header has the column {twice[0]} twice")
    if "text" not in known or not set(known) & set(ID_KEYS):
        seen = ascii(", ".join(names)[:200])
        expected = "the header must be id,text or id,text,date, with commas between"
        raise DataError(path, f"line {number}: {expected}; it is {seen}")
    return known

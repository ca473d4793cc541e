"""The released data set as the hub has it: three parquet tables, whose every row has `case_id`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from loaders.fact_items import ID_KEYS
from loaders.pace_parquet import Part
from loaders.pace_profile import ALTERS
from loaders.pace_queries import SITUATION_KEYS
from loaders.pace_source import TIMELINE, Raw
from loaders.problems import Problems
from loaders.reading import parse_json
from loaders.sections import Section
from pace_graph.errors import DataError

TABLES = {"corpus": "corpus", "queries": "queries", "profiles": "profiles", "profile": "profiles"}
FACT_COLUMNS = {*ID_KEYS, "text", "date", *TIMELINE}
QUERY_COLUMNS = {"query_id", "query", "text", "label", "judgment", "gold_doc_ids", *SITUATION_KEYS, *TIMELINE}
COLUMNS: dict[str, set[str] | None] = {"corpus": FACT_COLUMNS, "queries": QUERY_COLUMNS, "profiles": None}
WHOLE = ("profile", "profile_json", "persona_json", "json")
JSON_COLUMNS = {*WHOLE, *ALTERS, "spec"}


@dataclass(frozen=True)
class Hub:
    """The three tables of a folder."""

    root: Path
    files: Mapping[str, tuple[Path, ...]] = field(default_factory=dict)

    @cached_property
    def parts(self) -> dict[str, tuple[Part, ...]]:
        """The files of each table, read once for all cases."""
        return {name: tuple(Part(path, COLUMNS[name]) for path in paths) for name, paths in self.files.items()}

    def sections(self, table: str, case: str) -> tuple[Section, ...]:
        """The rows of a case in one table, by file."""
        found = (part.section(case) for part in self.parts.get(table, ()) if case in part.cases)
        return tuple(found)


@dataclass(frozen=True)
class HubSource:
    """One case of the tables."""

    world: str
    hub: Hub

    @property
    def root(self) -> Path:
        """The folder of the tables."""
        return self.hub.root

    def load(self, problems: Problems) -> Raw:
        """The parts of the world, as parsed."""
        corpus = self.hub.sections("corpus", self.world)
        if not corpus:
            problems.refuse(self.root, f"case {self.world!r} has no rows in the table corpus")
        queries = tuple(_with_lists(one) for one in self.hub.sections("queries", self.world))
        return Raw(
            corpus=corpus or None,
            queries=queries or None,
            profile=self._profile(problems),
            row_timelines=True,
        )

    def _profile(self, problems: Problems) -> tuple[Path, object] | None:
        rows = [(one.path, *item) for one in self.hub.sections("profiles", self.world) for item in one.items]
        if len(rows) > 1:
            problems.refuse(rows[1][0], f"row {rows[1][1]}: a second profile of case {self.world!r}")
        if not rows:
            return None
        path, number, row = rows[0]
        try:
            return path, _profile_of(row)
        except ValueError as error:
            problems.refuse(path, f"row {number}: {error}")
            return None


def _with_lists(section: Section) -> Section:
    """Gold ids as lists, where a table keeps them as JSON."""
    return Section(section.path, section.unit, [(number, _with_list(item)) for number, item in section.items])


def _with_list(item: object) -> object:
    if not isinstance(item, Mapping) or not isinstance(gold := item.get("gold_doc_ids"), str):
        return item
    try:
        return {**item, "gold_doc_ids": parse_json(gold)}
    except ValueError:
        return item  # the reader of requests says what is wrong with a string there


def _profile_of(row: object) -> object:
    """The profile in a row, whose columns may be values or JSON.

    Raises:
        ValueError: when a column that must be JSON looks like it and is none.
    """
    columns = row if isinstance(row, Mapping) else {}
    parsed = {name: _parsed(name, value) for name, value in columns.items() if name != "case_id"}
    whole = next((parsed[name] for name in WHOLE if isinstance(parsed.get(name), dict)), None)
    return parsed if whole is None else whole


def _parsed(name: str, value: object) -> object:
    if not isinstance(value, str) or not re.match(r"\s*[{\[]", value):
        return value
    try:
        return parse_json(value)
    except ValueError as error:
        if name not in JSON_COLUMNS:
            return value  # plain text may start with a bracket too
        raise ValueError(f"column {name}: {error}") from error


def hub_sources(path: Path) -> list[HubSource]:
    """The cases of the parquet tables under a folder; none when there is no table corpus."""
    found: dict[str, list[Path]] = {}
    for file in sorted(path.rglob("*.parquet")):
        table = _table_of(file.relative_to(path))
        if table is not None and file.is_file():
            found.setdefault(table, []).append(file)
    if "corpus" not in found:
        return []
    hub = Hub(path, {table: tuple(files) for table, files in found.items()})
    cases = dict.fromkeys(
        case for table in ("corpus", "queries") for part in hub.parts.get(table, ()) for case in part.cases
    )
    if not cases:
        raise DataError(found["corpus"][0], "the table has no rows")
    return [HubSource(case, hub) for case in cases]


def _table_of(file: Path) -> str | None:
    """The table of a file, by its own name or the nearest folder's: `corpus/test-00000-of-00001.parquet`."""
    if any(part.startswith(".") for part in file.parts):
        return None
    for part in (file.stem, *reversed(file.parts[:-1])):
        named = [TABLES[word] for word in re.findall("[a-z]+", part.lower()) if word in TABLES]
        if named:
            return named[0]
    return None

"""The requests of a released world, with label, situation type and gold facts."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from datetime import date
from typing import Any, get_args

from loaders.checks import first_of, read_day, why_no_id, why_no_text, why_not_stored
from loaders.problems import Problems, kind, plural, shown
from loaders.sections import Section
from pace_graph.records import Label, Query, Situation

SITUATIONS: dict[str, Situation] = {name: name for name in get_args(Situation)}
SITUATION_KEYS = ("situation_type", "situation", "type")
LABELS: dict[str, Label] = {
    "conflict": "conflict",
    "non_conflict": "non_conflict",
    "no_conflict": "non_conflict",
}


class QueryReader:
    """Reads the requests of one world; faults go to `problems`.

    Attributes:
        queries: what could be read, in order.
    """

    def __init__(self, world: str, facts: Container[str] | None, ref_date: date | None, problems: Problems) -> None:
        """Takes gold facts to be known when they are in `facts`, or when that is None."""
        self.queries: list[Query] = []
        self._world = world
        self._facts = facts
        self._ref_date = ref_date
        self._problems = problems
        self._seen: dict[str, str] = {}
        self._position = 0

    def read(self, sections: Iterable[Section]) -> None:
        """Adds the requests of some sections."""
        for section in sections:
            for number, item in section.items:
                self._add(section, f"{section.unit} {number}", item)
                self._position += 1

    def _add(self, section: Section, place: str, item: object) -> None:
        if not isinstance(item, Mapping):
            self._problems.skip(section.path, f"{place}: is {kind(item)}, not an object with a query")
            return
        given = item.get("query_id")
        if given is None:
            given = f"q{self._position:03d}"
        reasons: list[str] = []
        query = self._read(item, given, reasons)
        if reasons:
            name = place if why_no_id(given) else f"query {shown(given)} ({place})"
            self._problems.skip(section.path, f"{name}: {'; '.join(reasons)}")
        else:
            self.queries.append(query)
        if not (reasons and self._problems.skip_invalid):
            self._seen.setdefault(query.query_id, place)

    def _read(self, item: Mapping[str, Any], given: object, reasons: list[str]) -> Query:
        text = first_of(item, ("query", "text"))
        judgment = item.get("judgment")
        gold, missing = self._gold(item.get("gold_doc_ids"), reasons)
        reasons += filter(None, [self._why_no_id(given), why_no_text(text, "query"), _why_no_judgment(judgment)])
        return Query(
            text=str(text),
            world=self._world,
            query_id="" if why_no_id(given) else str(given),
            ref_date=self._day(item.get("ref_date"), reasons),
            label=_label(item.get("label"), reasons),
            situation=_situation(item, reasons),
            judgment=judgment or "",
            gold=gold,
            gold_missing=missing,
        )

    def _why_no_id(self, given: object) -> str | None:
        why = why_no_id(given, "query_id")
        if why is None and str(given) in self._seen:
            return f"the query_id is already used by {self._seen[str(given)]}; every query needs its own"
        return why

    def _day(self, value: object, reasons: list[str]) -> date | None:
        try:
            return self._ref_date if value is None else read_day(value)
        except ValueError as error:
            reasons.append(f"ref_date {error}")
            return None

    def _gold(self, value: object, reasons: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The gold ids that are facts of the world, and those that are not; one named twice counts once."""
        if value is None:
            return (), ()
        if not isinstance(value, list):
            reasons.append(f"gold_doc_ids is {kind(value)}, not a list of ids")
            return (), ()
        faults = [why for why in (why_no_id(one, "gold id") for one in value) if why]
        reasons += faults[:1]
        ids = () if faults else tuple(dict.fromkeys(str(one) for one in value))
        missing = tuple(one for one in ids if self._facts is not None and one not in self._facts)
        if missing and not self._problems.skip_invalid:
            names = ", ".join(shown(one) for one in missing)
            reasons.append(
                f"gold_doc_ids names what is no fact of the corpus: {names} (--skip-invalid sets them aside)"
            )
        return tuple(one for one in ids if one not in missing), missing


def _why_no_judgment(value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        return f"the judgment is {kind(value)}, not a string"
    return why_not_stored(value or "", "the judgment")


def _label(value: object, reasons: list[str]) -> Label | None:
    if value is None:
        return None
    spelt = re.sub(r"[\s_-]+", "_", value.strip().casefold()) if isinstance(value, str) else ""
    if spelt not in LABELS:
        reasons.append(f"the label is {shown(value)}, not conflict or non_conflict")
    return LABELS.get(spelt)


def _situation(item: Mapping[str, Any], reasons: list[str]) -> Situation | None:
    value = first_of(item, SITUATION_KEYS[:2])
    if value is None:
        # So common a word may mean anything: under `type` only what is a situation type counts.
        return SITUATIONS.get(str(item.get("type")).strip().casefold())
    spelt = value.strip().casefold() if isinstance(value, str) else ""
    if spelt not in SITUATIONS:
        reasons.append(f"the situation type is {shown(value)}, not {', '.join(SITUATIONS)}")
    return SITUATIONS.get(spelt)


def query_notes(queries: Iterable[Query]) -> list[str]:
    """What a user should know of the requests of a world."""
    missing = [query for query in queries if query.gold_missing]
    if not missing:
        return []
    facts = sum(len(query.gold_missing) for query in missing)
    gold = plural(facts, "gold id is", "gold ids are")
    return [f"{gold} no fact of the corpus and set aside, in {plural(len(missing), 'query', 'queries')}."]

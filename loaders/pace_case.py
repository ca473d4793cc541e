"""One released world, checked: from its parts to a case."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from loaders.fact_items import FactReader
from loaders.pace_profile import profile_text, read_people
from loaders.pace_queries import QueryReader, query_notes
from loaders.pace_source import Source
from loaders.pace_timeline import TimelineReader, timeline_notes
from loaders.problems import Problems, plural
from pace_graph.dates import read_given
from pace_graph.records import Case, Person


class _LenientDates:
    """Dates of facts; the release names none so, and what is no date is metadata of another kind."""

    def __init__(self) -> None:
        self.unread = 0

    def read(self, value: object) -> str | None:
        if value is None:
            return None
        try:
            return read_given(value.isoformat() if isinstance(value, date) else str(value)).text
        except ValueError:
            self.unread += 1
            return None


def build_case(source: Source, *, skip_invalid: bool) -> Case:
    """The world of a source.

    Raises:
        DataError: with everything that is wrong with it.
    """
    problems = Problems(source.root, skip_invalid=skip_invalid)
    raw = source.load(problems)
    timeline = TimelineReader(problems).read(raw)
    dates = _LenientDates()
    facts = FactReader(problems, dates.read)
    facts.read(raw.corpus or ())
    known = None if raw.corpus is None else facts.seen
    queries = QueryReader(source.world, known, timeline.ref_date, problems)
    queries.read(raw.queries or ())
    people, text, notes = _profile(source.world, raw.profile, problems)
    problems.check()
    notes += timeline_notes(timeline) + query_notes(queries.queries)
    notes += _notes(problems, facts, dates, has_queries=raw.queries is not None)
    return Case(
        world=source.world,
        facts=tuple(facts.facts),
        queries=tuple(queries.queries),
        people=people,
        timeline=timeline,
        profile_json=text,
        notes=tuple(notes),
    )


def _profile(
    world: str, found: tuple[Path, object] | None, problems: Problems
) -> tuple[tuple[Person, ...], str, list[str]]:
    if found is None:
        return (), "", ["There is no profile, so the ego and the alters are unknown."]
    path, value = found
    notes: list[str] = []
    try:
        return read_people(value, world, notes), profile_text(value), notes
    except ValueError as error:
        problems.refuse(path, str(error))
    except RecursionError:
        problems.refuse(path, "is nested too deeply")
    return (), "", []


def _notes(problems: Problems, facts: FactReader, dates: _LenientDates, *, has_queries: bool) -> list[str]:
    notes = []
    if problems.skipped:
        notes.append(f"{problems.skipped} skipped, as they cannot be used; without --skip-invalid each is named.")
    if not facts.facts:
        notes.append("The world has no facts.")
    if not has_queries:
        notes.append("There are no queries, so the world can be asked but not measured.")
    if dates.unread:
        notes.append(f"{plural(dates.unread, 'fact has', 'facts have')} a date that is none; it is left out.")
    return notes

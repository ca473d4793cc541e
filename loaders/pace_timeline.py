"""The timeline of a released world, which its files may state in several places."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from loaders.checks import read_day
from loaders.pace_source import TIMELINE, Raw
from loaders.problems import Problems
from loaders.sections import Section
from pace_graph.records import Timeline


class TimelineReader:
    """Gathers the three dates of a world; two places that differ are a fault."""

    def __init__(self, problems: Problems) -> None:
        """Faults go to `problems`."""
        self._problems = problems
        self._raw: dict[str, object] = {}
        self._days: dict[str, date] = {}
        self._where: dict[str, str] = {}
        self._told: set[tuple[Path, str]] = set()

    def read(self, raw: Raw) -> Timeline:
        """The timeline: of the files, else of their facts, else of their requests."""
        for path, said in raw.timelines:
            self._add(path, "", said)
        for section in raw.corpus or () if raw.row_timelines else ():
            self._add_all(section)
        if not self._days:
            self._add_first(raw.queries or ())
        return Timeline(**self._days)

    def _add_all(self, section: Section) -> None:
        for number, item in section.items:
            if isinstance(item, Mapping):
                self._add(section.path, f"{section.unit} {number}: ", item)

    def _add_first(self, sections: tuple[Section, ...]) -> None:
        # Only the first: each request keeps its own day, so that they may differ.
        for section in sections:
            for number, item in section.items:
                if isinstance(item, Mapping) and item.get("ref_date") is not None:
                    self._add(section.path, f"{section.unit} {number}: ", item)
                    return

    def _add(self, path: Path, place: str, said: Mapping[str, Any]) -> None:
        for name in TIMELINE:
            value = said.get(name)
            # Thousands of rows say the same: only what differs is read.
            if value is not None and (name not in self._raw or value != self._raw[name]):
                self._add_one(path, place, name, value)

    def _add_one(self, path: Path, place: str, name: str, value: object) -> None:
        problem = ""
        try:
            day = read_day(value)
        except ValueError as error:
            problem = f"{place}{name} {error}"
        else:
            if self._days.setdefault(name, day) != day:
                problem = f"{place}{name} is {day}, but {self._days[name]} in {self._where[name]}"
            else:
                self._raw.setdefault(name, value)
                self._where.setdefault(name, f"{place}{path}")
        if problem and (path, name) not in self._told:
            self._told.add((path, name))
            self._problems.refuse(path, problem)


def timeline_notes(timeline: Timeline) -> list[str]:
    """What a user should know of a timeline."""
    if timeline.ref_date is None:
        return ['No reference date was found, so words as "tomorrow" have no day.']
    days = [day for day in (timeline.window_start, timeline.ref_date, timeline.window_end) if day is not None]
    if days != sorted(days):
        return [f"The reference date {timeline.ref_date} lies outside the window of the timeline."]
    return []

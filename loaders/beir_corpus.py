"""The documents of a BEIR corpus as records of facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from loaders.sections import Section
from pace_graph.dates import read_given


class DateReader:
    """Reads the dates under `metadata`, which BEIR leaves free, and counts those that cannot be read."""

    def __init__(self) -> None:
        self.unread = 0

    def read(self, value: object) -> str | None:
        """The date as given; None where there is none, or none that can be read."""
        if value is None or value == "":
            return None
        try:
            read_given(str(value), "UTC")
        except ValueError:
            self.unread += 1
            return None
        return str(value)


def documents(section: Section) -> Section:
    """The documents of a section as facts: id, text with its title before it, and date."""
    return Section(section.path, section.unit, [(number, _fact(item)) for number, item in section.items])


def _fact(item: object) -> object:
    if not isinstance(item, Mapping):
        return item
    metadata = item.get("metadata")
    date = metadata.get("date") if isinstance(metadata, Mapping) else None
    return {"id": item.get("_id"), "text": joined(item), "date": date}


def joined(item: Mapping[str, Any]) -> Any:
    """Title and text as BEIR joins them: with a space, and none around; a text without a title stays as it is."""
    title, text = item.get("title"), item.get("text")
    if not isinstance(title, str) or not title or not isinstance(text, str | None):
        return text
    return f"{title} {text or ''}".strip()

"""What a released world looks like before it is checked, whichever layout it came in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from loaders.problems import Problems
from loaders.sections import Section

TIMELINE = ("window_start", "ref_date", "window_end")


@dataclass(frozen=True, slots=True)
class Raw:
    """The parts of one world, as parsed.

    Attributes:
        corpus: None when it could not be read; the reason is among the problems.
        queries: None when there are none to read.
        profile: its file and value; None when there is none.
        timelines: what a file says of the whole world's timeline.
        row_timelines: whether facts carry the timeline, as rows of a table and bare lists do.
    """

    corpus: tuple[Section, ...] | None
    queries: tuple[Section, ...] | None = None
    profile: tuple[Path, object] | None = None
    timelines: tuple[tuple[Path, Mapping[str, Any]], ...] = ()
    row_timelines: bool = False
    notes: tuple[str, ...] = field(default=())


class Source(Protocol):
    """Where one world comes from."""

    @property
    def world(self) -> str:
        """The case id."""

    @property
    def root(self) -> Path:
        """What errors name that concern several files."""

    def load(self, problems: Problems) -> Raw:
        """Its parts; what cannot be read goes to `problems`."""

"""What a time expression means: days, and perhaps a part of the day or a clock time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, time
from typing import Literal

Part = Literal["morning", "noon", "afternoon", "evening", "night"]

# When a part of the day is over; evening and night last until the day ends.
_PART_ENDS: dict[Part, time] = {"morning": time(12), "noon": time(14), "afternoon": time(18)}


@dataclass(frozen=True, slots=True)
class Moment:
    """One time expression of a request, resolved.

    Attributes:
        text: the expression as written; `span` are its offsets in the request, end exclusive.
        start: the first day meant; `end` is the last, inclusive.
        part: the part of the day, if one was said.
        clock: the clock time, if one was said; the beginning, if a range was.
        relative: whether the meaning depends on the day of speaking; false for full calendar dates alone.
    """

    text: str
    span: tuple[int, int]
    start: date
    end: date
    part: Part | None = None
    clock: time | None = None
    relative: bool = True

    def is_past(self, ref_date: date, now: time | None = None) -> bool:
        """Whether all of it lies before the moment of speaking.

        Args:
            ref_date: the day of speaking.
            now: the local time of speaking; without it, nothing on `ref_date` itself counts as past.

        Source:
            PACE, section on relative dates: on a Friday evening, "tonight at 6 PM" may already be past.
        """
        if self.end != ref_date or now is None:
            return self.end < ref_date
        if self.clock is not None:
            return self.clock < now
        return self.part in _PART_ENDS and _PART_ENDS[self.part] <= now

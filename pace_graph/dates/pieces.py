"""The pieces of time expressions, the rules that find them, and calendar arithmetic."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from pace_graph.dates.moment import Part
from pace_graph.dates.words import pattern

Days = tuple[date, date]

_HALF_YEAR_DAYS, _TEN_MONTHS_DAYS = 183, 304


@dataclass(frozen=True, slots=True)
class Said:
    """A clock time as said.

    Attributes:
        hour: 0 to 23, as said.
        minute: 0 to 59.
        sure: whether the hour is of the 24-hour day (am, pm, or above twelve).
        digits: whether it was written like 7:30.
        midnight: whether it is the end of its day.
        alone: whether it is a clock time without a day or a part of the day beside it ("seven" is none).
    """

    hour: int
    minute: int = 0
    sure: bool = False
    digits: bool = False
    midnight: bool = False
    alone: bool = True


@dataclass(frozen=True, slots=True)
class Shift:
    """A distance from the day that follows it: "a week from", "two days before"."""

    days: int = 0
    months: int = 0


@dataclass(frozen=True, slots=True)
class Piece:
    """One found piece; `start` and `end` are offsets, end exclusive. What it does not say is None.

    Attributes:
        days: first and last day.
        weekday: 0 to 6, if it is a weekday; a `bare` one, without "next" or "this", heeds its neighbours.
        written: whether it is a calendar date, and `full` whether one with its year.
    """

    start: int
    end: int
    days: Days | None = None
    part: Part | None = None
    said: Said | None = None
    shift: Shift | None = None
    weekday: int | None = None
    bare: bool = False
    written: bool = False
    full: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern and what a match means on a day of speaking; None if it only looks like a time."""

    pattern: re.Pattern[str]
    read: Callable[[re.Match[str], date], Piece | None]


def rule(source: str, read: Callable[[re.Match[str], date], Piece | None]) -> Rule:
    """A rule from the source of its pattern."""
    return Rule(pattern(source), read)


def skip(source: str) -> Rule:
    """A rule for words that look like a time and are none."""
    return Rule(pattern(source), lambda _match, _ref: None)


def on_days(source: str, read: Callable[[re.Match[str], date], Days | date], part: Part | None = None) -> Rule:
    """A rule for days, given what computes them."""

    def piece(match: re.Match[str], ref: date) -> Piece | None:
        try:
            days = read(match, ref)
        except (OverflowError, ValueError):  # beyond the years 1 to 9999
            return None
        both = (days, days) if isinstance(days, date) else days
        return Piece(match.start(), match.end(), days=both, part=part)

    return rule(source, piece)


def scan(text: str, rules: Sequence[Rule], ref: date) -> list[Piece]:
    """The pieces in `text` from left to right; of two rules that match at one place, the earlier has it."""
    upcoming = {order: match for order, each in enumerate(rules) if (match := each.pattern.search(text))}
    pieces: list[Piece] = []
    while upcoming:
        order = min(upcoming, key=lambda each: (upcoming[each].start(), each))
        match = upcoming[order]
        piece = rules[order].read(match, ref)
        if piece is not None:
            pieces.append(piece)
        for late in [each for each, found in upcoming.items() if found.start() < match.end()]:
            again = rules[late].pattern.search(text, match.end())
            if again:
                upcoming[late] = again
            else:
                del upcoming[late]
    return pieces


def plus(day: date, days: int) -> date:
    """The day so many days later."""
    return day + timedelta(days)


def in_week(ref: date, weekday: int, weeks: int) -> date:
    """The weekday (0 to 6) in the calendar week so many weeks after that of `ref`."""
    return plus(ref, weekday - ref.weekday() + 7 * weeks)


def after(ref: date, weekday: int) -> date:
    """The first such weekday later than `ref`."""
    return plus(ref, (weekday - ref.weekday() - 1) % 7 + 1)


def week(ref: date, weeks: int) -> Days:
    """Monday and Sunday of the week so many weeks after that of `ref`."""
    return in_week(ref, 0, weeks), in_week(ref, 6, weeks)


def weekend(ref: date, weeks: int) -> Days:
    """Saturday and Sunday of the week so many weeks after that of `ref`."""
    return in_week(ref, 5, weeks), in_week(ref, 6, weeks)


def plus_months(day: date, months: int) -> date:
    """The same day so many months later, or the last of that month if it is shorter."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if not 1 <= year <= 9999:
        raise OverflowError
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def month(ref: date, months: int) -> Days:
    """First and last day of the month so many months after that of `ref`."""
    first = plus_months(ref.replace(day=1), months)
    return first, month_end(first)


def month_end(day: date) -> date:
    """The last day of the month of `day`."""
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])


def day_of_month(ref: date, number: int) -> date:
    """The first day with that number not before `ref`; months without it are passed over."""
    for months in range(3):
        last = month(ref, months)[1].day
        if number <= last:
            day = plus_months(ref.replace(day=1), months).replace(day=number)
            if day >= ref:
                return day
    raise ValueError(number)


def natural(ref: date, on: Callable[[int], date | None]) -> date:
    """Of the days that `on` gives for years, the one meant without naming the year.

    The year of `ref`; the next one if that day is over half a year past, the one before if it is over ten
    months ahead; for 29 February, the nearest.
    """
    day = on(ref.year)
    if day is None:
        # Eight years each way, since 1900 and 2100 are no leap years.
        days = [found for year in range(ref.year - 8, ref.year + 9) if (found := on(year))]
        return min(days, key=lambda found: abs(found - ref))
    ahead = (day - ref).days
    return on(ref.year + (ahead < -_HALF_YEAR_DAYS) - (ahead > _TEN_MONTHS_DAYS)) or day

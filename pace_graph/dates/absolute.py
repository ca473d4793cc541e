"""Calendar dates as written, with or without a year, alone, in lists and in ranges."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import pairwise

from pace_graph.dates.words import (
    END,
    GAP,
    HAN_NUMBER,
    MONTH,
    START,
    fold,
    han_count,
    han_year,
    month_number,
    pattern,
)

_LONGEST_RANGE_DAYS = 62
_DAY = r"(?:0?[1-9]|[12][0-9]|3[01])(?:st|nd|rd|th)?(?![0-9a-z]|[:.%][0-9])"
_NAMED = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s{1,3})?"
_YEAR = r"(?P<year>[12][0-9]{3})(?![0-9a-z:])"
_TO = r"(?:\s?[-~]\s?|\s{1,3}(?:to|through|thru|until|till)\s{1,3})"
_AND = r",?\s{1,3}(?:and|or|&)\s{1,3}"
# "may", "march" and "mar" are words too: without a year they need a capital, an ordinal or a preposition.
_SURE_MONTH = (
    rf"(?:(?!ma[ry]){MONTH}|(?-i:May|MAY|Mar|MAR|March|MARCH)"
    r"|march(?!\s{1,3}[0-9]+\s{1,3}(?:miles?|km|kilomet|times|hours?|minutes?|days|people|steps|laps|blocks))"
    r"|may(?=\s{1,3}[0-9]{1,2}(?:st|nd|rd|th))|(?:(?<=on )|(?<=by )|(?<=for )|(?<=from )|(?<=until ))may)"
)
_NOT_A_DAY = r"(?!\s?(?:[ap]\.?m\b|o'clock|people|persons|guests|seats|%))"
_FRONT = r"(?<![0-9a-z_:.,$€£#/\u00c0-\u024f-])"
_HAN_DAY = r"(?:[0-9]{1,2}|[二三]?十[一二三四五六七八九]?|[一二三四五六七八九])"

_ISO = pattern(
    r"(?<![0-9a-z])(?P<year>[0-9]{4})(?P<sign>[-/])(?P<month>[0-9]{1,2})(?P=sign)(?P<days>[0-9]{1,2})(?![0-9])"
)
# Lunar dates (农历) are no calendar dates of ours.
_HAN = pattern(
    r"(?<!农历)(?<!阴历)(?<![0-9〇零一二三四五六七八九十年])"
    r"(?:(?P<year>[0-9]{4}|[〇零一二三四五六七八九]{4})年\s{0,2}|(?P<near>[今明去后])年的?\s?)?"
    rf"(?P<month>{HAN_NUMBER})月\s{{0,2}}"
    rf"(?P<days>{_HAN_DAY}[日号]?(?:\s?[至到~、和及与或-]\s?{_HAN_DAY}[日号]?){{0,8}}(?<=[日号]))"
)
_MONTH_FIRST = pattern(
    rf"{START}{_NAMED}(?P<month>{MONTH})\.?{GAP}(?:the\s)?"
    rf"(?P<days>{_DAY}(?:(?:{_TO}|{_AND}|,\s)(?:the\s)?{_DAY}){{0,8}})(?:,\s{{0,3}}|{GAP}){_YEAR}"
)
_DAY_FIRST = pattern(
    rf"{_FRONT}{_NAMED}(?:the\s)?(?P<days>(?:(?:{_DAY},\s){{0,8}}{_DAY}{_AND}|{_DAY}{_TO})?{_DAY})"
    rf"(?:{GAP}of)?(?:{GAP}|-)(?P<month>{MONTH})\.?,?(?:{GAP}|-){_YEAR}"
)
_MONTH_FIRST_NO_YEAR = pattern(
    rf"{START}{_NAMED}(?P<month>{_SURE_MONTH})\.?{GAP}(?:the\s)?"
    rf"(?P<days>{_DAY}(?:{_TO}(?:the\s)?{_DAY}{_NOT_A_DAY})?)"
)
_DAY_FIRST_NO_YEAR = pattern(
    rf"{_FRONT}{_NAMED}(?:the\s)?(?P<days>(?:{_DAY}{_TO})?{_DAY})(?:{GAP}of)?{GAP}"
    rf"(?P<month>{_SURE_MONTH}){END}"
)
_SHAPES = (_ISO, _HAN, _MONTH_FIRST, _DAY_FIRST, _MONTH_FIRST_NO_YEAR, _DAY_FIRST_NO_YEAR)
_DAY_NUMBER = pattern(rf"(?P<number>[0-9]{{1,2}}|{_HAN_DAY})(?:st|nd|rd|th|[日号])?")
_RANGE_BETWEEN = pattern(r"\s{0,3}(?:[-~/至到]|to|through|thru|until|till)\s{0,3}(?:the\s|on\s)?")
_LIST_BETWEEN = pattern(r",?\s{0,3}(?:,|、|和|及|与|或|and|or|&)\s{0,3}(?:on\s)?")
_BETWEEN_BEFORE = pattern(r"between\s{1,3}(?:the\s)?$")
# "moved from the 3rd to the 9th" names two days and none in between.
_MOVED_BEFORE = pattern(
    r"\b(?:mov(?:e|ed|ing)|reschedul\w{1,4}|postpon\w{1,4}|shift(?:ed)?|chang(?:e|ed|ing)|push(?:ed)?"
    r"|delay(?:ed)?|switch(?:ed)?|brought\sforward)\b[^.!?]{0,40}$"
)
_NEAR_YEARS = {"去": -1, "今": 0, "明": 1, "后": 2}


@dataclass(frozen=True, slots=True)
class Written:
    """A day as written: `year` may be missing, or said as so many years from now in `near`."""

    month: int
    day: int
    year: int | None = None
    near: int | None = None

    def on(self, year: int) -> date | None:
        """The date in `year`, or nothing if that year has no such day."""
        try:
            return date(year, self.month, self.day)
        except ValueError:
            return None


@dataclass(frozen=True, slots=True)
class Mention:
    """One day, or a range of days, in a text; `start` and `end` are offsets, end exclusive."""

    start: int
    end: int
    first: Written
    last: Written

    @property
    def single(self) -> bool:
        """Whether it is one day and no range."""
        return self.first == self.last

    def dates(self) -> tuple[date, ...]:
        """The dates of its ends that exist; two for a range, none without a year."""
        ends = [self.first] if self.single else [self.first, self.last]
        found = (end.on(end.year) for end in ends if end.year is not None)
        return tuple(day for day in found if day is not None)


def days_in(text: str) -> tuple[date, ...]:
    """The full calendar dates that a text mentions, in order of mention, each once.

    All days of a range of at most 62 days; of a longer one, or one that runs backwards, its two ends.

    Source:
        PACE, section on atomisation: time-dependent facts carry the full date (AT7).
    """
    found: dict[date, None] = {}
    for mention in mentions(text):
        found |= dict.fromkeys(_expanded(mention.dates()))
    return tuple(found)


def _expanded(ends: tuple[date, ...]) -> tuple[date, ...]:
    if len(ends) < 2 or not timedelta(0) <= ends[1] - ends[0] < timedelta(_LONGEST_RANGE_DAYS):
        return ends
    return tuple(ends[0] + timedelta(step) for step in range((ends[1] - ends[0]).days + 1))


def mentions(text: str) -> list[Mention]:
    """Every date in a text, with or without a year, by offset; ranges as one, lists taken apart."""
    plain = fold(text)
    found: list[Mention] = []
    for shape in _pieces(plain):
        found.extend(_read(shape))
    return _ranges(plain, _with_years(plain, found))


def _pieces(plain: str) -> list[re.Match[str]]:
    every = [match for shape in _SHAPES for match in shape.finditer(plain)]
    # The earlier wins, then the longer: "14 March 2026" over the "14 March" in it.
    every.sort(key=lambda match: (match.start(), -match.end()))
    kept: list[re.Match[str]] = []
    for match in every:
        if not kept or match.start() >= kept[-1].end():
            kept.append(match)
    return kept


def _read(shape: re.Match[str]) -> Iterator[Mention]:
    groups = shape.groupdict()
    year = han_year(groups["year"]) if groups.get("year") else None
    near = _NEAR_YEARS[groups["near"]] if groups.get("near") else None
    word = groups["month"]
    month = month_number(word) if word[0].isascii() and word[0].isalpha() else han_count(word)
    base = shape.start("days")
    numbers = list(_DAY_NUMBER.finditer(groups["days"]))
    days = [Written(month, han_count(number["number"]), year, near) for number in numbers]
    step = 0
    while step < len(days):
        last = step
        if step + 1 < len(days):
            between = groups["days"][numbers[step].end() : numbers[step + 1].start()]
            last += _RANGE_BETWEEN.fullmatch(between) is not None
        start = shape.start() if step == 0 else base + numbers[step].start()
        end = shape.end() if last + 1 == len(days) else base + numbers[last].end()
        yield Mention(start, end, days[step], days[last])
        step = last + 1


def _with_years(plain: str, found: list[Mention]) -> list[Mention]:
    """Gives dates that lack a year the one of the date they are joined to."""
    joined = [_joins(plain, left, right) for left, right in pairwise(found)]
    out = list(found)
    for at in reversed(range(len(joined))):
        year = out[at + 1].first.year
        if joined[at] and out[at].first.year is None and year is not None:
            out[at] = _in_year(out[at], year - (out[at].first.month > out[at + 1].first.month))
    for at, both in enumerate(joined):
        year = out[at].last.year
        if both and out[at + 1].first.year is None and year is not None:
            out[at + 1] = _in_year(out[at + 1], year + (out[at + 1].first.month < out[at].last.month))
    return out


def _in_year(mention: Mention, year: int) -> Mention:
    first, last = replace(mention.first, year=year), replace(mention.last, year=year)
    return replace(mention, first=first, last=last)


def _joins(plain: str, left: Mention, right: Mention) -> bool:
    between = plain[left.end : right.start]
    return bool(_RANGE_BETWEEN.fullmatch(between) or _LIST_BETWEEN.fullmatch(between))


def _ranges(plain: str, found: list[Mention]) -> list[Mention]:
    out: list[Mention] = []
    for mention in found:
        left = out[-1] if out and out[-1].single and mention.single else None
        if left and is_range(plain, left.start, left.end, mention.start):
            out[-1] = Mention(left.start, mention.end, left.first, mention.last)
        else:
            out.append(mention)
    return out


def is_range(plain: str, start: int, end: int, following: int) -> bool:
    """Whether the day written at `start` to `end` and the one at `following` are the ends of a range."""
    between, before = plain[end:following], plain[max(0, start - 60) : start]
    if _RANGE_BETWEEN.fullmatch(between):
        return not _MOVED_BEFORE.search(before)
    return between.strip().lower() in {"and", "和"} and bool(_BETWEEN_BEFORE.search(before))

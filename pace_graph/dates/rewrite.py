"""Requests with the calendar date beside every relative expression."""

from __future__ import annotations

from datetime import date

from pace_graph.dates.phrases import Phrase
from pace_graph.dates.pieces import Days
from pace_graph.dates.relative import phrases
from pace_graph.dates.spelling import is_chinese, weekday_name
from pace_graph.dates.words import MONTH_NAMES


def rewrite_dated(text: str, ref_date: date) -> str:
    """`text` with the date after each relative expression; what has it already stays as it is.

    English: "tomorrow (Friday, March 20, 2026) at 7 pm". Chinese: 明天（2026年3月20日）晚上七点.
    Clock times that name no day are left alone. A time after midnight shows the day that was named.

    Source:
        PACE, section on relative dates; multi-view query generator (dates resolved, without saying how).
    """
    out: list[str] = []
    at = 0
    for phrase, days in phrases(text, ref_date):
        if phrase.full or not any(piece.days for piece in phrase.pieces):
            continue
        out += text[at : phrase.anchor], _note(text, phrase, days)
        at = phrase.anchor
    return "".join(out) + text[at:]


def _note(text: str, phrase: Phrase, days: Days) -> str:
    words = text[phrase.start : phrase.end]
    first, last = days
    if any(is_chinese(char) for char in words):
        return f"（{_chinese(first)}）" if first == last else f"（{_chinese(first)}至{_chinese(last)}）"
    if first != last:
        return f" ({_english(first)} to {_english(last)})"
    # "on Friday (March 27, 2026)": the weekday once.
    return f" ({_english(first, named=weekday_name(first, 'en').lower() in words.lower())})"


def _chinese(day: date) -> str:
    return f"{day.year:04d}年{day.month}月{day.day}日"


def _english(day: date, *, named: bool = False) -> str:
    weekday = "" if named else f"{weekday_name(day, 'en')}, "
    return f"{weekday}{MONTH_NAMES[day.month - 1]} {day.day}, {day.year:04d}"

"""How days are written in facts."""

from __future__ import annotations

from datetime import date
from typing import Literal

from pace_graph.dates.words import MONTH_NAMES, WEEKDAY_CHARS, WEEKDAY_NAMES

Language = Literal["en", "zh"]


def spellings(day: date, language: Language) -> tuple[str, ...]:
    """The common ways facts write `day`, ISO first; each holds the year, so `days_in` reads each back."""
    iso, weekday = day.isoformat(), weekday_name(day, language)
    if language == "zh":
        written = f"{day.year:04d}年{day.month}月{day.day}"
        slashed = f"{day.year:04d}/{day.month}/{day.day}"
        return (
            iso,
            f"{written}日",
            f"{written}日{weekday}",
            f"{written}日（{weekday}）",
            f"{written}号",
            slashed,
        )
    name = MONTH_NAMES[day.month - 1]
    american, british = f"{name} {day.day}, {day.year:04d}", f"{day.day} {name} {day.year:04d}"
    short = f"{name[:3]} {day.day}, {day.year:04d}"
    return (iso, american, british, f"{weekday}, {american}", f"{weekday}, {british}", short)


def weekday_name(day: date, language: Language) -> str:
    """The weekday of `day`, as "Friday" or 星期五."""
    if language == "zh":
        return f"星期{WEEKDAY_CHARS[day.weekday()]}"
    return WEEKDAY_NAMES[day.weekday()]


def is_chinese(text: str) -> bool:
    """Whether more than half of the letters of `text` are Han characters."""
    letters = [char for char in text if char.isalpha()]
    return 2 * sum(_is_han(char) for char in letters) > len(letters)


def _is_han(char: str) -> bool:
    return "\u3400" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff" or "\U00020000" <= char <= "\U0003ffff"

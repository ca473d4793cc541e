"""The words of dates in both languages, and the pieces that patterns are made of."""

from __future__ import annotations

import re

# ASCII: otherwise ignoring case lets letters such as a dotted capital I stand for ours.
FLAGS = re.ASCII | re.IGNORECASE

MONTH_NAMES = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
WEEKDAY_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
WEEKDAY_CHARS = "一二三四五六日"

_MONTH_KEYS = {name[:3].lower(): number for number, name in enumerate(MONTH_NAMES, start=1)}
_WEEKDAY_KEYS = {name[:3].lower(): number for number, name in enumerate(WEEKDAY_NAMES)}
_HAN_DIGITS = {char: value for value, char in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2}
_NUMBER_WORDS = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
_COUNTS = {word: value for value, word in enumerate(_NUMBER_WORDS, start=1)} | {
    "a": 1, "an": 1, "a couple of": 2, "thirty": 30,
}  # fmt: skip

START = r"(?<![0-9a-z_\u00c0-\u024f])"
END = r"(?![0-9a-z_\u00c0-\u024f])"
GAP = r"\s{1,3}"
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
WEEKDAY = r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
COUNT = rf"(?:[0-9]{{1,3}}|{'|'.join(sorted(_COUNTS, key=len, reverse=True))})"
HOUR_WORD = rf"(?:{'|'.join(reversed(_NUMBER_WORDS[:12]))})"
HAN_NUMBER = r"(?:[0-9]{1,3}|[二两三四五六七八九]?十[一二三四五六七八九]?|[〇零一二两三四五六七八九])"

_FOLDED = (
    {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)}
    | dict.fromkeys((0x3000, 0xA0, 0x2007, 0x2009, 0x202F), " ")
    | dict.fromkeys(range(0x2010, 0x2016), "-")
    | {0x2212: "-", 0x2018: "'", 0x2019: "'"}
)


def fold(text: str) -> str:
    """`text` with full-width signs, dashes and spaces as in ASCII; every character keeps its place."""
    return text.translate(_FOLDED)


def pattern(source: str) -> re.Pattern[str]:
    """The compiled pattern, with the flags that all patterns here share."""
    return re.compile(source, FLAGS)


def month_number(word: str) -> int:
    """1 to 12, for an English month name or its abbreviation."""
    return _MONTH_KEYS[word[:3].lower()]


def weekday_number(word: str) -> int:
    """0 (Monday) to 6 (Sunday), for an English weekday name, its abbreviation or its Chinese character."""
    if word in WEEKDAY_CHARS:
        return WEEKDAY_CHARS.index(word)
    return 6 if word == "天" else _WEEKDAY_KEYS[word[:3].lower()]


def count(word: str) -> int:
    """The number that an English count ("3", "three", "a couple of") stands for."""
    return int(word) if word[0].isdigit() else _COUNTS[word.lower()]


def han_count(word: str) -> int:
    """The number that Arabic digits or Chinese numerals up to ninety-nine stand for."""
    if word[0].isdigit():
        return int(word)
    tens, ten, ones = word.rpartition("十")
    return (_HAN_DIGITS[tens] if tens else 1) * 10 * bool(ten) + (_HAN_DIGITS[ones] if ones else 0)


def han_year(word: str) -> int:
    """The year that four Arabic or Chinese digits stand for."""
    return int(word) if word[0].isdigit() else int("".join(str(_HAN_DIGITS[char]) for char in word))

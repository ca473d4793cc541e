"""Clock times in both languages, and which hour of which day they mean."""

from __future__ import annotations

import re
from datetime import date, time

from pace_graph.dates.moment import Part
from pace_graph.dates.pieces import Piece, Rule, Said, rule
from pace_graph.dates.words import END, GAP, HAN_NUMBER, HOUR_WORD, START, count, han_count

_H12 = r"(?:0?[1-9]|1[0-2])"
_HALF = r"(?P<half>[ap])(?:m\b|\.m\b\.?)"
_NUMBER = r"(?<![0-9a-z:.,$€£#/-])"
_TO = r"\s?(?:-|~|to|until|till)\s?"
# What may follow "at seven" when a clock time is meant, and not "at seven euros".
_FOLLOWS = (
    r"(?=\s{0,2}(?:$|[,;!?()]|\.(?![0-9])|(?:on|in\sthe|tonight|tomorrow|today|this|for|with|and|or|sharp|please|until"
    r"|to(?!\s[0-9])|if|when|before|after|because|so|but|then|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b))"
)
_QUARTERS = {"半": 30, "一刻": 15, "三刻": 45}
_EARLY_HOURS = 5
_MIDNIGHT = Said(0, sure=True, midnight=True)


def _english(match: re.Match[str], _ref: date) -> Piece:
    hour, minute = int(match["hour"]), int(match["minute"] or 0)
    half = (match["first"] or match["half"]).lower()
    if not match["first"] and match["last"] and hour > int(match["last"]) and half == "p":
        half = "a"  # 10 to 2 pm starts in the morning
    if match["last"] and not match["first"] and int(match["last"]) == 12 and hour < 12:
        half = "a" if half == "p" else "p"  # 9 to 12 pm too, and 9 to 12 am the evening before
    return _said(match, Said(hour % 12 + 12 * (half == "p"), minute, sure=True))


def _digits(match: re.Match[str], _ref: date) -> Piece:
    hour = int(match["hour"])
    return _said(match, Said(hour, int(match["minute"]), sure=hour > 12 or hour == 0, digits=True))


def _spoken(match: re.Match[str], _ref: date) -> Piece:
    hour = count(match["hour"])
    minutes = {"half": 30, "quarter": 15}.get((match["minutes"] or "0").lower())
    minute = count(match["minutes"]) if minutes is None and match["minutes"] else minutes or 0
    if (match["way"] or "").lower() == "to":
        hour, minute = (hour + 10) % 12 + 1, 60 - minute
    return _said(match, Said(hour % 24, minute % 60))


def _bare(match: re.Match[str], _ref: date) -> Piece:
    minute = {"thirty": 30, "fifteen": 15, "forty-five": 45}.get((match["minute"] or "").lower(), 0)
    return _said(match, Said(count(match["hour"]), minute, alone=match["lead"].lower() == "at"))


def _han(match: re.Match[str], _ref: date) -> Piece | None:
    hour = han_count(match["hour"])
    tail = match["tail"] or ""
    minute = _QUARTERS.get(tail)
    if minute is None:
        minute = _han_minute(match["minute"]) if match["minute"] else 0
    if hour > 24 or minute > 59:
        return None
    if match.string.endswith("凌晨", 0, match.start()) and hour == 12:
        hour = 0
    sure = hour > 12 or hour == 0
    # 一点 is "a little", 三点建议 three proposals: a day, a part of it, or minutes must be there.
    return _said(
        match,
        Said(hour % 24, minute, sure=sure, midnight=hour == 24, alone=bool(tail) or match["exact"] is not None),
    )


def _han_minute(text: str) -> int:
    return han_count(text.rstrip("分").lstrip("〇零") or "0")


def _said(match: re.Match[str], said: Said) -> Piece:
    start = match.start("hour") if match.groupdict().get("lead") else match.start()
    return Piece(start, match.end(), said=said)


_HAN_TAIL = (
    r"(?P<tail>半|[一三]刻|钟|整|(?P<minute>[0-5][0-9]分?(?![0-9])|[1-9]分|[〇零][一二三四五六七八九]分?"
    r"|[二三四五]?十[一二三四五六七八九]?分?|[一二三四五六七八九]分))?"
)
_HAN_DECIMAL = r"(?![一二三四五六七八九几](?![刻分十]))"  # 三点五公里
_COUNTED = r"建要意注原理内希说经评感关半个"  # 3点建议: three points

CLOCKS: tuple[Rule, ...] = (
    rule(rf"{_NUMBER}(?P<hour>{_H12})(?:[:.](?P<minute>[0-5][0-9]))?(?:\s?(?P<first>[ap])(?:m\b|\.m\b\.?))?"
         rf"{_TO}(?P<last>{_H12})(?:[:.][0-5][0-9])?\s?{_HALF}", _english),
    rule(rf"{_NUMBER}(?P<hour>{_H12})(?:[:.](?P<minute>[0-5][0-9]))?(?P<first>(?!))?(?P<last>(?!))?"
         rf"\s?{_HALF}", _english),
    rule(r"(?<![0-9a-z:.])(?P<hour>[01]?[0-9]|2[0-3]):(?P<minute>[0-5][0-9])(?::[0-5][0-9])?(?![0-9:a-z])"
         rf"(?:{_TO}(?:[01]?[0-9]|2[0-4]):[0-5][0-9](?![0-9:a-z]))?", _digits),
    rule(rf"{START}(?:12\s|twelve\s)?(?:noon|midday){END}",
         lambda match, _ref: Piece(match.start(), match.end(), said=Said(12, sure=True), part="noon")),
    rule(rf"{START}(?:12\s|twelve\s)?midnight{END}",
         lambda match, _ref: Piece(match.start(), match.end(), said=_MIDNIGHT, part="night")),
    rule(rf"{START}(?:a\s)?(?P<minutes>half|quarter|five|ten|twenty|5|10|20){GAP}(?P<way>past|to){GAP}"
         rf"(?P<hour>{HOUR_WORD}|{_H12}){END}(?![:.%][0-9])", _spoken),
    rule(rf"{START}(?P<hour>{HOUR_WORD}|{_H12})\s?o'clock{END}(?P<minutes>(?!))?(?P<way>(?!))?", _spoken),
    rule(rf"{START}(?P<lead>at|around|by|before|after|until|till|from){GAP}(?P<hour>{HOUR_WORD}|{_H12})"
         rf"(?:[\s-](?P<minute>thirty|fifteen|forty-five))?(?:{_TO}(?:{HOUR_WORD}|{_H12}))?{END}{_FOLLOWS}",
         _bare),
    rule(rf"(?<![0-9第.:两零〇一二三四五六七八九十])(?P<hour>{HAN_NUMBER})(?:点|时(?![间候常刻代装期差尚]))"
         rf"(?!一?[些点]){_HAN_DECIMAL}(?P<exact>(?<=[0-9]时)|(?<=[0-9零]点)(?![{_COUNTED}]))?{_HAN_TAIL}"
         rf"(?:[到至~-]{HAN_NUMBER}[点时](?:半|[一三]刻|钟|[0-9]{{1,2}}分?)?)?", _han),
)  # fmt: skip


def settle(said: Said, part: Part | None) -> tuple[time, int]:
    """The clock time that was meant, and how many days after the day named it lies (0 or 1)."""
    hour = said.hour
    if not said.sure:
        if part in {"afternoon", "evening"}:
            hour += 12 * (hour < 12)
        elif part == "noon":
            hour += 12 * (hour < _EARLY_HOURS)
        elif part == "night":
            hour = 0 if hour == 12 else hour + 12 * (hour >= _EARLY_HOURS)
        elif part is None and not said.digits:
            hour += 12 * (hour <= 6)
    late = part in {"evening", "night"} and hour < _EARLY_HOURS
    return time(hour, said.minute), int(late or said.midnight)

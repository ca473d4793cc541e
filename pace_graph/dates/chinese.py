"""The days and parts of a day that Chinese names from the day of speaking."""

from __future__ import annotations

import re
from datetime import date

from pace_graph.dates.moment import Part
from pace_graph.dates.pieces import (
    Days,
    Piece,
    Rule,
    after,
    day_of_month,
    in_week,
    month,
    month_end,
    natural,
    on_days,
    plus,
    plus_months,
    rule,
    skip,
    week,
    weekend,
)
from pace_graph.dates.words import HAN_NUMBER, han_count, pattern, weekday_number

_WHICH = r"这个|这|本|下下个|下下|下个|下|上上个|上上|上个|上"
# 晚上月亮, 早上周围, 楼下月季: not 上月, 上周, 下月.
_WHICH_START = r"(?<![晚早以楼身地脚天乡山树水之])"
_WEEK = r"(?:周|星期|礼拜)"
# 一周三次, 每周五, 四周一片: counts and habits, no weekday.
_NO_COUNT = r"(?<![每一二两三四五六七八九十几半0-9])"
_WEEKDAY_CHAR = r"(?P<weekday>[一二三四五六](?!次|天(?![气黑亮]))|日(?![常程记均报志期历])|天(?!天|气(?!温)))"
_PART_WORDS: dict[Part, str] = {
    "morning": "凌晨 清晨 清早 早晨 早上 一早 上午 早 晨",
    "noon": "中午 正午",
    "afternoon": "午后 下午",
    "evening": "傍晚",
    "night": "晚上 晚间 夜里 夜间 深夜 半夜 午夜 晚 夜",
}
_PARTS = {word: part for part, words in _PART_WORDS.items() for word in words.split()}
_LONG_PARTS = "|".join(word for word in _PARTS if len(word) > 1)
_LATE = r"晚(?![会到点报婚于饭餐宴辈年上间])"
_EARLY = r"早(?![点饭餐已就晚期日先教上晨])"


def _weeks(which: str | None) -> int:
    word = which or ""
    return word.count("下") - word.count("上")


def _weekday(match: re.Match[str], ref: date) -> Piece | None:
    weekday = weekday_number(match["weekday"])
    try:
        day = in_week(ref, weekday, _weeks(match["which"])) if match["which"] else after(ref, weekday)
    except OverflowError:
        return None
    return Piece(match.start(), match.end(), days=(day, day), weekday=weekday, bare=not match["which"])


def _distance(match: re.Match[str], ref: date) -> date:
    word, unit = match["count"], match["unit"]
    sign = -1 if match[0].endswith("前") else 1
    if unit.endswith("月"):
        return plus(ref, sign * 15) if word == "半" else plus_months(ref, sign * han_count(word))
    if word == "半":
        raise ValueError(word)
    return plus(ref, sign * han_count(word) * (1 if unit in {"天", "日"} else 7))


def _month_end(match: re.Match[str], ref: date) -> date:
    if match["month"]:
        number = han_count(match["month"])
        return month_end(natural(ref, lambda year: _first(year, number)))
    return month(ref, _weeks(match["which"]))[1]


def _first(year: int, number: int) -> date | None:
    return date(year, number, 1) if 1 <= year <= 9999 and 1 <= number <= 12 else None


def _day_number(match: re.Match[str], ref: date) -> date:
    number = han_count(match["number"])
    if not match["which"]:
        return day_of_month(ref, number)
    return month(ref, _weeks(match["which"]))[0].replace(day=number)


def _month(match: re.Match[str], ref: date) -> Days:
    return month(ref, _weeks(match["which"]))


def _part(match: re.Match[str], _ref: date) -> Piece:
    return Piece(match.start(), match.end(), part=_PARTS[match[0]])


CHINESE: tuple[Rule, ...] = (
    skip(rf"每(?:个|逢|一)?{_WEEK}[一二三四五六日天末]"),
    skip(r"今日头条|昨日重现|(?:早上|上午|中午|下午|晚上)好|一天天"),
    # 昆明天气, 说明天数, 先天后天: the syllables of other words.
    skip(r"[昆光证声黎聪清鲜透文]明天|[说发]明天(?=[才数]|气(?!温))|先天[与和、]?后天|后天(?:性|养成|形成|习得|因素)"),
    skip(r"[雨午]后天|目前天|以前天|之前天"),
    on_days(rf"(?<![0-9第])(?:再?过)?(?P<count>{HAN_NUMBER})(?P<unit>天|日|周|个?星期|个?礼拜|个月)"
            r"(?:[之以]?后(?!续)|[之以]?前(?![往台后夕]))", _distance),
    on_days(r"(?<!大)(?P<count>半)(?P<unit>个月)(?:[之以]?后(?!续)|[之以]?前(?![往台后夕]))", _distance),
    on_days(rf"(?<![0-9第])再?过(?P<count>{HAN_NUMBER})(?P<unit>天|周|个?星期|个?礼拜|个月)", _distance),
    on_days(r"今[晚夜](?!上)", lambda _, ref: ref, part="night"),
    on_days(r"今[早晨](?!上)", lambda _, ref: ref, part="morning"),
    on_days(r"明[晚夜](?!上)", lambda _, ref: plus(ref, 1), part="night"),
    on_days(r"明[早晨](?!上)", lambda _, ref: plus(ref, 1), part="morning"),
    on_days(r"昨[晚夜](?!上)", lambda _, ref: plus(ref, -1), part="night"),
    on_days(r"后晚", lambda _, ref: plus(ref, 2), part="night"),
    on_days(r"前晚", lambda _, ref: plus(ref, -2), part="night"),
    on_days(r"今[天日儿晚早]|现在", lambda _, ref: ref),
    on_days(r"明[天日儿晚早]", lambda _, ref: plus(ref, 1)),
    on_days(r"昨[天日儿晚]", lambda _, ref: plus(ref, -1)),
    on_days(r"大后天", lambda _, ref: plus(ref, 3)),
    on_days(r"大前天", lambda _, ref: plus(ref, -3)),
    on_days(r"(?<![之以然最今背])后天", lambda _, ref: plus(ref, 2)),
    on_days(r"(?<![之以目提眼面])前天", lambda _, ref: plus(ref, -2)),
    on_days(rf"(?:{_WHICH_START}(?P<which>{_WHICH})|(?<![上下这本个]))周末(?!们)",
            lambda match, ref: weekend(ref, _weeks(match["which"]))),
    rule(rf"(?:{_WHICH_START}(?P<which>{_WHICH}){_WEEK}|{_NO_COUNT}{_WEEK}){_WEEKDAY_CHAR}", _weekday),
    on_days(rf"{_WHICH_START}(?P<which>{_WHICH}){_WEEK}(?![围边年岁密到])",
            lambda match, ref: week(ref, _weeks(match["which"]))),
    on_days(rf"{_WHICH_START}(?P<which>{_WHICH})月(?P<number>{HAN_NUMBER})[日号]", _day_number),
    on_days(rf"(?:{_WHICH_START}(?P<which>{_WHICH})|(?<![0-9])(?P<month>{HAN_NUMBER})|(?<![岁每年个]))"
            r"月[底末](?!线)", _month_end),
    on_days(rf"{_WHICH_START}(?P<which>{_WHICH})月初", lambda match, ref: _month(match, ref)[0]),
    on_days(rf"{_WHICH_START}(?P<which>{_WHICH})月(?![亮饼球台季光])", _month),
    on_days(r"(?<![每0-9])(?P<next>明)?(?:(?<!去)(?<!前)今?年)[底末]",
            lambda match, ref: date(ref.year + bool(match["next"]), 12, 31)),
    # Not an address, a line or a room: 中山路14号, 14号线, 14号楼.
    on_days(rf"(?<![0-9a-z第编牌路街道巷弄号楼村园院座月〇一二三四五六七八九十-])(?P<which>(?!))?(?P<number>{HAN_NUMBER})"
            r"号(?![线楼房室位门店桌馆厅车台院口街路机航站牌球员码选柜库区窗召])", _day_number),
    on_days(r"(?<![0-9a-z第月年-])(?P<which>(?!))?(?P<number>[12]?[0-9]|3[01])日(?![后前内游间均元常程本])",
            _day_number),
    rule(rf"(?:{_LONG_PARTS})(?!好)|(?<=[一二三四五六日号末天])(?:{_LATE}|{_EARLY})", _part),
)  # fmt: skip

# What may stand between two pieces of one expression.
CHINESE_GLUE = pattern(r"\)?\s{0,2}(?:的|在|于|大约|大概|约){0,2}\s{0,2}")
CHINESE_PART_GLUE = pattern(r"\)?\s{0,2}的?")

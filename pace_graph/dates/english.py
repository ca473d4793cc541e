"""The days and parts of a day that English names from the day of speaking."""

from __future__ import annotations

import re
from datetime import date

from pace_graph.dates.moment import Part
from pace_graph.dates.pieces import (
    Days,
    Piece,
    Rule,
    Shift,
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
from pace_graph.dates.words import (
    COUNT,
    END,
    GAP,
    MONTH,
    START,
    WEEKDAY,
    count,
    month_number,
    pattern,
    weekday_number,
)

_WEEKS = {"last": -1, "this": 0, "the": 0, "this coming": 0, "coming": 0, "next": 1}
_PARTS: dict[str, Part] = {
    "morning": "morning",
    "noon": "noon",
    "afternoon": "afternoon",
    "evening": "evening",
    "night": "night",
}
_UNIT = r"(?P<unit>day|week|fortnight|month)s?"
_UNIT_DAYS = {"day": 1, "week": 7, "fortnight": 14}
# Short names are words too ("sat", "sun", "wed"): a capital, a word before and the right word after.
_SHORT = (
    r"(?-i:Mon|Tues?|Wed|Thu|Thurs?|Fri|Sat|Sun)\b\.?"
    r"(?=\s{0,2}(?:$|[.,;:!?()0-9-]|(?:at|from|to|and|or|for|with|in|morning|afternoon|evening|night|please|around"
    r"|by|before|after|until)\b))"
)
_LEADS = "|".join(rf"(?<=\b{word} )" for word in ("on", "by", "for", "until", "before", "after", "from", "to", "or"))
# What may follow "the 14th" when a day is meant, and not "the 14th floor".
_FOLLOWS = (
    r"(?=\s{0,2}(?:$|[.,;:!?()-]|(?:at|in|from|for|to|and|or|with|instead|please|as|is|if|when|before|after|around|by"
    r"|until|till|through|morning|afternoon|evening|night|noon|works|would|will|because|so|but|then)\b))"
)


def _weekday(match: re.Match[str], ref: date) -> Piece | None:
    which = re.sub(r"\s+", " ", (match["which"] or "").lower())
    weekday = weekday_number(match["weekday"])
    try:
        if match["later"]:
            day = in_week(ref, weekday, 2)
        elif which in {"", "coming", "this coming", "upcoming"}:
            day = plus(after(ref, weekday), 7 if match["week"] else 0)
        elif which in {"past", "this past"}:
            day = plus(ref, -((ref.weekday() - weekday - 1) % 7 + 1))
        else:
            day = in_week(ref, weekday, _WEEKS[which])
    except OverflowError:
        return None
    bare = not (which or match["later"] or match["week"])
    return Piece(match.start(), match.end(), days=(day, day), weekday=weekday, bare=bare)


def _shift(match: re.Match[str], _ref: date) -> Piece:
    size = count(match["count"]) * (-1 if match["way"].lower() == "before" else 1)
    unit = match["unit"].lower()
    shift = Shift(months=size) if unit == "month" else Shift(days=size * _UNIT_DAYS[unit])
    return Piece(match.start(), match.end(), shift=shift)


def _distance(match: re.Match[str], ref: date) -> date:
    size = count(match["count"]) * (-1 if "ago" in match[0].lower() else 1)
    unit = match["unit"].lower()
    return plus_months(ref, size) if unit == "month" else plus(ref, size * _UNIT_DAYS[unit])


def _span(match: re.Match[str], ref: date) -> Days:
    which, unit = match["which"].lower().split()[-1], match["unit"].lower()
    if unit == "weekend":
        return weekend(ref, _WEEKS[which])
    return week(ref, _WEEKS[which]) if unit == "week" else month(ref, _WEEKS[which])


def _after_next(match: re.Match[str], ref: date) -> Days:
    unit = match["unit"].lower()
    return weekend(ref, 2) if unit == "weekend" else week(ref, 2) if unit == "week" else month(ref, 2)


def _end_of(match: re.Match[str], ref: date) -> date:
    if match["month"]:
        number = month_number(match["month"])
        return month_end(natural(ref, lambda year: date(year, number, 1) if 1 <= year <= 9999 else None))
    steps = _WEEKS[match["which"].lower()]
    unit = match["unit"].lower()
    if unit == "year":
        return date(ref.year + steps, 12, 31)
    return week(ref, steps)[1] if unit == "week" else month(ref, steps)[1]


def _day_number(match: re.Match[str], ref: date) -> date:
    if not match["which"]:
        return day_of_month(ref, int(match["number"]))
    return month(ref, _WEEKS[match["which"].lower()])[0].replace(day=int(match["number"]))


def _part(match: re.Match[str], _ref: date) -> Piece:
    return Piece(match.start(), match.end(), part=_PARTS[match["part"].lower()])


ENGLISH: tuple[Rule, ...] = (
    skip(rf"{START}(?:every|each|any|most|some|a|an|one|first|second|third|fourth|1st|2nd|3rd|4th)\s{{1,2}}"
         rf"(?:other\s{{1,2}})?{WEEKDAY}{END}"),
    skip(rf"{START}(?:good|black|ash|fat|shrove|palm|easter|whit|cyber|maundy|super\sbowl|casual|tgi)\s{WEEKDAY}{END}"),
    skip(rf"{START}last\s{{1,2}}{WEEKDAY}\s(?:of|in\s(?:{MONTH}|each|every))\b"),
    skip(rf"{START}{WEEKDAY}(?:s\b|\s(?:roast|times|school|best\b|mornings|afternoons|evenings|nights))"),
    skip(rf"{START}(?:from|until|till|by|just|for|up\sto|every|even|any)\s(?:now\son|now(?!\s(?:on|that)))\b"),
    skip(rf"{START}now\s(?:that|and\s(?:then|again)|on)\b"),
    skip(rf"{START}usa\stoday\b"),
    skip(rf"{START}(?:once|twice|times)\s{{1,2}}in\s{{1,2}}{COUNT}\s{{1,2}}{_UNIT}\b"),
    skip(rf"{START}good\s(?:morning|afternoon|evening|night)\b"),
    rule(rf"{START}(?P<count>{COUNT}){GAP}{_UNIT}{GAP}(?P<way>from|after|before|on){END}"
         rf"(?={GAP}(?:(?:this|next|last|coming|the)\s)?(?:now|today|tomorrow|yesterday|day\s|[0-9]|{WEEKDAY}|{MONTH}))",
         _shift),
    rule(rf"{START}the{GAP}(?P<unit>day|week){GAP}(?P<way>after|before)"
         rf"(?={GAP}(?:(?:this|next|last|coming|the)\s)?(?:[0-9]|{WEEKDAY}|{MONTH}))",
         lambda match, _ref: Piece(match.start(), match.end(), shift=Shift(
             days=_UNIT_DAYS[match["unit"].lower()] * (1 if match["way"].lower() == "after" else -1)))),
    on_days(rf"{START}(?:the{GAP})?day{GAP}after{GAP}tomorrow{END}", lambda _, ref: plus(ref, 2)),
    on_days(rf"{START}(?:the{GAP})?day{GAP}before{GAP}yesterday{END}", lambda _, ref: plus(ref, -2)),
    on_days(rf"{START}(?:(?:late|early|later|earlier){GAP})?tonight{END}", lambda _, ref: ref, part="night"),
    on_days(rf"{START}this{GAP}morning{END}", lambda _, ref: ref, part="morning"),
    on_days(rf"{START}this{GAP}afternoon{END}", lambda _, ref: ref, part="afternoon"),
    on_days(rf"{START}this{GAP}evening{END}", lambda _, ref: ref, part="evening"),
    on_days(rf"{START}last{GAP}night{END}", lambda _, ref: plus(ref, -1), part="night"),
    on_days(rf"{START}(?:(?:later|earlier){GAP})?today{END}", lambda _, ref: ref),
    on_days(rf"{START}(?:right{GAP})?now{END}", lambda _, ref: ref),
    on_days(rf"{START}tomorrow{END}", lambda _, ref: plus(ref, 1)),
    on_days(rf"{START}yesterday{END}", lambda _, ref: plus(ref, -1)),
    on_days(rf"{START}in{GAP}(?!an?\sday|one\sday)(?P<count>{COUNT}){GAP}{_UNIT}(?:'?\s?time)?{END}(?!\sof\b|\sin\b)",
            _distance),
    on_days(rf"{START}(?P<count>{COUNT}){GAP}{_UNIT}{GAP}ago{END}", _distance),
    on_days(rf"{START}(?:the{GAP})?(?:very\s)?end{GAP}of{GAP}"
            rf"(?:(?P<which>the|this|next){GAP}(?P<unit>week|month|year)|(?P<month>{MONTH})){END}"
            r"(?!\s(?:[0-9]|after))",
            _end_of),
    on_days(rf"{START}later{GAP}this{GAP}week{END}",
            lambda _, ref: (min(plus(ref, 1), week(ref, 0)[1]), week(ref, 0)[1])),
    on_days(rf"{START}(?:the{GAP})?(?P<unit>weekend|week|month){GAP}after{GAP}next{END}", _after_next),
    on_days(rf"{START}(?P<which>(?:this{GAP})?coming|this|next|last|the){GAP}(?P<unit>weekend){END}", _span),
    on_days(rf"{START}(?P<which>(?:this{GAP})?coming|this|next|(?<!the\s)last){GAP}(?P<unit>week|month){END}(?!\sof\b)",
            _span),
    rule(rf"{START}(?:(?P<which>this{GAP}(?:coming|past)|this|next|coming|upcoming|last|past){GAP})?"
         rf"(?P<weekday>{WEEKDAY}){END}(?:(?P<later>{GAP}after{GAP}next)|(?P<week>{GAP}week))?{END}",
         _weekday),
    rule(rf"(?:{START}(?P<which>this|next|coming|last)\s|{_LEADS})(?P<weekday>{_SHORT})"
         r"(?P<later>(?!))?(?P<week>(?!))?",
         _weekday),
    on_days(rf"{START}(?:the{GAP})?(?P<number>[12]?[0-9]|3[01])(?:st|nd|rd|th){GAP}of{GAP}(?P<which>this|next|last|the)"
            rf"{GAP}month{END}", _day_number),
    on_days(rf"{START}(?<!in\s)the{GAP}(?P<number>[12]?[0-9]|3[01])(?:st|nd|rd|th)(?P<which>(?!))?{END}{_FOLLOWS}",
            _day_number),
    rule(rf"{START}(?P<part>morning|afternoon|evening|night|noon){END}", _part),
)  # fmt: skip

# What may stand between two pieces of one expression; before a bare part of the day, no comma.
ENGLISH_GLUE = pattern(
    r"\)?(?:,?\s{1,2})?(?:(?:at|on|in|by|around|about|from|of|for|the|before|after|until|till|between|starting|@)"
    r"\s{1,2}){0,3}"
)
ENGLISH_PART_GLUE = pattern(r"\)?\s{0,2}(?:(?:in|of|on|at|the)\s{1,2}){0,3}")

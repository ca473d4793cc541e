"""What the specification asks of one atomic fact (3.10) that a machine can decide: AT3, AT4, AT5, AT6, dates.

Words are decided by these readings, so that good sentences pass and bad ones do not:

- "that" is a demonstrative at the start of a sentence or clause, after a preposition, a conjunction or "is", and
  before a noun of time or place or "one". Elsewhere it opens a relative or a reported clause ("a fern that Gerald
  calls Captain", "posted that mains will be scoured"), which points at nothing outside the sentence.
- "there" points, except in "there is" and its forms.
- "before" and "after" need what they compare with; "earlier" and "later" need "than".
- "next" and "last" are relative dates only before a unit of time or a weekday: "the last coat" is none.
- A bare "the meeting" is underspecified; "the meeting of the guild" and "the clinic letter" are not.
- 其 in 其他, 其实, 其中, 尤其; 此 in 因此, 彼此; 该 in 应该; 他 in 其他, 吉他; 那 in 刹那: parts of other words.
- 以前, 以后, 之前, 之后 need a point of time in front of them; at the start of a clause they have none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from pace_graph.dates import is_chinese
from pace_graph.dates.absolute import mentions

_TIME_OR_PLACE = "day|date|evening|morning|afternoon|night|week|weekend|month|year|hour|time|point|place|area|building"
_PLACE_NOUNS = "building|meeting|restaurant|show|venue|event|appointment|session|party|concert|trip|class|shop|store"
_DAY_NAMES = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"

_PERSONAL = "it|itself|its|he|him|his|himself|she|hers?|herself|they|them|themselves|theirs?|we|us|ours?"
_PRONOUNS = rf"\b(?:{_PERSONAL}|this|these|those)\b"
_BEFORE_THAT = "in|on|at|of|for|to|from|with|by|during|since|until|after|before|than|as|and|or|but|is|was"
_SHORTHAND = "then|thereafter|nearby|locally|onsite|on[ -]site|in the area|elsewhere"
_CHINESE_PRONOUNS = (
    r"\b(?:it|itself|its|he|him|his|himself|she|hers?|herself|they|them|themselves|theirs?|we|us|ours?"
    r"|this|these|those)\b"
)
_BEFORE_THAT = "in|on|at|of|for|to|from|with|by|during|since|until|after|before|than|as|and|or|but|is|was"
_SHORTHAND = "then|thereafter|nearby|locally|onsite|on[ -]site|in the area|elsewhere"
_CHINESE_PRONOUNS = (
    r"(?<![其吉])他|她|它|这|(?<!刹)那|(?<!尤)其(?![他实中])|(?<![因彼])此(?![起外])|(?<!应)该|上述|前者|后者|我们|咱们"
)
_CHINESE_DAYS = (
    r"今天|明天|昨天|(?<!先)后天|前天|[今明昨][晚早]|[今明去]年|[本这上下]个?(?:周|星期|礼拜)(?!年)|[本上下]个?月(?![亮季])"
    r"|最近|近日|近期|目前|眼下|现在|刚刚|不久"
)

ENGLISH = {
    "AT3 pronoun or demonstrative": (
        _PRONOUNS,
        rf"(?:^|[.;:,(]\s*|\b(?:{_BEFORE_THAT})\s+)that\b",
        rf"\bthat\s+(?:one|same|{_TIME_OR_PLACE})\b",
    ),
    "AT3 bare definite reference": (
        rf"\bthe (?:{_PLACE_NOUNS})(?=[.,;]|\s+(?:is|was|has|had|will|starts|ends|begins)\b)",
    ),
    "AT4 shorthand": (
        rf"\b(?:{_SHORTHAND})\b",
        r"\bat (?:that|this) (?:hour|point|time|moment)\b",
        r"\bthere\b(?!\s+(?:is|are|was|were|will be)\b)",
    ),
    "AT5 comparison without its point": (
        r"\b(?:earlier|later)\b(?!\s+than\b)",
        r"\b(?:before|after|beforehand)(?=[.,;]|$)",
        r"\bafterwards\b",
    ),
    "AT6 relative date": (
        r"\b(?:today|tomorrow|tonight|yesterday|currently|nowadays|recently|lately|soon|now|ago)\b",
        rf"\b(?:this|next|last|coming)\s+(?:{_DAY_NAMES}|{_TIME_OR_PLACE}|spring|summer|autumn|fall|winter)\b",
    ),
}
CHINESE = {
    "AT3 pronoun or demonstrative": (_CHINESE_PRONOUNS,),
    "AT4 shorthand": (r"届时|到时|当时|那时|此时|当[天日晚]|[次翌同]日|附近|周边|当地|现场|然后|随后|就近",),
    "AT5 comparison without its point": (r"(?:^|[，。；])[以之][前后]|稍[早晚]|早些时候|晚些时候",),
    "AT6 relative date": (_CHINESE_DAYS,),
}

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_WEEKDAY = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
_NAMED_DAYS = (
    re.compile(rf"\b(?P<name>{_WEEKDAY}),?\s+(?P<day>\d{{1,2}})\s+(?P<month>{_MONTHS})(?:,?\s+(?P<year>\d{{4}}))?"),
    re.compile(rf"\b(?P<name>{_WEEKDAY}),?\s+(?P<month>{_MONTHS})\s+(?P<day>\d{{1,2}})(?:,\s+(?P<year>\d{{4}}))?"),
    re.compile(rf"\b(?P<name>{_WEEKDAY}),?\s+(?P<year>\d{{4}})-(?P<month>\d\d)-(?P<day>\d\d)"),
    re.compile(
        r"(?P<year>\d{4})[年-](?P<month>\d{1,2})[月-](?P<day>\d{1,2})日?[（，]?(?:星期|周|礼拜)(?P<name>[一二三四五六日天])"
    ),
)
_EN_NOTICE = re.compile(r"\b(?:posted|announced|scheduled|advertised|confirmed|reminder|notice|booked)\b")
_ZH_NOTICE = re.compile(r"公告|预告|公布|告示|预约|订下|定于")


def faults(text: str) -> Iterator[str]:
    """The rules that a fact breaks by its words, each with the words."""
    for rule, patterns in (CHINESE if is_chinese(text) else ENGLISH).items():
        for pattern in patterns:
            for found in re.finditer(pattern, text, re.IGNORECASE):
                yield f"{rule}: {found[0]!r}"


def dateless(text: str) -> Iterator[str]:
    """AT7: dates without a year, and notices, bookings and reminders without any."""
    for mention in mentions(text):
        if mention.first.year is None:
            yield f"a date without a year: {text[mention.start : mention.end]!r}"
    notice = _ZH_NOTICE if is_chinese(text) else _EN_NOTICE
    if (found := notice.search(text)) and not re.search(r"(?<!\d)(?:19|20)\d\d(?!\d)", text):
        yield f"a notice or booking without a date: {found[0]!r}"


def named_days(text: str, year: int) -> Iterator[tuple[str, int, date]]:
    """Every weekday name beside a date: (as written, 0 to 6 for the name, the date).

    Args:
        text: a fact or a request.
        year: of dates that name none, unless another date of the text does.
    """
    years = re.findall(r"(?<!\d)20\d\d(?!\d)", text)
    default = int(years[-1]) if years else year
    for shape in _NAMED_DAYS:
        for found in shape.finditer(text):
            month = found["month"]
            number = int(month) if month.isdigit() else _MONTHS.split("|").index(month) + 1
            day = date(int(found["year"] or default), number, int(found["day"]))
            yield found[0], _weekday(found["name"]), day


def _weekday(name: str) -> int:
    if name in _WEEKDAY.split("|"):
        return _WEEKDAY.split("|").index(name)
    return "一二三四五六日".index("日" if name == "天" else name)

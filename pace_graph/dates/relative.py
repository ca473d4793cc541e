"""Time expressions of a request, resolved on the day of speaking."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise

from pace_graph.dates.absolute import Mention, is_range, mentions
from pace_graph.dates.chinese import CHINESE
from pace_graph.dates.clocks import CLOCKS, settle
from pace_graph.dates.english import ENGLISH
from pace_graph.dates.moment import Moment
from pace_graph.dates.phrases import Phrase, gather
from pace_graph.dates.pieces import Days, Piece, in_week, natural, plus, scan
from pace_graph.dates.words import fold, pattern

_RULES = (*CLOCKS, *ENGLISH, *CHINESE)
_LIST_BETWEEN = pattern(r"\s{0,2}(?:,?\s{0,2}(?:and|or|&)|、|和|及|与|或者?|还是)\s{0,2}(?:on\s)?")
_SENTENCE_ENDS = pattern(r"[!?。;\n]|\.(?:\s|$)")


def resolve(text: str, ref_date: date) -> tuple[Moment, ...]:
    """What the time expressions of a request mean for someone speaking on `ref_date`, in order of mention.

    The readings are listed in the package's docstring.

    Source:
        PACE, section on relative dates: the most natural reading for someone speaking at the reference date.
    """
    return tuple(_moment(text, phrase, days) for phrase, days in phrases(text, ref_date))


def phrases(text: str, ref_date: date) -> list[tuple[Phrase, Days]]:
    """What the moments of `resolve` are made from, one for one; each names days or takes them over."""
    plain = fold(text)
    dated = [piece for mention in mentions(text) if (piece := _dated(mention, ref_date))]
    pieces = [*dated, *scan(_without(plain, dated), _RULES, ref_date)]
    pieces.sort(key=lambda piece: piece.start)
    found = _ranges(plain, [phrase for phrase in gather(plain, pieces) if _says(phrase)])
    return _with_days(plain, found, ref_date)


def _dated(mention: Mention, ref: date) -> Piece | None:
    try:
        first, last = _days(mention, ref)
    except (ValueError, OverflowError):
        return None
    full = mention.first.year is not None
    return Piece(mention.start, mention.end, days=(first, last), written=True, full=full)


def _days(mention: Mention, ref: date) -> Days:
    if mention.first.year is not None:
        ends = mention.dates()
        return min(ends), max(ends)
    near = mention.first.near
    first = mention.first.on(ref.year + near) if near is not None else natural(ref, mention.first.on)
    if first is None:
        raise ValueError(mention)
    last = mention.last.on(first.year + (mention.last.month < mention.first.month))
    return first, last if last and last >= first else first


def _without(plain: str, pieces: list[Piece]) -> str:
    """The text with the pieces blotted out, so that no rule sees into them."""
    out: list[str] = []
    at = 0
    for piece in pieces:
        out += plain[at : piece.start], "\0" * (piece.end - piece.start)
        at = piece.end
    return "".join(out) + plain[at:]


def _says(phrase: Phrase) -> bool:
    """Whether it names a day, or a clock time that can stand without one."""
    said = [piece.said for piece in phrase.pieces if piece.said]
    part = any(piece.part for piece in phrase.pieces)
    return phrase.days is not None or any(each.alone or part for each in said)


def _ranges(plain: str, found: list[Phrase]) -> list[Phrase]:
    """Joins "Friday to Sunday" into one, and lets a bare weekday follow the day it is joined to."""
    out: list[Phrase] = []
    for each in found:
        before = out[-1] if out else None
        if before is None or before.days is None or each.days is None:
            out.append(each)
            continue
        ranged = is_range(plain, before.start, before.end, each.start)
        phrase = _beside(before, before.days[1], each, plain[before.end : each.start], ranged=ranged)
        whole = _range(before, phrase) if ranged else None
        out[-1:] = [whole] if whole else [before, phrase]
    return out


def _beside(before: Phrase, last: date, phrase: Phrase, gap: str, *, ranged: bool) -> Phrase:
    """A bare weekday, seen from the day before it: "next Tuesday or Thursday", "next Friday to Sunday"."""
    try:
        if ranged:
            return _on_weekday(phrase, plus(last, 1))
        qualified = before.pieces[-1].weekday is not None and before.weekday is None
        if qualified and _LIST_BETWEEN.fullmatch(gap):
            return _on_weekday(phrase, in_week(last, 0, 0))
    except OverflowError:  # at the ends of the years 1 to 9999
        pass
    return phrase


def _on_weekday(phrase: Phrase, since: date) -> Phrase:
    """A bare weekday moved to the first such day from `since` on."""
    if phrase.weekday is None:
        return phrase
    day = plus(since, (phrase.weekday - since.weekday()) % 7)
    return replace(phrase, days=(day, day))


def _range(left: Phrase, right: Phrase) -> Phrase | None:
    clocks = any(piece.said for piece in (*left.pieces, *right.pieces))
    if clocks or left.days is None or right.days is None or left.days[0] != left.days[1]:
        return None
    noted = right.full and right.days[0] != right.days[1]  # "Friday to Sunday (the dates of both)"
    days = right.days if noted else (left.days[0], right.days[1])
    return Phrase((*left.pieces, *right.pieces), days, right.anchor) if days[0] <= days[1] else None


def _with_days(plain: str, found: list[Phrase], ref: date) -> list[tuple[Phrase, Days]]:
    """Gives every clock time without a day the nearest day of its sentence, or the last one, or `ref`."""
    apart = [bool(_SENTENCE_ENDS.search(plain[left.end : right.start])) for left, right in pairwise(found)]
    later: list[Days | None] = [phrase.days for phrase in found]
    for at in reversed(range(len(apart))):
        if later[at] is None and not apart[at]:
            later[at] = later[at + 1]
    out: list[tuple[Phrase, Days]] = []
    named: Days | None = None
    here = False
    for at, phrase in enumerate(found):
        here = here and not (at and apart[at - 1])
        days = phrase.days or (named if here else None) or later[at] or named or (ref, ref)
        here, named = here or phrase.days is not None, phrase.days or named
        out.append((phrase, days))
    return out


def _moment(text: str, phrase: Phrase, days: Days) -> Moment:
    parts = [piece.part for piece in phrase.pieces if piece.part]
    said = [piece.said for piece in phrase.pieces if piece.said]
    first, last = days
    part = parts[0] if parts else None
    clock, roll = settle(said[0], part) if said else (None, 0)
    if roll and last < date.max:
        first, last = first + timedelta(roll), last + timedelta(roll)
    span = (phrase.start, phrase.end)
    return Moment(text[phrase.start : phrase.end], span, first, last, part, clock, relative=not phrase.full)

"""Pieces that stand beside each other, put together into one expression."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from pace_graph.dates.chinese import CHINESE_GLUE, CHINESE_PART_GLUE
from pace_graph.dates.english import ENGLISH_GLUE, ENGLISH_PART_GLUE
from pace_graph.dates.pieces import Days, Piece, Shift, plus, plus_months
from pace_graph.dates.words import pattern

_LONGEST_GAP = 40
_MOST_PIECES = 8
_GLUES = (ENGLISH_GLUE, CHINESE_GLUE)
_PART_GLUES = (ENGLISH_PART_GLUE, CHINESE_PART_GLUE)
_SAME_DAY = pattern(r"\)?[\s,]{0,2}(?:the\s)?[(]?")
_IN_SPAN = pattern(r"[\s,]{0,2}(?:(?:on|of|in|the)\s|的)?")


@dataclass(frozen=True, slots=True)
class Phrase:
    """Pieces that make one expression: what a Moment is made of.

    Attributes:
        anchor: the offset just after the words that name the day, and its part if that follows at once.
    """

    pieces: tuple[Piece, ...]
    days: Days | None
    anchor: int

    @property
    def start(self) -> int:
        """The offset where it begins."""
        return self.pieces[0].start

    @property
    def end(self) -> int:
        """The offset just after it."""
        return self.pieces[-1].end

    @property
    def weekday(self) -> int | None:
        """The weekday, if nothing but a bare weekday names the day."""
        named = [piece for piece in self.pieces if piece.days]
        return named[0].weekday if len(named) == 1 and named[0].bare else None

    @property
    def written(self) -> bool:
        """Whether a calendar date is among the pieces."""
        return any(piece.written for piece in self.pieces)

    @property
    def full(self) -> bool:
        """Whether a full calendar date is among the pieces."""
        return any(piece.full for piece in self.pieces)


def gather(plain: str, pieces: list[Piece]) -> Iterator[Phrase]:
    """The pieces, by offset, put together where they stand beside each other."""
    phrase: Phrase | None = None
    for piece in pieces:
        grown = _grown(phrase, piece, plain[phrase.end : piece.start]) if phrase else None
        if grown is None:
            if phrase:
                yield phrase
            grown = Phrase((piece,), piece.days, piece.end)
        phrase = grown
    if phrase:
        yield phrase


def _grown(phrase: Phrase, piece: Piece, gap: str) -> Phrase | None:
    """The phrase with one more piece, or nothing if the piece begins another."""
    shift = phrase.pieces[-1].shift
    if shift or len(gap) > _LONGEST_GAP or len(phrase.pieces) == _MOST_PIECES:
        return _shifted(phrase, piece, shift) if shift and not gap.strip() else None
    # 今晚凌晨: one part may follow another only at once.
    if piece.part and not piece.said and gap and any(each.part for each in phrase.pieces):
        return None
    if piece.days and phrase.days:
        return _again(phrase, piece, gap)
    return _glued(phrase, piece, gap)


def _glued(phrase: Phrase, piece: Piece, gap: str) -> Phrase | None:
    if piece.shift or (piece.said and any(each.said for each in phrase.pieces)):
        return None
    part_only = bool(piece.part and not piece.days and not piece.said)
    by_part = part_only or bool(phrase.pieces[-1].part and not phrase.days)
    if not any(glue.fullmatch(gap) for glue in (_PART_GLUES if by_part else _GLUES)):
        return None
    names_day = bool(piece.days) or (part_only and phrase.anchor == phrase.end)
    anchor = piece.end if names_day else phrase.anchor
    return Phrase((*phrase.pieces, piece), piece.days or phrase.days, anchor)


def _again(phrase: Phrase, piece: Piece, gap: str) -> Phrase | None:
    """The phrase, if the piece says again or more closely which day it is."""
    days = _within(phrase, piece) if _IN_SPAN.fullmatch(gap) else None
    if days is None and _SAME_DAY.fullmatch(gap):
        days = _agreed(phrase, piece, gap)
    if days is None:
        return None
    # "(" would leave the note inside the brackets.
    return Phrase((*phrase.pieces, piece), days, phrase.anchor if "(" in gap else piece.end)


def _within(phrase: Phrase, piece: Piece) -> Days | None:
    """The weekday in a week or weekend: "Tuesday next week"."""
    if phrase.days is None or piece.days is None:
        return None
    bare = piece.weekday if piece.bare else None
    for weekday, (first, last) in ((bare, phrase.days), (phrase.weekday, piece.days)):
        if weekday is not None and first < last and (last - first).days < 7:
            day = first + timedelta((weekday - first.weekday()) % 7)
            return (day, day) if day <= last else None
    return None


def _agreed(phrase: Phrase, piece: Piece, gap: str) -> Days | None:
    """The days, if one of the two only says again which they are: "tomorrow, Friday"."""
    old, new = phrase.days, piece.days
    if old is None or new is None or (piece.full and "(" in gap):
        return new  # a date in brackets tells which day the writer meant
    if old == new:
        alike = (phrase.weekday is not None, phrase.written) == (piece.bare, piece.written)
        return None if alike else new
    if piece.bare and old[0] == old[1] and old[0].weekday() == piece.weekday:
        return old
    if phrase.weekday is not None and new[0] == new[1] and new[0].weekday() == phrase.weekday:
        return new
    return None


def _shifted(phrase: Phrase, piece: Piece, shift: Shift) -> Phrase | None:
    if piece.days is None:
        return None
    try:
        first, last = (plus(plus_months(day, shift.months), shift.days) for day in piece.days)
    except OverflowError:
        return None
    moved = Piece(phrase.start, piece.end, days=(first, last), part=piece.part)
    return Phrase((*phrase.pieces[:-1], moved), moved.days, moved.end)

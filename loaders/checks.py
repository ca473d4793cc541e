"""What an id, a text, a date and the name of a world must be; a check gives the reason why not, or None."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from loaders.problems import kind, shown

LONGEST_NAME = 200
_DAY = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[Tt ].*)?")


def why_no_id(value: object, noun: str = "id") -> str | None:
    """Why a value cannot be an id: it must be a string of 1 to 200 characters, or an integer."""
    if isinstance(value, int) and not isinstance(value, bool):
        # Compared as a number, since turning thousands of digits into a string is refused by Python.
        return None if abs(value) < 10**LONGEST_NAME else _too_long(noun)
    if value is None:
        return f"the {noun} is missing"
    if not isinstance(value, str):
        return f"the {noun} is {kind(value)}, not a string or a whole number"
    return why_no_name(value, noun)


def why_no_name(value: str, noun: str) -> str | None:
    """Why a string cannot be a name: it must be of 1 to 200 characters, not blank."""
    if not value or value.isspace():
        return f"the {noun} is blank"
    if len(value) > LONGEST_NAME:
        return _too_long(noun)
    return why_not_stored(value, f"the {noun}")


def _too_long(noun: str) -> str:
    return f"the {noun} is longer than {LONGEST_NAME} characters; shorten it"


def why_no_text(value: object, noun: str = "text") -> str | None:
    """Why a value cannot be the text of a record: it must be a string with something in it."""
    if value is None:
        return f"the {noun} is missing"
    if not isinstance(value, str):
        return f"the {noun} is {kind(value)}, not a string"
    if not value or value.isspace():
        return f"the {noun} is blank"
    return why_not_stored(value, f"the {noun}")


def why_not_stored(value: str, subject: str) -> str | None:
    """Why a string cannot be stored: half of a surrogate pair is no character."""
    if value.isascii():
        return None
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        place = f"\\u{ord(value[error.start]):04x} at character {error.start + 1}"
        return f"{subject} holds half of a surrogate pair ({place}), which cannot be stored"
    return None


def why_no_world(name: str) -> str | None:
    """Why a string cannot name a world: such names become folders and parts of addresses."""
    why = why_no_name(name, "name of a world")
    if why is not None:
        return why
    if name in {".", ".."} or "/" in name or "\\" in name:
        return f"the name of a world must not be a path: {shown(name)}"
    if any(unicodedata.category(char) == "Cc" for char in name):
        return f"the name of a world holds a control character: {shown(name)}"
    return None


def first_of(item: Mapping[str, Any], keys: Sequence[str]) -> object:
    """The value of the first of `keys` that is there and not null."""
    for key in keys:
        value = item.get(key)
        if value is not None:
            return value
    return None


def read_day(value: object) -> date:
    """The calendar day of a date, or of a date with a time behind it.

    Raises:
        ValueError: with the reason.
    """
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    if not isinstance(value, str):
        raise ValueError(f"is {kind(value)}, not a date as 2026-03-01")
    shape = _DAY.fullmatch(value.strip())
    if shape is None:
        raise ValueError(f"{shown(value)} is not a date as 2026-03-01")
    try:
        return date.fromisoformat(shape[1])
    except ValueError as error:
        raise ValueError(f"{shown(value)} is not a usable date: {error}") from error

"""The optional `date` of a fact: an ISO day, or an ISO date and time with or without a zone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

_SHAPE = re.compile(
    r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:[Tt ](?P<time>[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?)"
    r"(?P<offset>[Zz]|[+-][0-9]{2}(?::?[0-9]{2}(?::?[0-9]{2})?)?)?"
    r"(?:\[(?P<zone>[A-Za-z0-9_+./-]{1,60})\])?)?"
)
_EXPECTED = "expected 2026-03-01, 2026-03-01T09:00:00, with Z or +08:00 or [Europe/Berlin] after a time"


@dataclass(frozen=True, slots=True)
class Given:
    """A date as a file gave it, and what it means.

    Attributes:
        text: as given.
        day: the calendar day in its own zone (the zone of the world, if it named none).
        instant: in UTC; the first instant of the day if no time was given.
        naive: whether it named neither offset nor zone, so that the world's zone was used.
    """

    text: str
    day: date
    instant: datetime
    naive: bool


def read_given(value: str, zone: str = "UTC") -> Given:
    """The day and the instant that `value` names.

    A wall-clock time that a zone skips is read with the offset in force before the skip, so it comes out
    later by the length of the skip (02:30 in Berlin on 2026-03-29 is 03:30 summer time, 01:30 UTC); one that
    a zone has twice is the earlier, unless an offset tells. Neo4j and java.time read both the same way.

    Args:
        value: an ISO day or date and time.
        zone: IANA name of the zone of values that name none.

    Raises:
        ValueError: with the reason; also for an unknown zone, or an offset that the zone does not use then.
    """
    shape = _SHAPE.fullmatch(value)
    if shape is None:
        raise ValueError(f"{value!r} is not an ISO date: {_EXPECTED}")
    naive = not shape["offset"] and not shape["zone"]
    try:
        local = _wall(shape["day"], shape["time"]).replace(tzinfo=_place(shape, zone))
        if shape["offset"] and shape["zone"]:
            local = _at_offset(local, _offset(shape["offset"]))
        instant = local.astimezone(UTC)
        # Back from UTC, since a skipped time can lie on a day that its zone does not have.
        return Given(text=value, day=instant.astimezone(local.tzinfo).date(), instant=instant, naive=naive)
    except OverflowError:
        raise ValueError(f"{value!r} is not a usable date: outside the years 1 to 9999 in UTC") from None
    except ValueError as error:
        raise ValueError(f"{value!r} is not a usable date: {error}") from None


def _wall(day: str, time: str | None) -> datetime:
    midnight = datetime.fromisoformat(day)  # noqa: DTZ007, RUF100 - its zone is put on by the caller
    if time is None:
        return midnight
    clock, _, fraction = time.replace(",", ".").partition(".")
    hour, minute, second = (int(number) for number in f"{clock}:00".split(":")[:3])
    # By hand, since fromisoformat takes 24:00 on some Pythons and not on others.
    return midnight.replace(hour=hour, minute=minute, second=second, microsecond=int(f"{fraction:0<6}"[:6]))


def _place(shape: re.Match[str], zone: str) -> tzinfo:
    if shape["offset"] and not shape["zone"]:
        return timezone(_offset(shape["offset"]))
    return _zone(shape["zone"] or zone)


def _zone(name: str) -> tzinfo:
    if name in {"UTC", "Z"}:
        return UTC  # without the zone database, which Windows lacks
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ValueError(f"unknown time zone {name!r}") from None


def _offset(text: str) -> timedelta:
    if text in "Zz":
        return timedelta(0)
    digits = text[1:].replace(":", "")
    hours, minutes, seconds = int(digits[:2]), int(digits[2:4] or 0), int(digits[4:] or 0)
    if minutes > 59 or seconds > 59:
        raise ValueError(f"no such offset as {text}")
    size = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    return -size if text[0] == "-" else size


def _at_offset(local: datetime, offset: timedelta) -> datetime:
    for fold in (0, 1):
        if local.replace(fold=fold).utcoffset() == offset:
            return local.replace(fold=fold)
    raise ValueError(f"{local.tzinfo} does not use that offset at that time")

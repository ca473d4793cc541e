"""A run of records of one file, before anything is known about them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Section:
    """Records of one file, in its order.

    Attributes:
        unit: what a record is to the reader of an error: `item`, `line` or `row`.
        items: number of each record in the file, from 1, and its value as parsed.
    """

    path: Path
    unit: str
    items: Iterable[tuple[int, object]]


def section_of(path: Path, values: Iterable[object], unit: str = "item") -> Section:
    """Records numbered as they come."""
    # A list, since some readers go over the records twice.
    return Section(path, unit, list(enumerate(values, start=1)))

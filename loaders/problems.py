"""Faults found in files: all of them are collected in one pass, then raised as one error."""

from __future__ import annotations

from pathlib import Path

from pace_graph.errors import DataError

LONGEST_SHOWN = 60


class Problems:
    """The faults of one world.

    Attributes:
        skipped: how many records were left out instead of refused (only with `skip_invalid`).
    """

    def __init__(self, root: Path, *, skip_invalid: bool = False) -> None:
        self.root = root
        self.skip_invalid = skip_invalid
        self.skipped = 0
        self._found: dict[Path, list[str]] = {}

    def refuse(self, path: Path, problem: str) -> None:
        """Keeps a fault that no option can pass over."""
        self._found.setdefault(path, []).append(problem)

    def skip(self, path: Path, problem: str) -> None:
        """Keeps a fault of one record, or counts the record as skipped."""
        if self.skip_invalid:
            self.skipped += 1
        else:
            self.refuse(path, problem)

    def adopt(self, error: DataError) -> None:
        """Keeps the faults of an error that was raised elsewhere."""
        self._found.setdefault(error.path, []).extend(error.problems)

    def check(self) -> None:
        """Lets pass what has no fault.

        Raises:
            DataError: with every fault; it names the file when only one has faults, otherwise the folder,
                and each fault its file.
        """
        if not self._found:
            return
        if len(self._found) == 1:
            ((path, problems),) = self._found.items()
            raise DataError(path, problems)
        raise DataError(self.root, [f"{path}: {problem}" for path, found in self._found.items() for problem in found])


def shown(value: object) -> str:
    """A value as errors show it: nothing unprintable, and not too long."""
    if isinstance(value, str):
        # Cut before it is escaped, since it may be a whole text.
        return repr(value) if len(value) <= LONGEST_SHOWN else f"{value[:LONGEST_SHOWN]!r}…"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**LONGEST_SHOWN:
        return str(value)
    return kind(value)


def kind(value: object) -> str:
    """What JSON calls the type of a value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return "a whole number"
    names: dict[type, str] = {
        dict: "an object",
        list: "a list",
        str: "a string",
        float: "a number with a fraction",
    }
    return names.get(type(value), f"a {type(value).__name__}")


def plural(count: int, one: str, many: str) -> str:
    """A count with its noun."""
    return f"{count} {one if count == 1 else many}"

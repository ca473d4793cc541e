"""One parquet file of the released data set: its rows by case."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from loaders.checks import why_no_id
from loaders.sections import Section
from pace_graph.errors import ConfigError, DataError

Table = Any  # a pyarrow.Table, whose types a plain install does not have


class Part:
    """One parquet file: its rows by case."""

    def __init__(self, path: Path, wanted: set[str] | None) -> None:
        """Reads `case_id` and the wanted columns (None: all).

        Raises:
            DataError: when the file cannot be read, or a row has no usable case_id.
        """
        self.path = path
        self._table = _read_table(path, wanted)
        self._rows: dict[str, list[int]] = {}
        faults = []
        for number, case in enumerate(self._table.column("case_id").to_pylist(), start=1):
            why = why_no_id(case, "case_id")
            if why:
                faults.append(f"row {number}: {why}")
            self._rows.setdefault(str(case), []).append(number - 1)
        if faults:
            raise DataError(path, faults)

    @property
    def cases(self) -> Iterable[str]:
        """The cases that have rows here, in order of their first."""
        return self._rows

    def section(self, case: str) -> Section:
        """The rows of a case."""
        rows = self._rows.get(case, [])
        try:
            taken = self._table.take(rows).to_pylist() if rows else []
        except (ValueError, OverflowError) as error:  # a time stamp that Python has no value for
            raise DataError(self.path, f"case {case!r}: a value cannot be read: {error}") from error
        return Section(self.path, "row", [(row + 1, item) for row, item in zip(rows, taken, strict=True)])


def _read_table(path: Path, wanted: set[str] | None) -> Table:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise ConfigError(f'{path}: parquet needs one more package: pip install "pace-graph[parquet]"') from error
    try:
        with parquet.ParquetFile(path) as file:
            names = file.schema_arrow.names
            if "case_id" not in names:
                raise DataError(path, f"has no column case_id; its columns are {', '.join(names):.200}")
            table = file.read(columns=[one for one in names if wanted is None or one in wanted | {"case_id"}])
        table.validate(full=True)  # otherwise text that is no UTF-8 shows only later, without its place
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise DataError(path, f"cannot be read as parquet (it may be cut short): {error}") from error
    return table

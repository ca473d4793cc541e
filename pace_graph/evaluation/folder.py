"""A run folder: what was run, and what came of it, in files that survive being killed at any instant.

```
config.json          versions, data digests, prompts' digests, models, every hyperparameter, systems, worlds
queries.jsonl        every request with its gold, as it was when the run began
records.jsonl        one line per (system, world, request) and stage: retrieval, answer; appended, never changed
judge-<name>.jsonl   one line per answer and repeat, of one judge
run.lock             held while something writes
```
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any, Self

from filelock import FileLock, Timeout

from pace_graph.errors import ConfigError, DataError
from pace_graph.evaluation.rows import Answer, Asked, Judgment, Retrieval, Row, as_json, from_json

_MOST_SIGNS = 60


class Lines:
    """A file of JSON lines to append to: a line is there whole or not at all.

    A line that was cut short by a kill is removed when the file is opened again; threads may share it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = Lock()
        _drop_partial(path)
        self._file = path.open("ab", buffering=0)

    def append(self, row: Mapping[str, Any]) -> None:
        """Writes one line and has the disk keep it.

        Raises:
            ConfigError: when the disk does not take it; nothing of it is left then.
        """
        line = json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        with self._lock:
            before = self._file.seek(0, os.SEEK_END)
            try:
                # A disk that is nearly full takes a part, and says so only when asked for the rest.
                left = line
                while left:
                    left = left[self._file.write(left) :]
                os.fsync(self._file.fileno())
            except OSError as error:
                with suppress(OSError):
                    self._file.truncate(before)
                raise ConfigError(f"{self.path} cannot be written: {error}; make room, and run again") from error

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _drop_partial(path: Path) -> None:
    if not path.exists():
        return
    with path.open("rb+") as file:
        text = file.read()
        whole = text.rfind(b"\n") + 1
        if whole != len(text):
            file.truncate(whole)


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The whole lines of a file; a last one without its end is not there yet.

    Raises:
        DataError: when a whole line is no JSON object.
    """
    if not path.exists():
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                return
            try:
                row = json.loads(line)
            except ValueError as error:
                raise DataError(path, f"line {number} is no JSON: {error}; remove that line and run again") from error
            if not isinstance(row, dict):
                raise DataError(path, f"line {number} is no JSON object; remove that line and run again")
            yield row


class RunFolder:
    """One run folder, to read, and through `writing` to add to."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def there(cls, path: Path) -> Self:
        """An existing run folder.

        Raises:
            ConfigError: when it is none.
        """
        if not (path / "config.json").is_file():
            if not path.exists():
                raise ConfigError(f"there is no folder {path}; give a run folder, as made by: pace-graph run --out")
            raise ConfigError(
                f"{path} is no run folder: it has no config.json; make one with: pace-graph run --out {path}"
            )
        return cls(path)

    @property
    def name(self) -> str:
        """What reports call it."""
        return self.path.resolve().name

    def config(self) -> dict[str, Any]:
        """What was run.

        Raises:
            DataError: when config.json holds something else.
        """
        file = self.path / "config.json"
        try:
            found = json.loads(file.read_bytes())
        except ValueError as error:
            raise DataError(file, f"is no JSON: {error}; name another folder") from error
        if not isinstance(found, dict):
            raise DataError(file, "is no JSON object; name another folder")
        return found

    def queries(self) -> tuple[Asked, ...]:
        """Every request of the run, in order."""
        return tuple(Asked.read(row) for row in read_lines(self.path / "queries.jsonl"))

    def rows(self) -> Iterator[Row]:
        """Every record, in the order written."""
        return (from_json(row) for row in read_lines(self.path / "records.jsonl"))

    def retrievals(self) -> Iterator[Retrieval]:
        """Every retrieval record; of one that was tried again after an error, the last."""
        return iter(_last(row for row in self.rows() if isinstance(row, Retrieval)).values())  # type: ignore[arg-type]

    def answers(self) -> Iterator[Answer]:
        """Every answer record; of one that was tried again after an error, the last."""
        return iter(_last(row for row in self.rows() if isinstance(row, Answer)).values())  # type: ignore[arg-type]

    def judges(self) -> tuple[str, ...]:
        """The names of the judges that have judged it."""
        return tuple(sorted(file.stem.removeprefix("judge-") for file in self.path.glob("judge-*.jsonl")))

    def judgments(self, judge: str) -> Iterator[Judgment]:
        """Every judgment of one judge; of one that was tried again after an error, the last."""
        rows = (from_json(row) for row in read_lines(self.judge_file(judge)))
        found = {(row.key, row.repeat): row for row in rows if isinstance(row, Judgment)}
        return iter(found.values())

    def judge_file(self, judge: str) -> Path:
        """Where a judge's judgments are kept."""
        return self.path / f"judge-{file_name(judge)}.jsonl"

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A block in which only this process adds to the folder.

        Raises:
            ConfigError: when another one does, or the folder cannot be made.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"{self.path} cannot be made a run folder: {error.strerror}; name another") from error
        lock = FileLock(self.path / "run.lock")
        try:
            lock.acquire(timeout=0)
        except Timeout as error:
            raise ConfigError(
                f"another process is writing to {self.path}; wait for it, or name another folder"
            ) from error
        try:
            yield
        finally:
            lock.release()

    def begin(self, config: Mapping[str, Any], queries: Iterable[Asked]) -> None:
        """Writes what is run, or checks that it is what was begun here.

        Raises:
            ConfigError: when the folder holds another run; names what differs.
        """
        if (self.path / "config.json").is_file():
            _same(self.path, self.config(), config)
            return
        rows = "".join(json.dumps(_plain(query), ensure_ascii=False) + "\n" for query in queries)
        _whole(self.path / "queries.jsonl", rows)
        # Last: a folder with a config.json has all its requests.
        _whole(self.path / "config.json", json.dumps(config, ensure_ascii=False, indent=2) + "\n")


def file_name(name: str) -> str:
    """A name as part of a file's name: nothing in it can lead elsewhere."""
    return re.sub(r"[^\w.-]+", "-", name).strip(".-") or "unnamed"


def _plain(query: Asked) -> dict[str, Any]:
    return {name: getattr(query, name) for name in Asked.__slots__}


def _last(rows: Iterable[Row]) -> dict[Any, Row]:
    return {row.key: row for row in rows}


def _whole(path: Path, text: str) -> None:
    part = path.with_suffix(path.suffix + ".part")
    with part.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def _same(path: Path, there: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    # The limit is the reason why the requests differ: it is named before they are.
    names = sorted({*there, *wanted}, key=lambda name: (name == "requests", name))
    different = [name for name in names if there.get(name) != wanted.get(name)]
    if different:
        told = "; ".join(_told(name, there.get(name), wanted.get(name)) for name in different[:3])
        raise ConfigError(f"{path} holds another run ({told}); name another folder with --out")


def _told(name: str, there: Any, now: Any) -> str:
    """What differs, in few words: names where names do, otherwise the first value that does."""
    if isinstance(there, Mapping) and isinstance(now, Mapping):
        if there.keys() != now.keys():
            return f"{name}: {', '.join(there)} there, {', '.join(now)} now"
        key = next(key for key in there if there[key] != now[key])
        inner = _told(key, there[key], now[key])
        return f"{name}: {inner}"
    return f"{name}: {_short(there)} there, {_short(now)} now"


def _short(value: Any) -> str:
    told = repr(value)
    return told if len(told) <= _MOST_SIGNS else told[: _MOST_SIGNS - 1] + "…"


__all__ = [
    "Answer",
    "Asked",
    "Judgment",
    "Lines",
    "Retrieval",
    "Row",
    "RunFolder",
    "as_json",
    "file_name",
    "read_lines",
]

"""Replies that were read once and need not be paid for again, on disk."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from pace_graph.errors import ConfigError

_TABLE = """
CREATE TABLE IF NOT EXISTS replies (
  key TEXT PRIMARY KEY, model TEXT NOT NULL, prompt TEXT NOT NULL, reply TEXT NOT NULL,
  tokens INTEGER NOT NULL, at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
)
"""


@dataclass(frozen=True, slots=True)
class Kept:
    """A reply from the cache, and the tokens it had cost: prompt and reply together."""

    reply: str
    tokens: int


class Replies:
    """A cache of validated replies by model, parameters and prompt. Threads and processes may share its file.

    What could not be read never enters it; the caller puts in what it has read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = Lock()
        with self._usable():
            path.parent.mkdir(parents=True, exist_ok=True)
            # Prompts hold private facts: the file is its owner's alone.
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            self._base = sqlite3.connect(path, timeout=30.0, isolation_level=None, check_same_thread=False)
        # One that is dropped without being closed leaves no file open.
        self._finalizer = weakref.finalize(self, self._base.close)
        with self._usable():
            self._base.execute("PRAGMA journal_mode=WAL")
            # A kill loses nothing; a power cut at worst the last replies, which are then asked for again.
            self._base.execute("PRAGMA synchronous=NORMAL")
            self._base.execute(_TABLE)

    def get(self, key: str) -> Kept | None:
        """The reply of a key, if it is there.

        Raises:
            ConfigError: when the file cannot be used any more.
        """
        with self._lock, self._usable():
            row = self._base.execute("SELECT reply, tokens FROM replies WHERE key = ?", (key,)).fetchone()
        return Kept(*row) if row else None

    def put(self, key: str, model: str, prompt: str, kept: Kept) -> None:
        """Keeps a reply that was read. Raises as `get` does."""
        with self._lock, self._usable():
            self._base.execute(
                "INSERT OR REPLACE INTO replies (key, model, prompt, reply, tokens) VALUES (?, ?, ?, ?, ?)",
                (key, model, prompt, kept.reply, kept.tokens),
            )

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            self._base.close()

    @contextmanager
    def _usable(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            raise ConfigError(
                f"the reply cache {self.path} cannot be used: {error}; name another one, or remove it"
            ) from error


def key_of(**parts: Any) -> str:
    """The key of a call: a digest of everything that could change its reply."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=True, default=str).encode()).hexdigest()

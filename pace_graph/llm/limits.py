"""Requests and tokens per minute: waits before a call that would go over either."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from threading import Lock

_WINDOW_S = 60.0
_CHARACTERS_PER_TOKEN = 3


class Limits:
    """Limits that threads share, over the last minute. None is no limit."""

    def __init__(
        self,
        requests: int | None = None,
        tokens: int | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._requests, self._tokens = requests, tokens
        self._clock, self._sleep = clock, sleep
        self._made: deque[tuple[float, int]] = deque()
        self._lock = Lock()

    def wait(self, characters: int) -> None:
        """Returns when a call of that many characters may be made, and books it.

        A single call above the limit of tokens is let through alone: it could never be made otherwise.
        """
        tokens = characters // _CHARACTERS_PER_TOKEN + 1
        while (pause := self._book(tokens)) > 0:
            self._sleep(pause)

    def _book(self, tokens: int) -> float:
        with self._lock:
            now = self._clock()
            while self._made and self._made[0][0] <= now - _WINDOW_S:
                self._made.popleft()
            full = self._requests is not None and len(self._made) >= self._requests
            spent = sum(found for _, found in self._made)
            over = self._tokens is not None and bool(self._made) and spent + tokens > self._tokens
            if full or over:
                return max(0.01, self._made[0][0] + _WINDOW_S - now)
            self._made.append((now, tokens))
            return 0.0

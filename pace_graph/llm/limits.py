"""Requests and tokens per minute: waits before a call that would go over either."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from threading import Event, Lock

_WINDOW_S = 60.0
_CHARACTERS_PER_TOKEN = 3


class StoppedError(Exception):
    """No call is begun any more: what waits, and what comes after a call under way, ends here."""


class Limits:
    """Limits that threads share, over the last minute. None is no limit."""

    def __init__(
        self,
        requests: int | None = None,
        tokens: int | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] | None = None,
    ) -> None:
        self._requests, self._tokens = requests, tokens
        self._stopped = Event()
        # By default a sleep that `stop` ends.
        self._clock, self._sleep = clock, sleep or self._stopped.wait
        self._made: deque[tuple[float, int]] = deque()
        self._spent = 0
        self._turn = Lock()

    def wait(self, characters: int) -> None:
        """Returns when a call of that many characters may be made, and books it.

        Calls are let through in the order they came, so that a large one is not overtaken for ever by small ones. One
        that is above the limit of tokens by itself is let through alone: it could never be made otherwise.

        Raises:
            StoppedError: between `stop` and `go_on`.
        """
        tokens = characters // _CHARACTERS_PER_TOKEN + 1
        with self._turn:
            while (pause := self._book(tokens)) > 0:
                self._sleep(pause)

    def stop(self) -> None:
        """Lets no call begin, and ends every wait; calls under way are not touched."""
        self._stopped.set()

    def go_on(self) -> None:
        """Lets calls begin again."""
        self._stopped.clear()

    def _book(self, tokens: int) -> float:
        if self._stopped.is_set():
            raise StoppedError
        if self._requests is None and self._tokens is None:
            return 0.0
        now = self._clock()
        while self._made and self._made[0][0] <= now - _WINDOW_S:
            self._spent -= self._made.popleft()[1]
        full = self._requests is not None and len(self._made) >= self._requests
        over = self._tokens is not None and bool(self._made) and self._spent + tokens > self._tokens
        if full or over:
            return max(0.01, self._made[0][0] + _WINDOW_S - now)
        self._made.append((now, tokens))
        self._spent += tokens
        return 0.0

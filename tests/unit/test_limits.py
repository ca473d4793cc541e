"""Calls and tokens a minute, by a clock that only the test moves."""

from __future__ import annotations

import random
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from pace_graph.llm import Limits
from pace_graph.llm.limits import StoppedError


class Clock:
    """Time that passes only when someone sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.now += seconds
        self.slept += seconds


def limited(requests: int | None = None, tokens: int | None = None) -> tuple[Limits, Clock]:
    clock = Clock()
    return Limits(requests, tokens, clock, clock.sleep), clock


def made(limits: Limits, clock: Clock, *characters: int) -> list[float]:
    """When each call was let through, counted from the first."""
    began = clock.now
    times = []
    for count in characters:
        limits.wait(count)
        times.append(clock.now - began)
    return times


def test_without_limits_nothing_waits_and_nothing_is_kept() -> None:
    limits, clock = limited()
    assert made(limits, clock, *[10**6] * 1000) == [0.0] * 1000
    assert not limits._made


def test_calls_beyond_the_limit_wait_until_the_first_is_a_minute_old() -> None:
    limits, clock = limited(requests=3)
    assert made(limits, clock, *[30] * 8) == [0, 0, 0, 60, 60, 60, 120, 120]


def test_the_minute_moves_with_the_calls() -> None:
    limits, clock = limited(requests=2)
    limits.wait(3)
    clock.now += 40
    limits.wait(3)
    assert made(limits, clock, 3, 3) == [20, 60]


def test_tokens_are_a_third_of_the_characters() -> None:
    limits, clock = limited(tokens=100)
    # 60, 30 and 30 tokens, each rounded up: the third would make more than 100.
    assert made(limits, clock, 177, 87, 87) == [0, 0, 60]


def test_both_limits_hold() -> None:
    limits, clock = limited(requests=2, tokens=100)
    assert made(limits, clock, 3, 3, 3) == [0, 0, 60]
    limits, clock = limited(requests=50, tokens=10)
    assert made(limits, clock, 27, 27) == [0, 60]


def test_a_call_above_the_limit_is_let_through_alone() -> None:
    limits, clock = limited(tokens=10)
    assert made(limits, clock, 3, 3000, 3) == [0, 60, 120]


@pytest.mark.parametrize("seed", range(20))
def test_no_minute_ever_holds_more_than_the_limits(seed: int) -> None:
    dice = random.Random(seed)
    limits, clock = limited(requests=dice.randint(1, 9), tokens=dice.randint(50, 500))
    calls: list[tuple[float, int]] = []
    for _ in range(200):
        characters = dice.randint(0, 140)
        limits.wait(characters)
        calls.append((clock.now, characters // 3 + 1))
        clock.now += dice.choice([0, 0, 0.1, 5, 30])
    for at, _ in calls:
        window = [tokens for when, tokens in calls if at - 60 < when <= at]
        assert len(window) <= (limits._requests or 0)
        assert sum(window) <= (limits._tokens or 0)


def test_threads_share_the_limits() -> None:
    limits, clock = limited(requests=10)
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(limits.wait, [3] * 95))
    assert clock.slept == pytest.approx(9 * 60)


def test_a_large_call_is_not_overtaken_for_ever() -> None:
    limits, clock = limited(tokens=10)
    order: list[str] = []
    waiting, move = threading.Event(), threading.Event()

    def sleep(seconds: float) -> None:
        waiting.set()
        assert move.wait(10)
        clock.sleep(seconds)

    limits._sleep = sleep
    limits.wait(3)
    with ThreadPoolExecutor(5) as pool:
        pool.submit(lambda: (limits.wait(3000), order.append("large")))
        assert waiting.wait(10)
        for _ in range(4):
            pool.submit(lambda: (limits.wait(3), order.append("small")))
        move.set()
    assert order == ["large", *["small"] * 4]


def test_a_stop_ends_every_wait_and_lets_nothing_begin_until_it_goes_on() -> None:
    limits = Limits(requests=1)
    limits.wait(3)
    with ThreadPoolExecutor(3) as pool:
        waiting = [pool.submit(limits.wait, 3) for _ in range(3)]
        limits.stop()
        assert [type(one.exception(10)) for one in waiting] == [StoppedError] * 3
    with pytest.raises(StoppedError):
        Limits.wait(limits, 3)
    unlimited = Limits()
    unlimited.stop()
    with pytest.raises(StoppedError):
        unlimited.wait(3)
    unlimited.go_on()
    unlimited.wait(3)

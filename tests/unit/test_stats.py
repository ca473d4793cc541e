"""Intervals and tests, against numbers worked out by hand."""

from __future__ import annotations

import sys
from math import comb

import numpy as np
import pytest

from pace_graph.errors import ConfigError
from pace_graph.evaluation.extra import needed
from pace_graph.evaluation.stats import Rate, Resampling, _drawn, holm, p_of_means, p_of_passes, rate

HOW = Resampling()
SCORES = [("a", 1.0), ("a", 0.0), ("a", 1.0), ("b", 0.0), ("b", 0.0), ("b", 1.0), ("c", 0.5), ("c", 1.0)]


def test_the_interval_holds_the_mean_and_is_the_same_for_the_same_seed() -> None:
    scores = [("a", score) for score in np.random.default_rng(0).random(40)]
    first, other = rate(scores, HOW), rate(scores, Resampling(seed=1))
    # A fresh process would draw the same: what this one kept is forgotten.
    _drawn.cache_clear()
    assert rate(scores, HOW) == first
    assert first.value == pytest.approx(sum(score for _, score in scores) / 40)
    assert first.n == 40
    assert first.low is not None
    assert first.high is not None
    assert 0 <= first.low < first.value < first.high <= 1
    assert (first.low, first.high) != (other.low, other.high)


def test_the_interval_is_that_of_percentiles_of_means_of_draws() -> None:
    # Two scores, 0 and 1: means of draws are 0, 1/2 and 1 with chances 1/4, 1/2 and 1/4.
    found = rate([("a", 0.0), ("b", 1.0)], HOW)
    assert (found.low, found.value, found.high) == (0.0, 0.5, 1.0)


def test_the_interval_of_a_share_is_about_that_of_the_normal_curve() -> None:
    found = rate([("a", float(i < 300)) for i in range(1000)], HOW)
    wide = 1.96 * (0.3 * 0.7 / 1000) ** 0.5
    assert found.low == pytest.approx(0.3 - wide, abs=0.004)
    assert found.high == pytest.approx(0.3 + wide, abs=0.004)


def test_worlds_drawn_whole_make_a_wider_interval_when_requests_of_one_are_alike() -> None:
    alike = [(f"w{world}", float(world % 2)) for world in range(10) for _ in range(20)]
    single, whole = rate(alike, HOW), rate(alike, Resampling(clustered=True))
    assert single.value == whole.value == 0.5
    assert single.low is not None
    assert whole.low is not None
    assert whole.low < single.low - 0.1


def test_means_over_worlds_draw_worlds() -> None:
    found = rate(SCORES, HOW, "macro")
    assert found.value == pytest.approx((2 / 3 + 1 / 3 + 3 / 4) / 3)
    assert found.low == pytest.approx(1 / 3)  # all three draws fall on b with chance 1/27, more than 2.5 %
    assert found.high == pytest.approx(3 / 4)


def test_what_cannot_be_drawn_has_no_interval() -> None:
    assert rate([], HOW) == Rate(None)
    assert rate([("a", 0.3)], HOW) == Rate(0.3, n=1)
    assert rate([("a", 0.3), ("a", 0.7)], Resampling(clustered=True)) == Rate(0.5, n=2)
    assert rate([("a", 1.0)] * 5, HOW) == Rate(1.0, 1.0, 1.0, 5)


def test_mcnemar_by_hand() -> None:
    # The first alone passes 8 times, the second alone twice: twice the chance of at most 2 heads in 10 throws.
    first = [True] * 8 + [False] * 2 + [True] * 5 + [False] * 5
    second = [False] * 8 + [True] * 2 + [True] * 5 + [False] * 5
    expected = 2 * sum(comb(10, k) for k in range(3)) / 2**10
    assert expected == pytest.approx(112 / 1024)
    assert p_of_passes(first, second) == pytest.approx(expected)
    assert p_of_passes(second, first) == pytest.approx(expected)


def test_equal_systems_have_a_p_of_one() -> None:
    assert p_of_passes([True, False], [True, False]) == 1.0
    assert p_of_means([0.1, 0.5], [0.1, 0.5]) == 1.0
    assert p_of_passes([], []) == 1.0
    assert p_of_means([], []) == 1.0


def test_the_randomisation_test_by_hand() -> None:
    # Four differences of one sign: of 16 ways to swap, the two extreme ones are as large.
    assert p_of_means([0.9, 0.8, 0.7, 0.6], [0.1, 0.2, 0.3, 0.4]) == pytest.approx(2 / 16)
    # A pair without a difference changes nothing.
    assert p_of_means([0.9, 0.8, 0.7, 0.6, 0.5], [0.1, 0.2, 0.3, 0.4, 0.5]) == pytest.approx(2 / 16)


def test_the_randomisation_test_is_the_same_for_the_same_seed() -> None:
    dice = np.random.default_rng(3)
    first, second = list(dice.random(60) + 0.05), list(dice.random(60))
    assert p_of_means(first, second, seed=5) == p_of_means(first, second, seed=5)
    assert 0 < p_of_means(first, second, seed=5) < 1


def test_holm_by_hand() -> None:
    # Sorted 0.01, 0.02, 0.03, 0.04 times 4, 3, 2, 1 is 0.04, 0.06, 0.06, 0.04; never below the one before: 0.06.
    assert holm([0.03, 0.01, 0.04, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([0.5, 0.9]) == pytest.approx([1.0, 1.0])
    assert holm([]) == []


def test_a_missing_library_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    with pytest.raises(
        ConfigError, match=r"^reports need scipy, which is not installed; run: pip install .*\[eval\]"
    ) as e:
        needed("scipy.stats")
    assert "\n" not in str(e.value)


def test_one_difference_alone_says_nothing() -> None:
    assert p_of_means([1.0, 0.5, 0.5], [0.5, 0.5, 0.5]) == 1.0

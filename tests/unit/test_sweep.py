from __future__ import annotations

import pytest

from pace_graph.errors import ConfigError
from pace_graph.evaluation.sweep import points


def test_one_value_at_a_time_with_the_default_first() -> None:
    found = points([("H", "0, 3"), ("w_counter", "1.0")])
    assert [(point.name, dict(point.settings)) for point in found] == [
        ("default", {}),
        ("H-0", {"hops": "0"}),
        ("H-3", {"hops": "3"}),
        ("w_counter-1.0", {"w_counter": "1.0"}),
    ]


def test_a_grid_is_every_combination() -> None:
    found = points([("H", "1,2"), ("M", "3,5")], grid=True)
    assert [dict(point.settings) for point in found[1:]] == [
        {"hops": "1", "width": "3"},
        {"hops": "1", "width": "5"},
        {"hops": "2", "width": "3"},
        {"hops": "2", "width": "5"},
    ]


def test_n_sweeps_both_filters_together() -> None:
    assert dict(points([("N", "5")])[1].settings) == {"n_filter": "5", "n_final": "5"}


def test_models_and_prompts_are_no_settings() -> None:
    default, model, prompts = points([("embedding", "hash-32"), ("prompts", "mine")])
    assert (default.embedding, model.embedding, prompts.prompts) == (None, "hash-32", "mine")
    assert not model.settings
    assert not prompts.settings


def test_a_value_given_twice_is_run_once() -> None:
    assert [point.name for point in points([("H", "1,1")])] == ["default", "H-1"]


@pytest.mark.parametrize(
    ("over", "told"),
    [
        (("H", "deep"), "--over H=deep"),
        (("H", ""), "give values"),
        (("bla", "3"), "there is no such setting"),
        (("edges", "bent"), "--over edges=bent"),
    ],
)
def test_what_cannot_be_swept_is_named(over: tuple[str, str], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        points([over])

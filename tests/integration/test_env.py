from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date

from loaders.write import write_world
from pace_graph.env import Env
from pace_graph.records import Case, Fact, Timeline


def test_a_world_that_was_loaded_anew_is_not_served_as_it_was(env: Env, new_world: Callable[[], str]) -> None:
    case = Case(
        new_world(), (Fact("a", "Ada swims."), Fact("b", "Ada rows.")), timeline=Timeline(ref_date=date(2026, 3, 1))
    )
    write_world(env.graph, env.settings, case, source="test")
    before = env.world(case.world)
    assert env.world(case.world) is before, "an unchanged world is read once"

    later = replace(case, timeline=Timeline(ref_date=date(2026, 3, 2)))
    write_world(env.graph, env.settings, later, source="test")
    after = env.world(case.world)
    assert after.digest == before.digest, "facts and edges are the same"
    assert after.timeline.ref_date == date(2026, 3, 2)
    assert env.lexical(after) is env.lexical(before), "the index of the same facts is kept"


def test_other_worlds_are_let_go(env: Env, new_world: Callable[[], str]) -> None:
    one, two = (Case(new_world(), (Fact("a", "Ada swims."),)) for _ in range(2))
    for case in (one, two):
        write_world(env.graph, env.settings, case, source="test")
    first, second = env.world(one.world), env.world(two.world)
    env.forget_all_but(two.world)
    assert env.world(two.world) is second
    assert env.world(one.world) is not first

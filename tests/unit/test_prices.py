"""What calls cost in money, worked out by hand."""

from __future__ import annotations

import pytest

from pace_graph.config import ChatSettings, Settings
from pace_graph.evaluation.prices import priced, total
from pace_graph.ledger import StageCost

PRICES = Settings(
    agent=ChatSettings(model="a", usd_in=2.0, usd_cached=0.5, usd_out=8.0),
    answer=ChatSettings(model="b", usd_in=10.0, usd_out=40.0),
    judge=ChatSettings(model="c", usd_out=1.0),
)
USED = StageCost("plan", calls=3, tokens_in=1_000_000, tokens_cached=400_000, tokens_out=50_000)


def cost(stage: str, **others: int) -> StageCost:
    return StageCost(stage, **{"calls": 1, "tokens_in": 1000, "tokens_out": 100, **others})


def test_prompt_cached_and_reply_tokens_have_their_own_prices() -> None:
    # 600,000 at 2, 400,000 at 0.5, 50,000 at 8.
    assert priced(PRICES, USED) == pytest.approx(1.2 + 0.2 + 0.4)


def test_what_a_role_does_not_set_is_the_agents() -> None:
    assert priced(PRICES, cost("answer")) == pytest.approx((1000 * 10 + 100 * 40) / 1e6)
    # The answer role has no price for cached tokens of its own.
    assert priced(PRICES, cost("answer", tokens_cached=1000)) == pytest.approx((1000 * 0.5 + 100 * 40) / 1e6)
    assert priced(PRICES, cost("judge")) == pytest.approx((1000 * 2 + 100 * 1) / 1e6)
    assert priced(PRICES, cost("post-hop")) == pytest.approx((1000 * 2 + 100 * 8) / 1e6)


def test_cached_tokens_cost_as_much_as_others_where_nothing_is_said() -> None:
    settings = Settings(agent=ChatSettings(usd_in=2.0, usd_out=8.0))
    assert priced(settings, USED) == pytest.approx(2.0 + 0.4)


@pytest.mark.parametrize("given", [{}, {"usd_in": 1.0}, {"usd_out": 1.0}, {"usd_cached": 1.0}])
def test_without_both_prices_nothing_is_said(given: dict[str, float]) -> None:
    settings = Settings(agent=ChatSettings.model_validate(given))
    assert priced(settings, USED) is None
    assert total(settings, (USED, StageCost("retrieve", seconds=1.0))) is None


def test_what_made_no_call_costs_nothing_whatever_the_prices() -> None:
    assert priced(Settings(), StageCost("traverse", seconds=2.0)) == 0.0
    assert priced(Settings(), StageCost("plan", from_cache=1, tokens_saved=900)) == 0.0
    assert total(Settings(), ()) == 0.0


def test_a_price_of_nothing_is_a_price() -> None:
    assert priced(Settings(agent=ChatSettings(usd_in=0, usd_out=0)), USED) == 0.0


def test_a_total_is_the_sum_of_its_stages() -> None:
    stages = (USED, cost("answer"), StageCost("fuse", seconds=1.0))
    assert total(PRICES, stages) == pytest.approx(1.8 + 0.014)

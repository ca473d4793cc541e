"""What calls cost in money, by the prices that are set."""

from __future__ import annotations

from pace_graph.config import ChatSettings, Settings
from pace_graph.ledger import StageCost

_MILLION = 1_000_000


def priced(settings: Settings, stage: StageCost) -> float | None:
    """USD of a stage's calls; None when it made calls and the model's prices are not set.

    The stage `answer` is priced as the answer role, `judge` as the judge, every other one as the agent.
    """
    if not stage.calls:
        return 0.0
    chosen = settings.chat("answer" if stage.stage == "answer" else "judge" if stage.stage == "judge" else "agent")
    return _usd(chosen, stage.tokens_in, stage.tokens_cached, stage.tokens_out)


def _usd(chosen: ChatSettings, tokens_in: int, tokens_cached: int, tokens_out: int) -> float | None:
    if chosen.usd_in is None or chosen.usd_out is None:
        return None
    cached = chosen.usd_in if chosen.usd_cached is None else chosen.usd_cached
    return (
        (tokens_in - tokens_cached) * chosen.usd_in + tokens_cached * cached + tokens_out * chosen.usd_out
    ) / _MILLION


def total(settings: Settings, stages: tuple[StageCost, ...]) -> float | None:
    """USD of several stages; None when one of them has no price."""
    found = [priced(settings, stage) for stage in stages]
    return None if any(usd is None for usd in found) else sum(usd for usd in found if usd is not None)

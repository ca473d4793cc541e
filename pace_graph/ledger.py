"""What a query cost: seconds, model calls and tokens, by stage."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, LLMResult

OUTSIDE = "other"


@dataclass(frozen=True, slots=True)
class StageCost:
    """What one stage cost.

    Attributes:
        seconds: wall time of the stage itself, without that of stages nested in it.
        calls: model calls made, those that failed included; an endpoint's repeats below a call are not seen.
        tokens_in: prompt tokens, of which `tokens_cached` were served from the endpoint's cache.
        errors: model calls that failed, and one more when the stage itself did.
        from_cache: replies that came from our own cache, which are no calls; they would have cost `tokens_saved`.
    """

    stage: str
    seconds: float = 0.0
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    errors: int = 0
    from_cache: int = 0
    tokens_saved: int = 0

    def plus(self, other: StageCost) -> StageCost:
        """Both costs together, under this one's name."""
        return StageCost(
            self.stage,
            self.seconds + other.seconds,
            self.calls + other.calls,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.tokens_cached + other.tokens_cached,
            self.errors + other.errors,
            self.from_cache + other.from_cache,
            self.tokens_saved + other.tokens_saved,
        )


@dataclass(slots=True)
class _Run:
    """A run that has not ended. `stage` is its own where `named`, otherwise the one it runs in."""

    stage: str
    named: bool
    parent: UUID | None
    began: float
    nested: float = 0.0
    failed_below: bool = False


class Ledger(BaseCallbackHandler):
    """Counts the runs of one query: `chain.invoke(query, {"callbacks": [ledger]})`.

    A stage is a named step of ours, `RunnableLambda(fn, name="plan")`; what runs inside it is booked on the
    innermost one. Without names given, every chain name counts that LangChain did not make up itself
    (`RunnableSequence`, …). Model calls outside any stage are booked on `other`. Threads may share it.
    """

    def __init__(self, stages: Iterable[str] | None = None) -> None:
        super().__init__()
        self._stages = None if stages is None else frozenset(stages)
        self._costs: dict[str, StageCost] = {}
        self._runs: dict[UUID, _Run] = {}
        self._lock = threading.Lock()

    def costs(self) -> tuple[StageCost, ...]:
        """The cost of every stage, in the order they first began."""
        with self._lock:
            return tuple(self._costs.values())

    def total(self) -> StageCost:
        """The cost of all stages together."""
        total = StageCost("total")
        for cost in self.costs():
            total = total.plus(cost)
        return total

    def on_chain_start(
        self,
        serialized: dict[str, Any] | None,
        inputs: object,  # noqa: ARG002 - LangChain's signature
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **kwargs: object,
    ) -> None:
        """Begins a run."""
        name = kwargs.get("name") or (serialized or {}).get("name") or ""
        self._begin(run_id, parent_run_id, str(name))

    def on_chat_model_start(
        self,
        serialized: dict[str, Any] | None,  # noqa: ARG002 - LangChain's signature
        messages: object,  # noqa: ARG002 - LangChain's signature
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **kwargs: object,  # noqa: ARG002 - LangChain's signature
    ) -> None:
        """Counts a model call."""
        self._begin(run_id, parent_run_id, "")
        self._book(run_id, calls=1)

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: object) -> None:  # noqa: ARG002
        """Counts the tokens of a reply."""
        for generations in response.generations:
            for generation in generations:
                if isinstance(generation, ChatGeneration) and isinstance(generation.message, AIMessage):
                    self._book(run_id, **_tokens(generation.message))
        self._end(run_id)

    def on_custom_event(self, name: str, data: Any, *, run_id: UUID, **kwargs: Any) -> None:  # noqa: ARG002
        """Counts a reply that came from our cache."""
        if name == "reply from cache":
            self._book(run_id, from_cache=1, tokens_saved=int(data))

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: object) -> None:  # noqa: ARG002
        """Counts a failed model call."""
        self._book(run_id, errors=1)
        self._end(run_id)

    def on_chain_end(self, outputs: object, *, run_id: UUID, **kwargs: object) -> None:  # noqa: ARG002
        """Ends a run."""
        self._end(run_id)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: object) -> None:  # noqa: ARG002
        """Ends a run that failed."""
        self._end(run_id, failed=True)

    def _begin(self, run_id: UUID, parent_id: UUID | None, name: str) -> None:
        with self._lock:
            parent = self._runs.get(parent_id) if parent_id else None
            named = self._counts(name)
            stage = name if named else parent.stage if parent else OUTSIDE
            self._runs[run_id] = _Run(stage, named, parent_id, time.perf_counter())
            if named:
                self._costs.setdefault(stage, StageCost(stage))

    def _counts(self, name: str) -> bool:
        if self._stages is not None:
            return name in self._stages
        return bool(name) and not name.startswith("Runnable")

    def _book(self, run_id: UUID, **amounts: int) -> None:
        with self._lock:
            run = self._runs.get(run_id)
            stage = run.stage if run else OUTSIDE
            self._costs[stage] = self._costs.get(stage, StageCost(stage)).plus(StageCost(stage, **amounts))

    def _end(self, run_id: UUID, *, failed: bool = False) -> None:
        with self._lock:
            run = self._runs.pop(run_id, None)
            if run is None:
                return
            seconds = time.perf_counter() - run.began
            parent = self._runs.get(run.parent) if run.parent else None
            if parent is not None:
                # A run of no name hands on what was nested in it; a stage takes all of its time.
                parent.nested += seconds if run.named else run.nested
                parent.failed_below |= failed
            if run.named:
                own = max(0.0, seconds - run.nested)
                error = int(failed and not run.failed_below)
                self._costs[run.stage] = self._costs[run.stage].plus(StageCost(run.stage, own, errors=error))


def _tokens(message: AIMessage) -> dict[str, int]:
    usage = message.usage_metadata
    if usage is None:
        return {}
    # With a service tier, LangChain puts the tier's name before `cache_read`.
    cached = [value for key, value in usage.get("input_token_details", {}).items() if key.endswith("cache_read")]
    return {
        "tokens_in": usage["input_tokens"],
        "tokens_out": usage["output_tokens"],
        "tokens_cached": sum(value for value in cached if isinstance(value, int)),
    }

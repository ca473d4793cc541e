"""What a stage is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from langchain_core.runnables import Runnable, RunnableLambda

In = TypeVar("In")
Out = TypeVar("Out")


def stage(name: str, step: Callable[[In], Out]) -> Runnable[In, Out]:
    """A step under a name: the ledger, the drawing of a chain and its errors call it so."""
    return RunnableLambda(step, name=name)

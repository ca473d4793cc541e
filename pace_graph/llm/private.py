"""Keeps facts and requests off tracing services."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def untraced() -> Iterator[None]:
    """A block in which LangChain sends nothing to LangSmith, whatever the environment says.

    A variable set for another program (LANGSMITH_TRACING) would otherwise post every request and fact there.
    Threads that LangChain starts inside the block, as `batch` does, are covered too.
    """
    from langsmith import tracing_context

    with tracing_context(enabled=False):
        yield

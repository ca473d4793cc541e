"""What an embedding model is, and what its vectors must be before they may reach the graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from pace_graph.errors import ModelError
from pace_graph.knn import Floats, unit


class Embedder(Protocol):
    """An embedding model.

    Attributes:
        name: stored on every world it embeds.
        dimension: numbers per vector.
        batch: texts worth giving at a time, so that progress shows and an interruption loses little.
    """

    @property
    def name(self) -> str: ...  # noqa: D102 - described above
    @property
    def dimension(self) -> int: ...  # noqa: D102
    @property
    def batch(self) -> int: ...  # noqa: D102

    def embed(self, texts: Sequence[str]) -> Floats:
        """Vectors of length 1: float32, shape (len(texts), dimension)."""
        ...


def checked(vectors: Floats, count: int, dimension: int, name: str) -> Floats:
    """The vectors scaled to length 1.

    Raises:
        ModelError: when there are too few, or one has another dimension, is zero, or is not finite.
    """
    if vectors.shape != (count, dimension):
        raise ModelError(f"{name} returned vectors of shape {vectors.shape}, not {(count, dimension)}")
    if not np.isfinite(vectors).all():
        raise ModelError(f"{name} returned a vector with a number that is not finite")
    if count and not np.linalg.norm(vectors.astype(np.float64), axis=1).min() > 0:
        raise ModelError(f"{name} returned a vector of length zero")
    return unit(vectors)

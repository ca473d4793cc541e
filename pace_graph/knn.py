"""The exact k-NN graph of one world, and the digest that tells whether it is still the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_DECIMALS = 9
_BLOCK = 512


class Edge(NamedTuple):
    """One SIMILAR_TO edge: positions of its ends in the order of fact ids, rank from 1, cosine."""

    source: int
    target: int
    rank: int
    score: float


def unit(vectors: Floats) -> Floats:
    """The vectors, each of length 1.

    Args:
        vectors: float32, shape (n, dim), no row of length zero.
    """
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    scaled: Floats = (vectors / lengths).astype(np.float32)
    return scaled


def neighbours(vectors: Floats, k: int) -> list[Edge]:
    """The k nearest others of every fact by cosine, best first, ties by position.

    Cosines are summed in 64 bits and rounded to 9 decimals: two machines, or a full and a piecemeal build, then agree
    on every rank.

    Args:
        vectors: float32, shape (n, dim), rows of length 1, in the order of fact ids.
        k: neighbours per fact; with fewer than k others, all of them.

    Returns:
        n x min(k, n - 1) edges, by source and rank.

    Source:
        PACE, section on indexing: for every document its k = 10 nearest others by cosine, self excluded.
    """
    wide = vectors.astype(np.float64)
    count = len(wide)
    keep = min(k, count - 1)
    if keep < 1:
        return []
    found: list[Edge] = []
    for start in range(0, count, _BLOCK):
        scores = np.round(wide[start : start + _BLOCK] @ wide.T, _DECIMALS)
        for row, cosines in enumerate(scores):
            source = start + row
            cosines[source] = -np.inf
            found.extend(
                Edge(source, int(target), rank, float(cosines[target]))
                for rank, target in enumerate(_best(cosines, keep), start=1)
            )
    return found


def _best(scores: NDArray[np.float64], keep: int) -> NDArray[np.intp]:
    """Positions of the `keep` highest scores, best first, ties by position (also at the cut)."""
    floor = np.partition(scores, -keep)[-keep]
    candidates = np.flatnonzero(scores >= floor)
    order: NDArray[np.intp] = candidates[np.argsort(-scores[candidates], kind="stable")]
    return order[:keep]


def content_digest(facts: Iterable[Sequence[str | None]], *more: object) -> str:
    """A digest of facts (rows of strings, in a fixed order) and of whatever else is part of the content."""
    state = hashlib.sha256(json.dumps(more, ensure_ascii=True, default=str).encode())
    for fact in facts:
        state.update(json.dumps(list(fact), ensure_ascii=True).encode() + b"\n")
    return state.hexdigest()


def world_digest(
    facts: Iterable[tuple[str, str, str | None]], edges: Iterable[tuple[str, str, int]], model: str
) -> str:
    """The digest of a world: its facts, its embedding model, and its edges with their ranks.

    Args:
        facts: (fact id, text, date), ordered by id.
        edges: (source id, target id, rank), ordered by source and rank.
        model: name of the embedding model.
    """
    state = hashlib.sha256(model.encode())
    for row in [*facts, *edges]:
        state.update(json.dumps(row, ensure_ascii=True).encode() + b"\n")
    return state.hexdigest()[:32]

"""A model without weights: terms hashed into a vector. For tests and load trials; it knows words, not meanings."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from pace_graph.embed.model import checked
from pace_graph.errors import ConfigError
from pace_graph.knn import Floats
from pace_graph.lexical import tokens


class HashEmbedder:
    """`hash-<dimension>`: every term adds a fixed unit vector drawn from its hash."""

    batch = 512

    def __init__(self, name: str) -> None:
        digits = name.removeprefix("hash-")
        if not digits.isascii() or not digits.isdigit() or not 1 <= int(digits) <= 4096:
            raise ConfigError(f"PACE_GRAPH_EMBEDDING__MODEL: {name}: write hash-<dimension>, with 1 to 4096")
        self.name = name
        self.dimension = int(digits)

    def embed(self, texts: Sequence[str]) -> Floats:
        """See `Embedder.embed`."""
        rows = [sum((self._term(term) for term in tokens(text) or [text]), np.zeros(self.dimension)) for text in texts]
        vectors = np.array(rows, dtype=np.float32).reshape(len(texts), self.dimension)
        return checked(vectors, len(texts), self.dimension, self.name)

    def _term(self, term: str) -> Floats:
        seed = int.from_bytes(hashlib.sha256(term.encode("utf-8", "surrogatepass")).digest()[:8])
        return np.random.default_rng(seed).standard_normal(self.dimension).astype(np.float32)

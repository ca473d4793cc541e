"""An embedding endpoint of the OpenAI protocol, through langchain-openai."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from pydantic import SecretStr

from pace_graph.config import EmbeddingSettings
from pace_graph.embed.model import checked
from pace_graph.errors import ConfigError, ModelError
from pace_graph.knn import Floats

if TYPE_CHECKING:
    from langchain_openai import OpenAIEmbeddings


class EndpointEmbedder:
    """A model behind an endpoint. Its dimension is the one set, or is asked for once."""

    def __init__(self, name: str, settings: EmbeddingSettings) -> None:
        if settings.base_url is None and settings.api_key is None:
            raise ConfigError(
                f"the embedding model {name} is no local one: set PACE_GRAPH_EMBEDDING__BASE_URL (and, where the "
                "endpoint wants one, PACE_GRAPH_EMBEDDING__API_KEY)"
            )
        self.name = name
        self.batch = settings.batch
        self._settings = settings

    @cached_property
    def dimension(self) -> int:
        """Numbers per vector."""
        return self._settings.dimensions or len(self._call(["dimension"])[0])

    @cached_property
    def _client(self) -> OpenAIEmbeddings:
        from langchain_openai import OpenAIEmbeddings

        return OpenAIEmbeddings(
            model=self.name,
            openai_api_base=self._settings.base_url,
            openai_api_key=self._settings.api_key or SecretStr("none"),
            dimensions=self._settings.dimensions,
            # Otherwise token ids are sent, which only OpenAI takes, and a tokenizer is downloaded.
            check_embedding_ctx_length=False,
            chunk_size=self._settings.batch,
            request_timeout=self._settings.timeout_s,
        )

    def embed(self, texts: Sequence[str]) -> Floats:
        """See `Embedder.embed`."""
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        rows = self._call(list(texts))
        try:
            # What is too large for 32 bits becomes infinite, and is refused as that.
            with np.errstate(over="ignore"):
                vectors = np.array(rows, dtype=np.float32)
        except (ValueError, TypeError) as error:
            raise ModelError(f"{self.name} returned vectors of several lengths, or not of numbers") from error
        return checked(vectors, len(texts), self.dimension, self.name)

    def _call(self, texts: list[str]) -> list[list[float]]:
        from openai import OpenAIError

        try:
            rows = self._client.embed_documents(texts)
        except (OpenAIError, ValueError, TypeError, LookupError, AttributeError) as error:
            failed = error
        else:
            if rows and all(isinstance(row, list) for row in rows):
                return rows
            raise ModelError(f"the embedding endpoint sent no vectors for {self.name}")
        # Raised out here, without its cause where that quotes the key.
        secret = self._settings.api_key.get_secret_value() if self._settings.api_key else ""
        said = f"the embedding endpoint failed for {self.name}: {failed}"
        if secret and secret in said:
            raise ModelError(said.replace(secret, "***"))
        raise ModelError(said) from failed

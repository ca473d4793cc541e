"""Embedding models: local ones that need no key, and any endpoint of the OpenAI protocol."""

from __future__ import annotations

from collections.abc import Iterable

from pace_graph.config import Settings
from pace_graph.embed.model import Embedder, checked
from pace_graph.errors import WorldError

__all__ = ["Embedder", "checked", "embedder", "for_texts", "for_world"]

_SAMPLE = 400


def embedder(settings: Settings, model: str) -> Embedder:
    """The embedding model of that name.

    Raises:
        ConfigError: when the name is unknown here, or its extra is not installed.
    """
    from pace_graph.embed import endpoint, hashed, onnx

    if model in onnx.MODELS:
        return onnx.OnnxEmbedder(model, settings.cache_dir)
    if model.startswith("hash-"):
        return hashed.HashEmbedder(model)
    return endpoint.EndpointEmbedder(model, settings.embedding)


def for_texts(settings: Settings, texts: Iterable[str]) -> Embedder:
    """The model for a new world: the one set, or the local one for the script most of its facts are written in."""
    from pace_graph.dates import is_chinese
    from pace_graph.embed import onnx

    if settings.embedding.model != "auto":
        return embedder(settings, settings.embedding.model)
    sample = [text for text, _ in zip(texts, range(_SAMPLE), strict=False)]
    chinese = sum(map(is_chinese, sample)) * 2 > len(sample)
    return embedder(settings, onnx.CHINESE if chinese else onnx.LATIN)


def for_world(settings: Settings, world: str, model: str, dimension: int) -> Embedder:
    """The model a world was embedded with.

    Raises:
        WorldError: when another one is set, or the same with another dimension; says how to re-embed.
    """
    wanted = settings.embedding.model
    chosen = embedder(settings, model if wanted == "auto" else wanted)
    if (chosen.name, chosen.dimension) != (model, dimension):
        raise WorldError(
            f"world {world} was embedded with {model} (dimension {dimension}), but {chosen.name} "
            f"(dimension {chosen.dimension}) is set; unset PACE_GRAPH_EMBEDDING__MODEL, "
            f"or run: pace-graph world re-embed {world}"
        )
    return chosen

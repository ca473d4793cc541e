"""The figures that the PACE paper prints, each with its table; "—" where our specification has none.

All are over the paper's own 3,249 requests (1,641 conflict and 1,608 non-conflict, as derived), judged by GPT-5.4-mini.

Source:
    PACE, sections on experiments; specification, section 7.
"""

from __future__ import annotations

from collections.abc import Mapping

NONE = "—"
CONFIGURATIONS = ("Qwen", "GPT", "Gemini")

MAIN_PASS: Mapping[str, Mapping[str, str]] = {
    "oracle": {},
    "full-kb": {"Qwen": "57.49", "GPT": "about 73", "Gemini": "about 73"},
    "bm25": {"Qwen": "62.73"},
    "dense": {"Qwen": "62.39"},
    "pacemaker": {"Qwen": "68.82"},
}
"""Table 2, Pass in percent. The other columns are printed there and not in our source."""

CONFLICT_GAIN: Mapping[str, str] = {"Qwen": "+11.40", "GPT": "+3.47", "Gemini": "+4.02"}
"""Table 3: percentage points of Pass on conflict requests over the strongest baseline that is no oracle."""

ABLATION: Mapping[str, tuple[str, str]] = {
    "full": (NONE, NONE),
    "planning": (NONE, NONE),
    "traversal": ("71.65", "52.41"),
    "selection": (NONE, NONE),
}
"""Table 4 (GPT): what is left out, to Pass and Pass on conflict requests, in percent."""

STRUCTURED = NONE
"""Tables 5, 23 and 24: PaceMaker slightly above HippoRAG 2 and GraphRAG, on conflict requests substantially."""

COST: Mapping[str, Mapping[str, str]] = {
    "pacemaker": {"indexing_s": "80.78", "online_s": "7.46", "cold_s": "215.10", "calls": "4", "calls_indexing": "0"},
    "hippo": {"indexing_s": "290.36", "online_s": "0.80", "cold_s": "310.99", "calls": "1", "calls_indexing": "4096"},
    "graphrag": {
        "indexing_s": "489.37",
        "online_s": "14.00",
        "cold_s": "741.44",
        "calls": NONE,
        "calls_indexing": NONE,
    },
}
"""Table 25: one instance of 2,056 facts and 18 requests; calls are those of one request (72 and 18 of 18)."""

JUDGES_SAME = "86.40"
"""Table 8: percent of PaceMaker's answers that two judges gave the same of three labels."""

JUDGES_FAIL: Mapping[str, tuple[str, str]] = {
    "all": ("23.61", "23.58"),
    "conflict": ("38.09", "38.94"),
    "non_conflict": ("8.83", "7.90"),
}
"""Table 8: percent Fail of the first judge (probably Gemini 3.1 Flash-Lite) and the second (probably GPT-5.4-mini)."""


def by_configuration(found: Mapping[str, str]) -> str:
    """One cell for the three configurations; "—" when none is known."""
    if not found:
        return NONE
    return ", ".join(f"{name} {found.get(name, NONE)}" for name in CONFIGURATIONS)


def main_pass(system: str) -> str:
    """Pass of Table 2 for a system of ours; "" for one that the paper does not have."""
    return by_configuration(MAIN_PASS[system]) if system in MAIN_PASS else ""

"""Gold is for measuring: of all that retrieves, only the oracle reads it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "pace_graph"
RETRIEVING = [*sorted((PACKAGE / "stages").rglob("*.py")), *sorted((PACKAGE / "retrievers").rglob("*.py"))]
GOLD = {"gold", "gold_missing", "judgment", "label", "situation"}
ORACLE = PACKAGE / "retrievers" / "oracle.py"


def read_of_gold(source: str) -> set[str]:
    """The fields of a query that no stage may see, read as attributes or named in a string."""
    nodes = list(ast.walk(ast.parse(source)))
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    strings = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return GOLD & (attributes | strings)


@pytest.mark.parametrize(
    "path", [path for path in RETRIEVING if path != ORACLE], ids=lambda path: str(path.relative_to(PACKAGE))
)
def test_no_stage_and_no_retriever_reads_gold(path: Path) -> None:
    assert read_of_gold(path.read_text(encoding="utf-8")) == set()


def test_the_oracle_does_and_reads_no_more_than_that() -> None:
    # Otherwise the test above looks in the wrong place.
    assert read_of_gold(ORACLE.read_text(encoding="utf-8")) == {"gold"}
    assert read_of_gold("getattr(query, 'gold_missing')") == {"gold_missing"}
    assert len(RETRIEVING) > 15

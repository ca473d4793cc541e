"""Formats: each writes the same tables."""

from __future__ import annotations

from collections.abc import Callable

from pace_graph.evaluation.render import csv, html, json, latex, markdown
from pace_graph.evaluation.render.document import Document

FORMATS: dict[str, Callable[[Document], str]] = {
    "markdown": markdown.write,
    "latex": latex.write,
    "csv": csv.write,
    "json": json.write,
    "html": html.write,
}

__all__ = ["FORMATS", "Document"]

"""A report as one page that needs nothing else: no network, no script, everything from data shown as text."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from pace_graph.evaluation.extra import needed
from pace_graph.evaluation.render.document import NOT_FINAL, NUMERIC, Document, heading, shown


def write(document: Document) -> str:
    """The page."""
    jinja = needed("jinja2")
    environment = jinja.Environment(
        autoescape=True, undefined=jinja.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    page = environment.from_string(files(__package__).joinpath("page.html").read_text(encoding="utf-8"))
    sections = _sections(document)
    told: str = page.render(
        document=document, sections=sections, not_final=NOT_FINAL, heading=heading, shown=shown, numeric=NUMERIC
    )
    return told


def _sections(document: Document) -> list[dict[str, Any]]:
    """Tables with their pictures, which are markup that we drew, all text in it escaped."""
    markup = needed("markupsafe").Markup
    return [
        {
            "table": table,
            "pictures": [
                {"title": picture.title, "svg": markup(picture.svg())}
                for picture in document.pictures
                if picture.table == table.name
            ],
        }
        for table in document.tables
    ]

"""Every format: marked when not final, whole, and nothing of the data taken for anything but text."""

from __future__ import annotations

import csv as lines
import json as reading
import re
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from pace_graph.evaluation.folder import RunFolder
from pace_graph.evaluation.render import FORMATS, Document, latex, markdown
from pace_graph.evaluation.render.document import number, shown
from pace_graph.evaluation.report import document
from pace_graph.evaluation.rows import Answer, Judgment, Key, Retrieval, Row
from pace_graph.evaluation.stats import Rate
from pace_graph.evaluation.tables.shape import Column, Table
from tests.made_runs import asked, realistic, steps, write_run

EVIL = (
    "<script>alert(1)</script><img src=x onerror=alert(2)> & | $x_1$ \\input{/etc/passwd} %50 # `a` **b** [c](d) ~^{}"
)
every_format = pytest.mark.parametrize("form", list(FORMATS))


def evil_run(path: Path) -> RunFolder:
    query = asked(EVIL, 0, (EVIL,), text=EVIL, judgment=EVIL)
    key, bad = Key(EVIL, EVIL, "q00"), Key("bm25", EVIL, "q00")
    rows: list[Row] = [
        Retrieval(key, "ok", (EVIL,), steps=steps(retrieve=[EVIL], fuse=[EVIL])),
        Answer(key, "ok", EVIL),
        Retrieval(bad, "error", error=EVIL),
    ]
    return write_run(path, [query], rows, {"judge": [Judgment(key, EVIL, 0, "ok", "PASS")]}, [EVIL, "bm25"])


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Document:
    return document([realistic(tmp_path_factory.mktemp("made") / "run")], resamples=100, drawn=True)


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Document:
    return document([evil_run(tmp_path_factory.mktemp("made") / "a<b>_run & $x$")], resamples=100, drawn=True)


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Document:
    made = tmp_path_factory.mktemp("made")
    runs = [
        realistic(made / f"h{h}", systems=("pacemaker",), judges=("j",), config={"hops": h}, seed=h) for h in (1, 3, 5)
    ]
    return document(runs, resamples=100, drawn=True)


@every_format
def test_a_report_that_is_not_final_says_so_on_top(form: str, evil: Document, whole: Document) -> None:
    head = FORMATS[form](evil)[: 10_000 if form == "html" else 600].lower()
    assert re.search(r"not.final|\"final\": false", head)
    assert re.search(r"bm25, 1 requests: retrieval errors 1", head)
    assert not re.search(r"not.final:|not-final|\"final\": false|role=\"alert\"", FORMATS[form](whole).lower())


@every_format
def test_every_table_is_there(form: str, whole: Document) -> None:
    text = FORMATS[form](whole)
    for table in whole.tables:
        assert table.name in text or markdown.escaped(table.title) in text


@every_format
def test_a_report_is_the_same_twice(form: str, whole: Document, tmp_path: Path) -> None:
    again = document([realistic(tmp_path / "run")], resamples=100, drawn=True)
    assert FORMATS[form](again) == FORMATS[form](whole)


def test_json_holds_every_figure_unrounded(whole: Document) -> None:
    found = reading.loads(FORMATS["json"](whole))
    assert next(iter(found)) == "final"
    assert found["final"] is True
    main = next(table for table in found["tables"] if table["name"] == "main")
    rate = main["rows"][0]["Recall@10"]
    assert set(rate) == {"value", "low", "high", "n"}
    assert 0 < rate["low"] < rate["value"] < rate["high"] < 1
    assert {"name": "Pass, paper (Table 2)", "unit": "text", "paper": True} in main["columns"]


def test_csv_is_one_table_of_values(whole: Document, evil: Document) -> None:
    rows = list(lines.DictReader(StringIO(FORMATS["csv"](whole))))
    main = [row for row in rows if row["table"] == "main" and row["of"] == "pacemaker"]
    recall = next(row for row in main if row["column"] == "Recall@10")
    assert 0 < float(recall["low"]) < float(recall["value"]) < float(recall["high"]) < 1
    assert recall["n"] == "54"
    assert next(row["value"] for row in main if row["paper"]) == "Qwen 68.82, GPT —, Gemini —"
    assert {row["final"] for row in rows} == {"yes"}
    first = next(iter(lines.DictReader(StringIO(FORMATS["csv"](evil)))))
    assert (first["final"], first["table"]) == ("no", "not-final")


def test_csv_holds_no_formula() -> None:
    table = Table("t", "T", (Column("a"), Column("answer", "long")), (("=1+1", "@SUM(A1)"), ("-x", "+1")))
    found = list(lines.DictReader(StringIO(FORMATS["csv"](Document("r", (), (), (table,))))))
    assert [(row["of"], row["value"]) for row in found] == [("'=1+1", "'@SUM(A1)"), ("'-x", "'+1")]


def test_markdown_tables_are_whole(whole: Document, evil: Document) -> None:
    for text in (FORMATS["markdown"](whole), FORMATS["markdown"](evil)):
        for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
            counts = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
            assert len(counts) == 1
        assert not re.search(r"<\w", text)


def test_latex_tables_are_whole(whole: Document, evil: Document) -> None:
    for made in (whole, evil):
        text = FORMATS["latex"](made)
        assert text.count(r"\toprule") == text.count(r"\bottomrule") == len(made.tables)
        body = re.sub(r"\\[{}\\%&$#_]", "", re.sub(r"^%.*$", "", text, flags=re.MULTILINE))
        assert body.count("{") == body.count("}")
        assert "\\input{" not in body
        assert not re.search(r"^%.*\n(?!%|\\|$|\n)", text, re.MULTILINE)


def test_latex_rows_have_as_many_cells_as_columns(whole: Document) -> None:
    main = next(table for table in whole.tables if table.name == "main")
    text = FORMATS["latex"](Document("r", (), (), (main,)))
    rows = re.findall(r"\\midrule\n(.*)\\bottomrule", text, re.DOTALL)[0].strip().splitlines()
    assert {len(re.findall(r"(?<!\\)&", row)) for row in rows} == {len(main.columns) - 1}


def test_latex_escapes_every_sign_it_knows() -> None:
    assert latex.escaped("50 % of a_b & c#1 {x} ~ ^ \\ $") == (
        r"50 \% of a\_b \& c\#1 \{x\} \textasciitilde{} \textasciicircum{} \textbackslash{} \$"
    )


class Page(HTMLParser):
    """What a page is made of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.said = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.said += data


@pytest.fixture(params=["whole", "evil", "sweep"])
def page(request: pytest.FixtureRequest) -> str:
    return FORMATS["html"](request.getfixturevalue(request.param))


def test_the_page_asks_the_network_for_nothing(page: str) -> None:
    assert re.findall(r"https?:|//[a-z]|@import|url\((?!#)", page) == []
    for tag, attributes in Page(page).tags:
        assert tag not in {"script", "link", "img", "iframe", "object", "embed", "base", "form", "image"}, tag
        assert not {"src", "srcset", "data", "action", "style-src"} & set(attributes)
        for name in ("href", "xlink:href"):
            assert (attributes.get(name) or "#").startswith("#")
        assert not [name for name in attributes if name.startswith("on")]
    assert "Content-Security-Policy" in page
    assert "default-src 'none'" in page


def test_markup_in_data_is_shown_as_text(evil: Document) -> None:
    said = Page(FORMATS["html"](evil))
    assert said.said.count(EVIL) >= 5
    assert "<script" not in FORMATS["html"](evil)
    assert "<img" not in FORMATS["html"](evil)


def test_ids_are_unique_and_every_link_leads_somewhere(page: str) -> None:
    tags = Page(page).tags
    ids = [attributes["id"] for _, attributes in tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = {(attributes["href"] or "").removeprefix("#") for _, attributes in tags if "href" in attributes}
    assert links <= set(ids)
    used = set(re.findall(r"url\(#([^)]+)\)", page))
    assert used <= set(ids)


def test_the_page_has_contents_and_both_colour_schemes(whole: Document) -> None:
    text = FORMATS["html"](whole)
    for table in whole.tables:
        assert f'<a href="#{table.name}">' in text
    assert "prefers-color-scheme: dark" in text
    assert 'name="viewport"' in text


def test_pictures_are_there_by_what_the_runs_hold(whole: Document, sweep: Document) -> None:
    names = [picture.name for picture in whole.pictures]
    assert names == [
        *("recall-by-type", "pass-by-type", "pass-by-coverage", "coverage", "losses", "ceilings", "latency")
    ]
    assert "sweep-0" in [picture.name for picture in sweep.pictures]
    assert {picture.table for picture in sweep.pictures} <= {table.name for table in sweep.tables}


def test_pictures_are_sound_and_take_the_colour_of_the_page(whole: Document) -> None:
    for picture in whole.pictures:
        svg = picture.svg()
        ElementTree.fromstring(svg)
        assert "currentColor" in svg
        assert "#010203" not in svg
        assert "pacemaker" in svg  # text stays text


def test_series_are_told_apart_without_colour(whole: Document) -> None:
    losses = next(picture for picture in whole.pictures if picture.name == "losses").svg()
    assert losses.count("<pattern") >= 4


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (0.68819, "percent", "68.8"),
        (-0.05, "points", "-5.0"),
        (0.05, "points", "+5.0"),
        (0.0004, "p", "< 0.001"),
        (0.04, "p", "0.040"),
        (12345, "count", "12,345"),
        (0.0123, "seconds", "0.012"),
        (12.34, "seconds", "12.3"),
        (0.0123, "ms", "12.3"),
        (0.5, "usd", "0.5000"),
    ],
)
def test_numbers_read_in_their_unit(value: float, unit: Any, expected: str) -> None:
    assert number(value, unit) == expected


def test_what_is_not_there_is_a_dash() -> None:
    assert shown(None, Column("a", "percent")).text == "–"
    assert shown(None, Column("a")).text == ""
    assert shown(Rate(None), Column("a", "percent")).text == "–"
    assert shown(Rate(0.5, n=1), Column("a", "percent")).interval == ""
    assert shown(Rate(0.5, 0.25, 0.75, 9), Column("a", "percent")).interval == "[25.0, 75.0]"

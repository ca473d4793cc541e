"""The wheel alone: built from the sdist, installed with its base dependencies into a fresh environment, used elsewhere.

Nothing is borrowed from the environment that runs the tests: an undeclared dependency, a statement, a prompt or a
world that is left out, shows here.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import venv
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from email.parser import Parser
from pathlib import Path
from typing import Any

import pytest

import pace_graph

ROOT = Path(__file__).parents[2]
FACTS = [
    "Ivo Horn has choir practice on Quay Street.",
    "The repair bench is free until 19:00.",
    "Ada Ferns has a bell.",
]

KINDS = {
    "statements": ("cypher", "*.cypher", "pace_graph/cypher"),
    "prompts": ("pace_graph/prompts", "*.md", "pace_graph/prompts"),
    "worlds": ("pace_graph/data", "*.json", "pace_graph/data"),
    "code": ("pace_graph", "*.py", "pace_graph"),
    "lists": ("pace_graph", "*.txt", "pace_graph"),
    "loaders": ("loaders", "*.py", "loaders"),
    "types": ("pace_graph", "py.typed", "pace_graph"),
}


@dataclass(frozen=True)
class Installed:
    """An environment that holds the wheel, and a folder far from the checkout.

    Attributes:
        sources: what the checkout held when the wheel was built: kind to name in the wheel to content.
    """

    sources: dict[str, dict[str, bytes]]
    wheel: Path
    python: Path
    elsewhere: Path

    def run(self, *arguments: object, status: int = 0) -> str:
        """The standard output of `pace-graph` with these arguments."""
        done = self._run([str(self.python.parent / "pace-graph"), *map(str, arguments)])
        assert done.returncode == status, (arguments, done.stdout, done.stderr)
        return done.stdout if status == 0 else done.stderr

    def said(self, code: str) -> Any:
        """What a piece of Python prints as JSON there."""
        done = self._run([str(self.python), "-c", code])
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def _run(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        return subprocess.run(
            command, cwd=self.elsewhere, env=clean, capture_output=True, text=True, timeout=120, check=False
        )


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("wheel")
    sources = {kind: sources_of(*where) for kind, where in KINDS.items()}
    # From the sdist, as whoever packages it does: what the sdist lacks, the wheel lacks.
    _done([sys.executable, "-m", "build", "--outdir", folder / "dist", ROOT])
    (wheel,) = (folder / "dist").glob("*.whl")
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    _done([python, "-m", "pip", "install", "--disable-pip-version-check", "--quiet", wheel])
    (folder / "elsewhere").mkdir()
    return Installed(sources, wheel, python, folder / "elsewhere")


def _done(command: list[Any]) -> None:
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=600, check=False, cwd=ROOT.parent
    )
    assert done.returncode == 0, done.stdout + done.stderr


def sources_of(folder: str, pattern: str, below: str) -> dict[str, bytes]:
    found = {f"{below}/{path.relative_to(ROOT / folder).as_posix()}": path for path in (ROOT / folder).rglob(pattern)}
    return {name: path.read_bytes() for name, path in found.items() if "__pycache__" not in path.parts}


@pytest.mark.parametrize(
    ("kind", "least"),
    [("statements", 25), ("prompts", 5), ("worlds", 9), ("code", 80), ("lists", 1), ("loaders", 5), ("types", 1)],
)
def test_the_wheel_carries(installed: Installed, kind: str, least: int) -> None:
    wanted = installed.sources[kind]
    assert len(wanted) >= least
    with zipfile.ZipFile(installed.wheel) as archive:
        names = set(archive.namelist())
        assert [name for name in wanted if name not in names] == []
        assert [name for name, content in wanted.items() if archive.read(name) != content] == []


def test_the_wheel_carries_nothing_else(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as archive:
        tops = {name.split("/")[0] for name in archive.namelist()}
        endings = {Path(name).suffix for name in archive.namelist() if ".dist-info/" not in name}
    assert tops == {"pace_graph", "loaders", f"pace_graph-{pace_graph.__version__}.dist-info"}
    assert endings <= {".py", ".cypher", ".md", ".json", ".txt", ".typed", ".html", ""}


def test_its_metadata_names_licence_extras_and_entry_points(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as archive:
        info = f"pace_graph-{pace_graph.__version__}.dist-info"
        metadata = Parser().parsestr(archive.read(f"{info}/METADATA").decode())
        points = archive.read(f"{info}/entry_points.txt").decode()
        assert any(name.startswith(f"{info}/licenses/LICENSE") for name in archive.namelist())
    assert metadata["Version"] == pace_graph.__version__
    assert {"local", "parquet"} <= set(metadata.get_all("Provides-Extra") or [])
    for point in ("[console_scripts]\npace-graph = ", "[pace_graph.loaders]\n", "\nfacts = ", "\npace = "):
        assert point in points


def test_both_packages_are_imported_from_there(installed: Installed) -> None:
    homes = installed.said(
        "import json, loaders, pace_graph; print(json.dumps([loaders.__file__, pace_graph.__file__]))"
    )
    for home in homes:
        assert Path(home).is_relative_to(installed.python.parents[1])


def test_statements_prompts_and_worlds_are_read_from_there(installed: Installed) -> None:
    found = installed.said("""
import json
from importlib.resources import files
from pace_graph import texts
from pace_graph.formats import find_format, formats
from pathlib import Path
mini = Path(str(files("pace_graph").joinpath("data", "pace_mini")))
worlds = {case.world: len(case.facts) for case in find_format("pace").read(mini)}
ping = texts.statement("schema/ping").text
print(json.dumps({"worlds": worlds, "formats": sorted(formats()), "ping": ping}))
""")
    assert set(found["worlds"]) == {"mara_quill", "shen_yulan", "tomas_okafor"}
    assert min(found["worlds"].values()) >= 400
    assert {"facts", "pace"} <= set(found["formats"])
    assert found["ping"].strip()


def test_declared_dependencies_agree(installed: Installed) -> None:
    _done([installed.python, "-m", "pip", "check"])


def test_it_says_who_it_is(installed: Installed) -> None:
    assert installed.run("--version").strip() == f"pace-graph, version {pace_graph.__version__}"
    told = installed.run("--help")
    for name in ("demo", "ask", "search", "explain", "load", "worlds", "world", "db"):
        assert re.search(rf"^  {name}\s", told, re.MULTILINE), name
    assert "pace " in installed.run("load", "--help")


@pytest.mark.usefixtures("on_server")
def test_it_loads_searches_and_asks(installed: Installed, new_world: Callable[[], str]) -> None:
    name = new_world()
    folder = installed.elsewhere / "worlds" / "kb" / name
    folder.mkdir(parents=True)
    corpus = [{"doc_id": f"d{number}", "text": text} for number, text in enumerate(FACTS)]
    (folder / "corpus.json").write_text(json.dumps(corpus), encoding="utf-8")

    assert name in installed.run("load", "pace", "worlds")
    assert name in {each["world"] for each in json.loads(installed.run("worlds", "--json"))}
    assert name in installed.run("worlds")
    hits = json.loads(installed.run("search", name, "repair bench", "--json", "-k", "1", "--legs", "lexical"))
    assert [hit["fact_id"] for hit in hits] == ["d1"]
    reply = json.loads(installed.run("ask", name, "Book the repair bench for Friday.", "--json"))
    assert {each["fact_id"] for each in reply["evidence"]} == {"d0", "d1", "d2"}
    assert reply["system"] == "pacemaker-rules"
    assert "no-world" in installed.run("search", "no-world", "bench", status=2)
    installed.run("world", "delete", name, "--yes")


def test_without_the_extra_it_tells_how_to_get_a_server(installed: Installed) -> None:
    told = installed.run("worlds", status=2)
    assert told.count("\n") == 1
    assert 'pip install "pace-graph[local]"' in told
    assert "PACE_GRAPH_NEO4J__URI" in told

"""What is shipped: one Neo4j release, every statement and prompt, no path or host of whoever built it."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

import pace_graph
from pace_graph.server.release import COORDINATES, NEO4J_VERSION, OLDEST_VERSION, order

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def tracked() -> list[Path]:
    """Files that git keeps, or would: new ones that are not ignored too."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def test_one_neo4j_release() -> None:
    compose = (ROOT / "docker" / "compose.yml").read_text(encoding="utf-8")
    assert re.findall(r"image:\s*neo4j:(\S+)", compose) == [NEO4J_VERSION]
    assert {version for group, _, version in COORDINATES if group in {"org.neo4j", "org.neo4j.app"}} == {NEO4J_VERSION}
    assert order(NEO4J_VERSION) >= order(OLDEST_VERSION)


def test_the_jars_are_of_that_release() -> None:
    jars = (ROOT / "pace_graph" / "server" / "jars.txt").read_text(encoding="utf-8")
    assert NEO4J_VERSION in jars
    assert set(re.findall(r"\b20\d\d\.\d\d\.\d+\b", jars)) == {NEO4J_VERSION}


def test_no_other_file_names_another_release() -> None:
    for path in tracked():
        # Tests name other releases on purpose: those that are refused.
        if path.suffix in {".py", ".md", ".yml", ".toml"} and "tests" not in path.relative_to(ROOT).parts:
            found = set(re.findall(r"neo4j[:= -]{1,3}(20\d\d\.\d\d\.\d+)", path.read_text(encoding="utf-8"), re.I))
            assert found <= {NEO4J_VERSION}, path


def test_versions_agree_and_the_changelog_has_it() -> None:
    version = PROJECT["project"]["version"]
    assert pace_graph.__version__ == version
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    heads = re.findall(r"^## \[?(\d+\.\d+\.\d+)\]? - \d{4}-\d{2}-\d{2}$", changelog, re.M)
    assert heads[0] == version
    assert heads == sorted(heads, key=order, reverse=True)


# Put together here, so that this file does not hold them itself.
MACHINE = ("/wor" + "k/", "/roo" + "t/", "/hom" + "e/", "/tm" + "p/", "/User" + "s/")
HOSTS = ("pypi" + ".org", "repo1" + ".maven", "files.python" + "hosted", "huggingface" + ".co")


@pytest.mark.parametrize("words", [MACHINE[:2], MACHINE[2:], HOSTS], ids=["this machine", "any machine", "registries"])
def test_no_tracked_file_names(words: tuple[str, ...]) -> None:
    found = []
    for path in tracked():
        text = path.read_bytes()
        # A path begins there: the tail of a longer path or of an address is none.
        shape = b"|".join(rb"(?<![\w.-])" + re.escape(word.encode()) for word in words)
        found += [f"{path.relative_to(ROOT)}: {hit[0].decode()}" for hit in re.finditer(shape, text)]
    assert found == []


def test_everything_outside_the_packages_is_in_the_wheel_by_name() -> None:
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["only-include"] == ["pace_graph", "loaders", "cypher"]
    assert wheel["sources"] == {"cypher": "pace_graph/cypher"}


def test_the_licence_is_there() -> None:
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith("MIT License")
    assert PROJECT["project"]["license"] == "MIT"


def test_console_script_and_formats_point_at_something() -> None:
    from importlib import import_module

    project = PROJECT["project"]
    points = {**project["scripts"], **project["entry-points"]["pace_graph.loaders"]}
    assert {"pace-graph", "facts", "pace"} <= set(points)
    for target in points.values():
        module, name = target.split(":")
        assert getattr(import_module(module), name)

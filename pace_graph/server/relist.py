"""Writes jars.txt anew for the release named in release.py: `python -m pace_graph.server.relist`.

For maintainers, after NEO4J_VERSION changes. jgo reads the POMs; what it finds is pinned by digest.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

from pace_graph.config import Settings
from pace_graph.server.places import Places
from pace_graph.server.release import COORDINATES

HEADER = "# sha256, bytes, Maven coordinate; written by `python -m pace_graph.server.relist`\n"


def main() -> None:
    """Resolves the coordinates, fetches what is missing, and writes the list."""
    from jgo.maven import MavenContext

    context = MavenContext(repo_cache=Places.of(Settings.read()).repository, timeout=30)
    wanted = [context.create_dependency(":".join(coordinate)) for coordinate in COORDINATES]
    inputs, others = context.resolver.resolve(wanted)
    kept = [*inputs, *(found for found in others if found.scope in ("compile", "runtime"))]
    artifacts = {found.artifact.key: found.artifact for found in kept}
    lines = []
    for (group, name, version, classifier, _), artifact in artifacts.items():
        data = artifact.resolve().read_bytes()
        coordinate = ":".join(part for part in (group, name, version, classifier) if part)
        lines.append(f"{hashlib.sha256(data).hexdigest()} {len(data)} {coordinate}\n")
    Path(__file__).with_name("jars.txt").write_text(HEADER + "".join(lines), "utf-8")
    sys.stdout.write(f"{len(lines)} jars listed\n")


if __name__ == "__main__":
    main()

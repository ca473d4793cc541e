"""The one check, for people and CI alike; it stops at the first step that fails."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

BIN = Path(sys.executable).parent

STEPS = (
    ("format", "ruff", "format", "--check", "."),
    ("lint", "ruff", "check", "."),
    ("types", "mypy"),
    ("import contracts", "lint-imports"),
    ("tests", "pytest"),
)


def main() -> int:
    """Runs every step; the exit status of the first that fails, else 0."""
    for name, tool, *rest in STEPS:
        print(f"== {name}: {tool} {' '.join(rest)}", flush=True)  # noqa: T201
        began = time.monotonic()
        status = subprocess.run(
            [BIN / tool, *rest, *(sys.argv[1:] if tool == "pytest" else [])], check=False
        ).returncode
        if status:
            return status
        print(f"   {name} took {time.monotonic() - began:.1f} s", flush=True)  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())

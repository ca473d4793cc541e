"""Writing the files of an export: all of them, or none when one would be written over."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pace_graph.errors import ConfigError


def write_new(files: Mapping[Path, str]) -> tuple[Path, ...]:
    """The files as written, UTF-8, line ends as they are.

    Raises:
        ConfigError: when a file is there already, or a folder cannot be written.
    """
    there = [path for path in files if path.exists()]
    if there:
        raise ConfigError(f"{there[0]} is there already; name another folder, or remove it")
    try:
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise ConfigError(f"{error.filename} cannot be written: {error.strerror}") from error
    return tuple(files)

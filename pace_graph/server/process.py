"""Processes of this machine, through psutil."""

from __future__ import annotations

import os


def lives(pid: int, word: str = "") -> bool:
    """Whether a process has this pid, is no zombie, and carries the word on its command line."""
    import psutil  # type: ignore[import-untyped]

    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return False
        return not word or word in process.cmdline()
    except psutil.Error:
        return False


def memory_bytes() -> int:
    """The memory of this machine."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")

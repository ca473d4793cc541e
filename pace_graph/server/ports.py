"""Free ports on loopback."""

from __future__ import annotations

import socket

LOOPBACK = "127.0.0.1"
BOLT = 7687
HTTP = 7474


def answers(port: int, timeout_s: float = 0.5) -> bool:
    """Whether something listens on this port of loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.settimeout(timeout_s)
        return probe.connect_ex((LOOPBACK, port)) == 0


def free(usual: int) -> int:
    """The usual port when it is free, any free one otherwise."""
    if not answers(usual):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            # Without it the port of a server stopped a moment ago would count as taken.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((LOOPBACK, usual))
            except OSError:
                pass
            else:
                return usual
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])

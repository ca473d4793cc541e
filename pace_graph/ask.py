"""Gone in a moment: use pace_graph.asking."""

from pace_graph.asking import Reply, ask, build, checked, search, up_to

__all__ = ["Reply", "ask", "build", "checked", "search", "up_to"]

"""The one door to chat models, by role, over any endpoint of the OpenAI protocol."""

from pace_graph.llm.chat import Chat, Role
from pace_graph.llm.contracts import Decision, Dimension, FilterReply, PlanReply, ViewsReply
from pace_graph.llm.limits import Limits
from pace_graph.llm.private import untraced
from pace_graph.llm.replies import Replies

__all__ = [
    "Chat",
    "Decision",
    "Dimension",
    "FilterReply",
    "Limits",
    "PlanReply",
    "Replies",
    "Role",
    "ViewsReply",
    "untraced",
]

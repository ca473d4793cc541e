"""The one door to chat models, by role, over any endpoint of the OpenAI protocol."""

from pace_graph.llm.chat import Chat, Role
from pace_graph.llm.contracts import Decision, Dimension, FilterReply, PlanReply, ViewsReply
from pace_graph.llm.private import untraced

__all__ = ["Chat", "Decision", "Dimension", "FilterReply", "PlanReply", "Role", "ViewsReply", "untraced"]

"""An evidence path as a tree: views, seeds, hops, and what was kept."""

from __future__ import annotations

from typing import Any

from rich.console import Group
from rich.text import Text
from rich.tree import Tree

from pace_graph.cli.terminal import printable, short


def evidence_tree(trace: dict[str, Any]) -> Group:
    """The tree of a trace: each kept fact with the steps that led to it; gold facts are starred, missed ones listed."""
    kept = {fact["fact_id"]: fact for fact in trace["kept"]}
    gold = {fact["fact_id"] for fact in trace["gold"]}
    texts = {fact["fact_id"]: fact["text"] for part in ("seeds", "reached", "kept", "gold") for fact in trace[part]}
    tree = Tree(Text(f"{trace['system']} · {trace['world']} · {trace['ref_date'] or 'no date'}", style="bold"))
    asked = tree.add(Text(f"request: {short(printable(trace['text']), 160)}"))
    views = asked.add(Text(f"{len(trace['views'])} views"))
    for position, view in enumerate(trace["views"]):
        views.add(Text(f"view {position}: {short(printable(view), 140)}", style="dim"))
    _add_paths(tree, kept, texts, gold, {seed["fact_id"]: seed["legs"] or [] for seed in trace["seeds"]})
    parts: list[Any] = [tree, Text(_sizes(trace), style="dim")]
    if gold:
        parts.append(_missed(trace, kept, gold, texts))
    return Group(*parts)


def _add_paths(
    tree: Tree, kept: dict[str, Any], texts: dict[str, str], gold: set[str], legs: dict[str, list[str]]
) -> None:
    nodes: dict[tuple[str, ...], Tree] = {(): tree.add(Text("evidence (fact, rank kept)"))}
    for fact in sorted(kept.values(), key=lambda row: row["rank"]):
        path = tuple(fact["path"])
        for length in range(1, len(path) + 1):
            here = path[:length]
            if here not in nodes:
                nodes[here] = nodes[here[:-1]].add(_label(here[-1], length - 1, kept, texts, gold, legs))


def _label(
    fact_id: str,
    hop: int,
    kept: dict[str, Any],
    texts: dict[str, str],
    gold: set[str],
    legs: dict[str, list[str]],
) -> Text:
    rank = f"#{kept[fact_id]['rank']}" if fact_id in kept else "·"
    star = " ★" if fact_id in gold else ""
    how = "seed" if hop == 0 else f"hop {hop}"
    label = Text(f"{rank}{star} [{printable(fact_id)}] ", style="bold" if fact_id in kept else "dim")
    label.append(short(printable(texts.get(fact_id, "")), 150), style="" if fact_id in kept else "dim")
    found = ", ".join(_leg(leg) for leg in legs.get(fact_id, []) if hop == 0)
    return label.append(f"  ({how}{': ' + found if found else ''})", style="dim")


def _leg(told: str) -> str:
    # "view 0 dense rank 3 score 0.8123" as it stands in the graph, shortened for one line.
    words = told.split()
    return f"v{words[1]} {words[2]} #{words[4]}"


def _sizes(trace: dict[str, Any]) -> str:
    hops = max((fact["hop"] for fact in trace["reached"]), default=0)
    return (
        f"{len(trace['seeds'])} seeds, {len(trace['reached'])} facts reached in {hops} hops, {len(trace['kept'])} kept"
    )


def _missed(trace: dict[str, Any], kept: dict[str, Any], gold: set[str], texts: dict[str, str]) -> Text:
    reached = {fact["fact_id"] for part in ("seeds", "reached") for fact in trace[part]}
    lines = [f"★ gold: {len(gold & kept.keys())} of {len(gold)} kept"]
    for fact_id in sorted(gold - kept.keys()):
        where = "dropped by the last filter" if fact_id in reached else "never reached"
        lines.append(f"  missed [{printable(fact_id)}] {short(printable(texts[fact_id]), 120)} ({where})")
    return Text("\n".join(lines))

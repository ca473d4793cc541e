"""Parts of a whole as bars laid end to end, one bar a system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pace_graph.evaluation.figures.style import COLOURS, HATCHES, INK, name_rows

Parts = Mapping[str, Sequence[float]]
"""Name to the length of that part in each row."""


def stacks(axes: Any, rows: Sequence[str], parts: Parts) -> None:
    """Bars whose parts are told apart by colour and hatching; parts that are nowhere are left out."""
    left = [0.0] * len(rows)
    kept = {name: lengths for name, lengths in parts.items() if any(lengths)}
    for at, (name, lengths) in enumerate(kept.items()):
        axes.barh(
            range(len(rows)),
            lengths,
            left=left,
            height=0.68,
            color=COLOURS[at % len(COLOURS)],
            hatch=HATCHES[at % len(HATCHES)],
            edgecolor=INK,
            linewidth=0.5,
            label=name,
        )
        left = [begin + length for begin, length in zip(left, lengths, strict=True)]
    name_rows(axes, rows)
    axes.grid(visible=True, axis="x")
    axes.set_axisbelow(True)


def legend_above(figure: Any, axes: Any, columns: int = 3) -> None:
    """The legend over the picture, in columns."""
    handles, names = axes.get_legend_handles_labels()
    if handles:
        figure.legend(handles, names, loc="outside upper left", ncols=columns)

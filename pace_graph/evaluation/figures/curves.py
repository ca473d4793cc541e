"""Rates along a setting or along the chain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pace_graph.evaluation.extra import needed
from pace_graph.evaluation.figures.style import COLOURS, INK, MARKERS
from pace_graph.evaluation.stats import Rate

Curve = Sequence[tuple[float, Rate | None]]
"""(x, rate) in the order of x."""


def curves(axes: Any, by_name: Mapping[str, Curve], *, bands: bool = True) -> None:
    """One line a name, told apart by colour and mark; bands are 95 % intervals."""
    for at, (name, curve) in enumerate(by_name.items()):
        known = [(x, rate) for x, rate in curve if rate and rate.value is not None]
        if not known:
            continue
        colour, xs = COLOURS[at % len(COLOURS)], [x for x, _ in known]
        axes.plot(
            xs,
            [rate.value for _, rate in known],
            color=colour,
            marker=MARKERS[at % len(MARKERS)],
            markeredgecolor=INK,
            markeredgewidth=0.5,
            linestyle=("-", "--", "-.", ":")[at % 4],
            label=name,
        )
        if bands and all(rate.low is not None for _, rate in known):
            axes.fill_between(xs, *_ends([rate for _, rate in known]), color=colour, alpha=0.15, linewidth=0)
    axes.yaxis.set_major_formatter(needed("matplotlib.ticker").PercentFormatter(1.0, symbol=" %"))
    axes.set_ylim(-0.02, 1.02)
    axes.grid(visible=True, axis="y")


def _ends(rates: Sequence[Rate]) -> tuple[list[float], list[float]]:
    return [rate.low or 0.0 for rate in rates], [rate.high or 0.0 for rate in rates]

"""Rates with their intervals as marks on a line for each system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pace_graph.evaluation.figures.style import COLOURS, INK, MARKERS, name_rows, percent_axis
from pace_graph.evaluation.stats import Rate

Series = Mapping[str, Sequence[Rate | None]]
"""Name to one rate a row."""


def dots(axes: Any, rows: Sequence[str], series: Series) -> None:
    """One mark a row and series: colour and shape say which, bars are 95 % intervals."""
    for at, (name, rates) in enumerate(series.items()):
        shift = 0.22 * (at - (len(series) - 1) / 2)
        known = [(row + shift, rate) for row, rate in enumerate(rates) if rate and rate.value is not None]
        if not known:
            continue
        axes.errorbar(
            [rate.value for _, rate in known],
            [y for y, _ in known],
            xerr=_bars([rate for _, rate in known]),
            fmt=MARKERS[at % len(MARKERS)],
            color=COLOURS[at % len(COLOURS)],
            markeredgecolor=INK,
            markeredgewidth=0.5,
            markersize=6,
            elinewidth=1.2,
            label=name,
        )
    for line in range(1, len(rows)):
        axes.axhline(line - 0.5, color=INK, alpha=0.12, linewidth=0.6)
    name_rows(axes, rows)
    percent_axis(axes)
    axes.set_xlim(-0.03, 1.03)


def _bars(rates: Sequence[Rate]) -> list[list[float]]:
    """Lengths to the left and to the right; 0 where there is no interval."""
    values = [rate.value or 0.0 for rate in rates]
    lows = [v if rate.low is None else rate.low for v, rate in zip(values, rates, strict=True)]
    highs = [v if rate.high is None else rate.high for v, rate in zip(values, rates, strict=True)]
    # A percentile interval need not hold the mean.
    return [
        [max(0.0, v - low) for v, low in zip(values, lows, strict=True)],
        [max(0.0, high - v) for v, high in zip(values, highs, strict=True)],
    ]


def panels(figure: Any, rows: Sequence[str], by_panel: Mapping[str, Series], label: str) -> None:
    """Dots in one panel beside another, with one legend."""
    axes = figure.subplots(1, len(by_panel), sharey=True, squeeze=False)[0]
    for each, (title, series) in zip(axes, by_panel.items(), strict=True):
        dots(each, rows, series)
        each.set_title(title, fontsize=10)
        each.set_xlabel(label)
        each.set_xticks([0, 0.5, 1])
    handles, names = axes[0].get_legend_handles_labels()
    if not handles:
        handles, names = axes[-1].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=max(len(names), 1))

"""How pictures look: colours that colour-blind people tell apart, and never colour alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any
from warnings import catch_warnings, filterwarnings

from pace_graph.evaluation.extra import needed

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999", "#5d4ba0", "#8c6d46")
"""Okabe and Ito's, and two more for charts of many stages."""
HATCHES = ("", "//", "..", "\\\\", "xx", "--", "oo", "||", "++", "**")
MARKERS = ("o", "D", "s", "^", "v", "P", "X", "<", ">", "*")
INK = "#010203"
"""Stands for the colour of text: the page decides what that is, by day and by night."""

_RC = {
    "svg.fonttype": "none",
    "svg.hashsalt": "pace-graph",
    "text.parse_math": False,
    "font.size": 10,
    "hatch.linewidth": 0.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.alpha": 0.25,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    **dict.fromkeys(
        ("text.color", "axes.labelcolor", "axes.edgecolor", "axes.titlecolor", "xtick.color", "ytick.color"), INK
    ),
    "grid.color": INK,
    "hatch.color": INK,
}


@dataclass(frozen=True)
class Picture:
    """A picture.

    Attributes:
        name: unique in a report.
        table: the name of the table it belongs to.
        draw: onto an empty figure.
        size: in inches.
    """

    name: str
    title: str
    table: str
    draw: Callable[[Any], None]
    size: tuple[float, float] = (9.0, 4.0)

    def svg(self) -> str:
        """The picture as SVG to put into a page: text stays text, no address in it, ids of its own."""
        out = StringIO()
        with needed("matplotlib").rc_context(_RC), catch_warnings():
            # The page's fonts have signs that the measuring font lacks.
            filterwarnings("ignore", message="Glyph .* missing")
            figure = needed("matplotlib.figure").Figure(figsize=self.size, layout="constrained")
            figure.patch.set_alpha(0)
            self.draw(figure)
            figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
        svg = _for_page(out.getvalue(), self.name)
        # No larger than its text is meant to be read.
        return svg.replace("<svg", f'<svg style="max-width: {100 * self.size[0]:.0f}px"', 1)


def _for_page(svg: str, name: str) -> str:
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r' (?:xmlns(?::\w+)?|version)="[^"]*"', "", svg).replace("xlink:href", "href")
    svg = re.sub(
        r'(<svg[^>]*?) width="[^"]*"', r"\1", re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, count=1), count=1
    )
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'(url\(|href=")#', rf"\1#{name}-", svg)
    svg = re.sub(r"font: ([\d.]+px)[^;\"]*", r"font-size: \1", svg)
    return svg.replace(INK, "currentColor")


def percent_axis(axes: Any, *, whole: bool = True) -> None:
    """Shares as percent along the horizontal, with light lines."""
    axes.xaxis.set_major_formatter(needed("matplotlib.ticker").PercentFormatter(1.0, symbol=" %"))
    if whole:
        axes.set_xlim(0, 1)
    axes.grid(visible=True, axis="x")
    axes.set_axisbelow(True)


def name_rows(axes: Any, names: Sequence[str]) -> None:
    """Names down the vertical, the first on top."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)


def height(rows: int, each: float = 0.34) -> float:
    """Inches for so many rows, with room for axis and legend."""
    return 1.3 + each * max(rows, 2)

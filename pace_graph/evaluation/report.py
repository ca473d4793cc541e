"""A report on runs, as a document that every format can write."""

from __future__ import annotations

from collections.abc import Sequence

from pace_graph.errors import ConfigError
from pace_graph.evaluation.figures import pictures
from pace_graph.evaluation.folder import RunFolder
from pace_graph.evaluation.render.document import Document
from pace_graph.evaluation.scores import read_runs
from pace_graph.evaluation.stats import Averaging, Resampling
from pace_graph.evaluation.tables import View, all_tables, not_final


def document(
    folders: Sequence[RunFolder], *, judge: str | None = None, ks: Sequence[int] = (5, 10),
    averaging: Averaging = "micro", clustered: bool = False, resamples: int = 2000, seed: int = 0, drawn: bool = False,
) -> Document:  # fmt: skip
    """The report on some run folders.

    Args:
        drawn: with pictures.

    Raises:
        ConfigError: when a run is named twice, has no request, or was not judged by `judge`; or a library is missing.
    """
    names = [folder.name for folder in folders]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ConfigError(
            f"several runs are called {', '.join(twice)}; rename a folder, since reports tell runs by name"
        )
    view = View(read_runs(folders, judge), tuple(ks), averaging, Resampling(clustered, seed, resamples))
    if not view.systems or not all(run.asked for run in view.runs):
        raise ConfigError(f"{', '.join(names)}: there is no request in it; run: pace-graph run")
    return Document(
        f"Report on {', '.join(names)}",
        not_final(view),
        _choices(view),
        all_tables(view),
        pictures(view) if drawn else (),
    )


def _choices(view: View) -> tuple[str, ...]:
    drawn = "whole worlds" if view.how.clustered else "requests (worlds, for means over worlds)"
    draws = f"{view.how.resamples:,} draws of {drawn}, seed {view.how.seed}"
    judged = sorted({run.judge for run in view.runs if run.judge})
    return (
        f"Intervals are 95 % percentile bootstrap intervals: {draws}.",
        f"Labels are those of the judge {' and '.join(judged)}." if judged else "No answer was judged.",
        "“—” is a figure that the paper prints and our source does not have; “–” is one that there is none of.",
    )

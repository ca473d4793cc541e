"""What `pace-graph judge` shows: rates by system and status, a judge beside itself, beside another, under control."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.table import Table
from rich.text import Text

from pace_graph.cli.terminal import printable
from pace_graph.evaluation.agreement import PAPER_FAIL, PAPER_SAME, Agreement, Compared, agreement
from pace_graph.evaluation.folder import RunFolder, file_name
from pace_graph.evaluation.judge import LABELS, Given
from pace_graph.evaluation.opinions import NAMES, STATUSES, count, flips, label_by_answer, shares, tallies
from pace_graph.evaluation.rows import Judged, Judgment
from pace_graph.evaluation.wrong_answers import KINDS

_SCOPES = ("all", *STATUSES)


def report(folder: RunFolder, judge: str) -> dict[str, Any]:
    """All of it as JSON. Shares are in [0, 1], those of the paper in percent."""
    return {
        "judge": judge,
        "systems": {
            system: {
                "labels": tally.labels,
                "shares": {scope: shares(tally.labels[scope]) for scope in _SCOPES},
                "errors": tally.errors,
                "unjudged": tally.unjudged,
                "failed_opinions": tally.failed,
                "final": tally.final,
            }
            for system, tally in tallies(folder, judge).items()
        },
        "flips": asdict(flips(folder.judgments(judge))),
        "agreement": [
            {"system": system or "all", **_agreement_row(found)} for system, found in _agreements(folder, judge)
        ],
        "paper": {"same": PAPER_SAME, "fail": PAPER_FAIL},
    }


def _agreement_row(found: Agreement) -> dict[str, Any]:
    return {
        "judges": found.judges,
        "only_first": found.only_first,
        "only_second": found.only_second,
        "scopes": {scope: _compared_row(each) for scope, each in found.scopes.items()},
    }


def _compared_row(found: Compared) -> dict[str, Any]:
    confusion = {a: {b: found.confusion[a, b] for b in LABELS} for a in LABELS}
    return {**asdict(found), "confusion": confusion}


def tables(folder: RunFolder, judge: str) -> Iterator[Table | str]:
    """All of it for a screen."""
    yield _rates(folder, judge)
    own = flips(folder.judgments(judge))
    if own.answers:
        yield (
            f"Over repeats, {_percent(own.rate)} % of {own.answers} answers get different labels; "
            f"{_percent(own.disagreement)} % of pairs of labels differ.\n"
        )
    found = _agreements(folder, judge)
    if found:
        yield _agreement_table(found)
        yield _fail_table(found)
        yield from map(_confusion, _over_all(found))


def _rates(folder: RunFolder, judge: str) -> Table:
    table = Table("system", "requests", title=_title(f"{judge} (%)"), title_justify="left", title_style="bold")
    for heading in ("judged", *NAMES.values(), "answer errors", "not judged", "judge errors"):
        table.add_column(heading, justify="right")
    for system, tally in tallies(folder, judge).items():
        for scope in _SCOPES:
            first = scope == "all"
            told = map(str, (tally.errors, tally.unjudged, tally.failed)) if first else ("", "", "")
            name = system + ("" if tally.final else " (not final)") if first else ""
            table.add_row(
                Text(printable(name)), scope, *_row(tally.labels[scope]), *told, end_section=scope == _SCOPES[-1]
            )
    return table


def _title(text: str) -> Text:
    # As it is: a model's name may hold what rich would read as markup.
    return Text(printable(text))


def _row(labels: Mapping[Judged, int]) -> tuple[str, ...]:
    whole = sum(labels.values())
    rates = (f"{100 * share:.2f}" if whole else "–" for share in shares(labels).values())
    return (str(whole), *rates)


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.2f}"


def _agreements(folder: RunFolder, judge: str) -> list[tuple[str | None, Agreement]]:
    """With every other judge of the run: over all answers, and by system where there are several."""
    systems = list(tallies(folder, judge))
    scopes: list[str | None] = [None, *(systems if len(systems) > 1 else ())]
    others = [name for name in folder.judges() if name != file_name(judge)]
    return [(system, agreement(folder, judge, other, system)) for other in others for system in scopes]


def _over_all(found: Sequence[tuple[str | None, Agreement]]) -> list[Agreement]:
    return [each for system, each in found if system is None]


def _agreement_table(found: Sequence[tuple[str | None, Agreement]]) -> Table:
    title = f"the same of three labels (%; the paper's two judges over PaceMaker's answers: {PAPER_SAME:.2f})"
    table = Table("judges", "system", title=title, title_justify="left", title_style="bold")
    for heading in ("answers", *_SCOPES, "kappa"):
        table.add_column(heading, justify="right")
    for system, each in found:
        whole = each.scopes["all"]
        kappa = "–" if whole.kappa is None else f"{whole.kappa:.3f}"
        same = (_percent(each.scopes[scope].same) for scope in _SCOPES)
        name = Text(printable(" / ".join(each.judges)))
        table.add_row(name, Text(printable(system or "all")), str(whole.answers), *same, kappa)
    return table


def _fail_table(found: Sequence[tuple[str | None, Agreement]]) -> Table:
    table = Table("judge", "requests", title="labels (%)", title_justify="left", title_style="bold")
    for heading in NAMES.values():
        table.add_column(heading, justify="right")
    for each in _over_all(found):
        for place, judge in enumerate(each.judges):
            for scope in _SCOPES:
                labels = (each.scopes[scope].first, each.scopes[scope].second)[place]
                table.add_row(Text(printable(judge)), scope, *(f"{100 * share:.2f}" for share in labels.values()))
    for judge, fail in PAPER_FAIL.items():
        for scope in _SCOPES:
            table.add_row(f"paper, {judge}", scope, "", "", f"{fail[scope]:.2f}")
    return table


def _confusion(found: Agreement) -> Table:
    title = _title(f"answers by label of {found.judges[0]} (rows) and {found.judges[1]} (columns)")
    table = Table("", title=title, title_justify="left", title_style="bold")
    for heading in NAMES.values():
        table.add_column(heading, justify="right")
    confusion = found.scopes["all"].confusion
    for a in LABELS:
        table.add_row(NAMES[a], *(str(confusion[a, b]) for b in LABELS))
    return table


def control_report(
    folder: RunFolder, judge: str, wrong: Sequence[Given], judgments: Sequence[Judgment]
) -> dict[str, Any]:
    """What a judge made of deliberately wrong answers, as JSON."""
    kinds = _by_kind(wrong, judgments)
    rows = {kind: {"answers": answers, "labels": labels} for kind, (answers, labels) in kinds.items()}
    labels = count(label_by_answer(judgments).values())
    whole = {"answers": sum(answers for answers, _ in kinds.values()), "labels": labels}
    return {"judge": judge, "run": folder.name, "kinds": rows, "all": whole}


def control_tables(judge: str, wrong: Sequence[Given], judgments: Sequence[Judgment]) -> Iterator[Table | str]:
    """What a judge made of deliberately wrong answers, for a screen."""
    title = _title(f"{judge}: deliberately wrong answers")
    table = Table("kind", title=title, title_justify="left", title_style="bold")
    for heading in (*NAMES.values(), "not judged"):
        table.add_column(heading, justify="right")
    kinds = _by_kind(wrong, judgments)
    for kind, (answers, labels) in kinds.items():
        table.add_row(kind, *map(str, labels.values()), str(answers - sum(labels.values())))
    yield table
    passed = sum(labels["PASS"] for _, labels in kinds.values())
    judged = sum(sum(labels.values()) for _, labels in kinds.values())
    yield f"{passed} of {judged} deliberately wrong answers pass."


def _by_kind(wrong: Sequence[Given], judgments: Sequence[Judgment]) -> dict[str, tuple[int, dict[Judged, int]]]:
    """How many answers of each kind there are, and how many got each label."""
    labels = label_by_answer(judgments)
    found = {}
    for kind in KINDS:
        answers = sum(given.key.system == kind for given in wrong)
        found[kind] = answers, count(label for key, label in labels.items() if key.system == kind)
    return found

"""Worlds of any number and size for benchmarks: sentences put together by seed, people and places in common."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date, timedelta

from pace_graph.embed import Embedder
from pace_graph.knn import Floats
from pace_graph.records import Case, Fact, Person, Timeline

REF = date(2026, 3, 19)

_WHO = ("Ada", "Ben", "Chidi", "Dana", "Emil", "Fumiko", "Goran", "Hana")
_WHERE = (
    "the harbour gym", "Lindgren bakery", "the clinic on Mill Street", "the chapel hall", "Kettle cafe",
    "the north library", "Orla's workshop", "the ferry terminal", "the allotment", "room 4 of the music school",
    "the swimming baths", "Tanner's yard",
)  # fmt: skip
_DID = (
    "met {who} at {where} on {day}", "booked {where} for {day} at {clock}", "keeps spare keys for {where} with {who}",
    "noted that {where} opens at {clock} on weekdays", "was told by {who} that the drive to {where} takes {n} minutes",
    "promised {who} to be at {where} by {clock} on {day}", "photographed the timetable of {where} on {day}",
    "read a notice of {day} about works at {where}", "lends {who} {n} books from {where}",
    "heard from {who} that {where} limits groups to {n} people", "paid {n} pounds at {where} on {day}",
    "walks past {where} with {who} every week", "saved a recipe from {who} called number {n}",
    "asked {who} to water the ferns at {where} until {day}", "has physiotherapy near {where} at {clock} on {day}",
)  # fmt: skip
_ASK = (
    "Book {where} for {who} and me tomorrow at {clock}.", "Plan a ride to {where} this Saturday morning with {who}.",
    "Remind {who} about {where} next Tuesday evening.", "Reserve a table at {where} on Friday at {clock}.",
    "Sign me up for the class at {where} tomorrow evening.",
    "Arrange for {who} to collect the parcel at {where} tonight.",
)  # fmt: skip


def _filled(template: str, draw: random.Random) -> str:
    return template.format(
        who=draw.choice(_WHO),
        where=draw.choice(_WHERE),
        day=(REF + timedelta(days=draw.randint(-17, 17))).isoformat(),
        clock=f"{draw.randint(7, 21)}:{draw.choice(('00', '15', '30', '45'))}",
        n=draw.randint(2, 90),
    )


def facts(count: int, seed: int) -> list[str]:
    """That many different sentences."""
    draw = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        found[f"Robin Vale {_filled(draw.choice(_DID), draw)}."] = None
    return list(found)


def requests(count: int, seed: int) -> list[str]:
    """That many requests."""
    draw = random.Random(seed)
    return [_filled(draw.choice(_ASK), draw) for _ in range(count)]


def worlds(count: int, size: int, pool: Sequence[str]) -> list[Case]:
    """Worlds that each draw `size` facts from a common pool, so that texts are embedded once for all of them."""
    return [_world(number, random.Random(number).sample(list(pool), size)) for number in range(count)]


def _world(number: int, texts: Sequence[str]) -> Case:
    return Case(
        world=f"bench-{number:03}",
        facts=tuple(Fact(f"d{position:06}", text) for position, text in enumerate(texts)),
        people=(Person("Robin Vale", "ego"), *(Person(name, "alter", "friend") for name in _WHO)),
        timeline=Timeline(REF - timedelta(days=17), REF, REF + timedelta(days=17)),
    )


class Remembering:
    """An embedding model that keeps what it has embedded: for loading the same sentences into many worlds."""

    def __init__(self, model: Embedder) -> None:
        """Wraps `model`."""
        self.name, self.dimension, self.batch = model.name, model.dimension, 2048
        self._model = model
        self._kept: dict[str, Floats] = {}

    def embed(self, texts: Sequence[str]) -> Floats:
        """See `Embedder.embed`."""
        import numpy as np

        new = [text for text in dict.fromkeys(texts) if text not in self._kept]
        if new:
            self._kept |= dict(zip(new, self._model.embed(new), strict=True))
        return np.stack([self._kept[text] for text in texts])

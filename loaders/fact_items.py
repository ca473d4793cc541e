"""Records to facts: every format ends here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from loaders.checks import first_of, why_no_id, why_no_text
from loaders.problems import Problems, kind, shown
from loaders.sections import Section
from pace_graph.records import Fact

ID_KEYS = ("doc_id", "fact_id", "id")


class FactReader:
    """Reads the facts of one world; faults go to `problems`.

    Attributes:
        facts: what could be read, in order.
        seen: ids, with section and number of the record that has them; those of refused facts too, so that
            a request that names one is not called wrong as well.
    """

    def __init__(self, problems: Problems, read_date: Callable[[object], str | None]) -> None:
        """Reads dates with `read_date`, which raises ValueError for what is none."""
        self.facts: list[Fact] = []
        self.seen: dict[str, tuple[Section, int]] = {}
        self._problems = problems
        self._read_date = read_date
        self._were_numbers: set[str] = set()

    def read(self, sections: Iterable[Section]) -> None:
        """Adds the facts of some sections."""
        for section in sections:
            for number, item in section.items:
                self._add(section, number, item)

    def _add(self, section: Section, number: int, item: object) -> None:
        place = f"{section.unit} {number}"
        if not isinstance(item, Mapping):
            self._problems.skip(section.path, f"{place}: is {kind(item)}, not an object with id and text")
            return
        given = first_of(item, ID_KEYS)
        text = item.get("text")
        reasons, date = self._faults(section, given, text, item.get("date"))
        has_id = why_no_id(given) is None
        if reasons:
            name = f"fact {shown(given)} ({place})" if has_id else place
            self._problems.skip(section.path, f"{name}: {'; '.join(reasons)}")
        else:
            self.facts.append(Fact(str(given), str(text), date))
        if has_id and isinstance(given, str | int) and not (reasons and self._problems.skip_invalid):
            self._keep_id(given, section, number)

    def _keep_id(self, given: str | int, section: Section, number: int) -> None:
        self.seen.setdefault(str(given), (section, number))
        if isinstance(given, int):
            self._were_numbers.add(str(given))

    def _faults(self, section: Section, given: object, text: object, date: object) -> tuple[list[str], str | None]:
        why_id = why_no_id(given)
        found = [why_id or self._why_taken(given, section), why_no_text(text)]
        read = None
        try:
            read = self._read_date(date)
        except ValueError as error:
            found.append(f"the date {error}")
        return [why for why in found if why], read

    def _why_taken(self, given: object, section: Section) -> str | None:
        fact_id = str(given)
        if fact_id not in self.seen:
            return None
        first, number = self.seen[fact_id]
        where = f"{first.unit} {number}" + ("" if first is section else f" of {first.path}")
        was_number = fact_id in self._were_numbers
        if isinstance(given, int) == was_number:
            return f"the id is already used by {where}; every fact needs its own"
        mine, other = (fact_id, repr(fact_id)) if isinstance(given, int) else (repr(fact_id), fact_id)
        return f"the id {mine} and the id {other} of {where} would be one; change one of them"

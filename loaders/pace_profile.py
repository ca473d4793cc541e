"""The profile of a released world: the ego and the alters, with their attributes.

Its keys are only partly known, so everything is taken as it comes: `spec.<group>.<name>`, deeper keys joined
by dots. Whatever finds no place among people and attributes is still in the profile's own text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from loaders.checks import first_of, why_no_name, why_not_stored
from loaders.problems import kind, shown
from pace_graph.records import Attribute, Person

ALTERS = ("relationships", "relationship", "alters")
NO_GROUPS = {"case_id", "spec", "timeline", *ALTERS}
RELATION = ("relation_type", "relation", "relationship")
NAMES = ("full_name", "name")


def profile_text(value: object) -> str:
    """The profile as compact JSON.

    Raises:
        ValueError: when it cannot be stored.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=str)
    why = why_not_stored(text, "the profile")
    if why is not None:
        raise ValueError(why)
    return text


def read_people(profile: object, world: str, notes: list[str]) -> tuple[Person, ...]:
    """The ego first, then the alters; `notes` gets what a user should know of them.

    Raises:
        ValueError: when the profile is no object.
    """
    if not isinstance(profile, Mapping):
        raise ValueError(f"holds {kind(profile)}, not an object")
    people = [_ego(profile, world, notes)]
    for number, alter in enumerate(_alters(profile), start=1):
        if isinstance(alter, Mapping):
            people.append(_alter(alter, number, notes))
        else:
            notes.append(f"Relationship {number} of the profile is {kind(alter)}, not an object; it is no person.")
    return _apart(people, notes)


def _ego(profile: Mapping[str, Any], world: str, notes: list[str]) -> Person:
    spec = _mapping(profile.get("spec"))
    name = _name(_mapping(spec.get("demographic")), spec, profile, _mapping(profile.get("demographic")))
    if name is None:
        notes.append(f"The profile names no person; the ego is called {shown(world)}.")
    groups = {group: value for group, value in {**profile, **spec}.items() if group not in NO_GROUPS}
    found: list[Attribute] = []
    for group, value in groups.items():
        found += _flat(group, "", value) if isinstance(value, Mapping) else _flat("general", group, value)
    return Person(name or world, "ego", attributes=_without_name(found, name))


def _alters(profile: Mapping[str, Any]) -> list[Any]:
    found = first_of({**_mapping(profile.get("spec")), **profile}, ALTERS)
    if found is None:
        return []
    return found if isinstance(found, list) else [found]


def _alter(alter: Mapping[str, Any], number: int, notes: list[str]) -> Person:
    name = _name(_mapping(alter.get("alter_basic_info")), _mapping(alter.get("basic_info")), alter)
    given = first_of(alter, RELATION)
    relation = given if isinstance(given, str) else ""
    called = name or f"{relation[:100] or 'alter'} {number}"
    if name is None:
        notes.append(f"Relationship {number} of the profile names no person, who is called {shown(called)}.")
    found: list[Attribute] = []
    for key, value in alter.items():
        if key not in RELATION:
            found += _flat(key.removeprefix("alter_"), "", value)
    return Person(called, "alter", relation, _without_name(found, name))


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _name(*places: Mapping[str, Any]) -> str | None:
    """The first usable name."""
    names = (place.get(key) for place in places for key in NAMES)
    return next((name for name in names if isinstance(name, str) and why_no_name(name, "name") is None), None)


def _without_name(found: list[Attribute], name: str | None) -> tuple[Attribute, ...]:
    return tuple(one for one in found if one.value != name or one.name not in NAMES)


def _flat(group: str, name: str, value: object) -> Iterator[Attribute]:
    """Attributes of a value of unknown nesting; null and blank are none."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flat(group, f"{name}.{key}" if name else str(key), inner)
    elif isinstance(value, list):
        for one in value:
            yield from _entry(group, name, one) if isinstance(one, Mapping) else _flat(group, name, one)
    elif value is not None and not (isinstance(value, str) and not value.strip()):
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        yield Attribute(group, name or group, text)


def _entry(group: str, name: str, entry: Mapping[str, Any]) -> Iterator[Attribute]:
    """One object of a list: a hook, a thing with a name and more about it, or anything."""
    statement, called = entry.get("statement"), entry.get("name")
    if isinstance(statement, str) and statement.strip():
        tag = first_of(entry, ("type", "tag"))
        yield Attribute(group, tag if isinstance(tag, str) and tag.strip() else name or group, statement)
    elif isinstance(called, str) and called.strip():
        rest = [one.value for key, value in entry.items() if key != "name" for one in _flat(group, key, value)]
        yield Attribute(group, name or group, f"{called} ({', '.join(rest)})" if rest else called)
    else:
        yield from _flat(group, name, entry)


def _apart(people: list[Person], notes: list[str]) -> tuple[Person, ...]:
    """People under names of their own, since a person is found by name within a world."""
    taken: dict[str, Person] = {}
    for person in people:
        tries = [person.name, f"{person.name} ({person.relation})"] if person.relation else [person.name]
        numbered = (f"{person.name} ({n})" for n in range(2, len(people) + 2))
        name = next(one for one in (*tries, *numbered) if one not in taken)
        if name != person.name:
            notes.append(f"Two people of the profile are called {shown(person.name)}; one is kept as {shown(name)}.")
        taken[name] = Person(name, person.role, person.relation, person.attributes)
    return tuple(taken.values())

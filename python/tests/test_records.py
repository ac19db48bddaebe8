"""The dataclasses against the JSON Schema."""

import dataclasses
import json
from typing import Any

import pytest

import quintet
from quintet import _native, _records

SCHEMA: dict[str, Any] = json.loads(_native.schema())

TYPES = {
    "AnswerMoves": (quintet.Report, {"id", "ply", "step", "turn"}),
    "Candidate": (quintet.Candidate, set()),
    "SolvedPosition": (quintet.Solution, set()),
    "MatchResult": (quintet.MatchResult, set()),
    "SprtResult": (quintet.SprtResult, set()),
    "GameRatings": (quintet.GameRatings, set()),
    "Rated": (quintet.Rated, set()),
    "GameRecord": (quintet.GameRecord, set()),
    "Thought": (quintet.Thought, set()),
    "EngineTime": (quintet.EngineTime, set()),
    "Conditions": (quintet.Conditions, set()),
}
"""The definitions of the schema, each with its dataclass and the fields that only lines have."""


@pytest.mark.parametrize("name", TYPES)
def test_a_dataclass_has_the_fields_of_the_schema(name: str) -> None:
    kind, of_lines = TYPES[name]
    fields = set(SCHEMA["$defs"][name]["properties"]) - of_lines
    assert {it.name for it in dataclasses.fields(kind)} == fields


@pytest.mark.parametrize("name", TYPES)
def test_a_field_may_be_none_if_the_schema_says_so(name: str) -> None:
    kind, of_lines = TYPES[name]
    required = set(SCHEMA["$defs"][name].get("required", []))
    for field, rule in SCHEMA["$defs"][name]["properties"].items():
        if field in of_lines:
            continue
        hint, given = _records._members(kind)[field]
        can_be_null = "null" in rule.get("type", []) or {"type": "null"} in rule.get("anyOf", [])
        left_out = field not in required and given.default is None
        assert ("None" in str(hint).split(" | ")) == (can_be_null or left_out), field


def test_fields_of_later_releases_are_ignored() -> None:
    line = json.dumps(
        {"engine": "uct", "elo": [1, 2, 3], "games": 4, "score": None, "group": 0, "later": [1]}
    )
    rated = _records.of_json(quintet.Rated, line)
    assert rated == quintet.Rated(engine="uct", elo=(1, 2, 3), games=4, score=None, group=0)


RECORD: dict[str, Any] = {
    "game": "krk",
    "rules": "ggp",
    "pair": 0,
    "opening": [],
    "moves": ["wait"],
    "seats": {"white": "a", "black": "b"},
    "scores": {"white": 50, "black": 50},
    "seed": 1,
    "end": "rules",
    "arena": {"program": "quintet", "seed": 1, "openings": "none", "engines": {"a": "uct", "b": "uct"}},
}
"""A game record with the fields that every line has."""


def test_the_times_of_engines_are_records() -> None:
    thought = {"value": None, "proven": None, "iterations": None, "ms": 5, "cpu_ms": 3}
    times = {"a": {"ms": 5, "cpu_ms": 3}, "b": {"ms": 4}}
    line = json.dumps({**RECORD, "times": times, "thoughts": [thought]})
    record = _records.of_json(quintet.GameRecord, line)
    assert record.times == {"a": quintet.EngineTime(ms=5, cpu_ms=3), "b": quintet.EngineTime(ms=4)}
    assert record.thoughts[0] is not None and record.thoughts[0].cpu_ms == 3


def test_what_json_leaves_out_is_false_or_empty_or_none() -> None:
    record = _records.of_json(quintet.GameRecord, json.dumps(RECORD))
    assert record.thoughts == [] and record.times is None and record.position is None
    assert _records._left_out(quintet.Report, "partial", bool) is False


@pytest.mark.parametrize("name", sorted(RECORD.keys() - {"opening", "moves"}))
def test_a_missing_field_is_an_error_with_its_name(name: str) -> None:
    line = json.dumps({key: value for key, value in RECORD.items() if key != name})
    with pytest.raises(ValueError, match=f"^GameRecord: {name} is missing$"):
        _records.of_json(quintet.GameRecord, line)


def test_a_missing_field_that_may_be_none_is_an_error_too() -> None:
    with pytest.raises(ValueError, match=r"^Thought: value is missing$"):
        _records.of_json(quintet.Thought, '{"proven": null, "iterations": null, "ms": 5}')

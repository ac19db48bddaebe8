"""Reports and records: the JSON lines of quintet as dataclasses.

Names, types and meanings are those of docs/json.md; a test compares them with the schema.
"""

from __future__ import annotations

import functools
import json
import types
import typing
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A legal move and what the search found about it. Values are those of the role that plays it."""

    move: str
    """The token of the move."""
    visits: int
    """The number of iterations that tried it, over all trees."""
    value: float | None
    """The expected score, 0 to 100: the mean of the visits, or exact if it is proven; None if not tried."""
    proven: int | None
    """The exact score under perfect play: 0 loses, 50 draws, 100 wins; None unless it is proven."""
    plies: int | None
    """The plies to the end of the game under perfect play, this move included; None if not known."""
    why: str
    """What is known for certain about it, in words; if nothing is, why it was not tried."""
    pv: list[str]
    """The principal variation that starts with it, for as many candidates as were asked for."""


@dataclass(frozen=True, kw_only=True)
class Report:
    """What an engine says about a position. Values are those of the role to move, in teams its team's."""

    partial: bool
    """True while the search goes on and another report follows."""
    game: str
    """The game's name."""
    rules: str
    """The ruleset's name."""
    to_move: str
    """The name of the role to move."""
    move: str
    """The token of the move to play: the first candidate."""
    value: float | None
    """The expected score of the role to move if it plays `move`, 0 to 100, or by its policy where roles move
    at the same time; None if it was not tried."""
    proven: int | None
    """The exact score under perfect play, 0 to 100, among the moves to choose from; None unless proven."""
    iterations: int
    """The number of iterations done, over all trees; 0 if none was needed."""
    seconds: float
    """The time that the engine took, by the clock on the wall."""
    cpu_seconds: float
    """The CPU time of all its threads together; less than `seconds` if it had to wait for a core."""
    confidence: float | None
    """How sure it is that no other move that was tried is better than `move`, 0 to 1."""
    ended: str | None
    """Why the search did not use up its budget, such as `proven`; None if it did."""
    nodes: int
    """The number of nodes that all trees take up."""
    memory_full: bool
    """Whether a tree could not grow because its memory was used up."""
    candidates: list[Candidate]
    """Every legal move, or every move to choose from, best first."""
    pv: list[str]
    """The principal variation: the best line found. The first move is `move`."""
    plies: int | None = None
    """The plies to the end of a game that is proven to be won, if both play best; None if not known."""
    plies_at_most: int | None = None
    """The maximum of them as long as the winner plays what the proof says; None if not known."""
    line: list[str] | None = None
    """A line to the end, in which the loser holds out as long as it can; None unless a win is proven."""
    line_why: list[str] | None = None
    """What is known for certain about each move of the line, such as what it threatens."""
    policies: dict[str, dict[str, float]] | None = None
    """Where roles move at the same time: the probability of each move of each role, 0 to 1; `move` is drawn
    from that of the role to move."""

    def rows(self) -> list[dict[str, Any]]:
        """The candidates as flat dictionaries, for `pandas.DataFrame`."""
        return [{**vars(it), "pv": " ".join(it.pv)} for it in self.candidates]


@dataclass(frozen=True, kw_only=True)
class Solution:
    """What `solve` found out about a position."""

    game: str
    """The game's name."""
    rules: str
    """The ruleset's name."""
    position: str
    """The position string."""
    to_move: str | None
    """The role to move; None if the game is over."""
    settled: bool
    """Whether the value is known exactly."""
    value: dict[str, int] | None
    """The score of each role under perfect play: 0 to 100; None unless it is known exactly."""
    lower: dict[str, int]
    """The least that each role gets under perfect play, as far as it is proven."""
    upper: dict[str, int]
    """The most that each role gets, as far as it is proven."""
    move: str | None
    """A best move; None if none is known."""
    method: str
    """How it was found, in a few words."""
    positions: int
    """The number of positions searched; 0 if the method does not count them."""
    seconds: float
    """The time that it took, by the clock on the wall."""
    certificate: str | None
    """Always None here: `quintet solve --certificate` writes certificates."""
    plies: int | None = None
    """The plies to the end of a game that is proven to be won, if both play best; None if not known."""
    plies_at_most: int | None = None
    """The maximum of them as long as the winner plays what the proof says; None if not known."""
    line: list[str] | None = None
    """A line to the end, in which the loser holds out as long as it can; None unless a win is proven."""
    line_why: list[str] | None = None
    """What is known for certain about each move of the line, such as what it threatens."""


@dataclass(frozen=True, kw_only=True)
class RolloutCounts:
    """The results of random games."""

    rollouts: int
    """The number of games."""
    first_wins: int
    """How many the first side won: that of the first role."""
    draws: int
    """How many were drawn."""
    second_wins: int
    """How many the second side won."""
    plies: int
    """The moves of all games together."""

    @property
    def first_score(self) -> float:
        """The share of the points that the first side got, 0 to 1."""
        return (self.first_wins + self.draws / 2) / self.rollouts


@dataclass(frozen=True, kw_only=True)
class Thought:
    """What an engine thought when it chose a move."""

    value: float | None
    """The expected score of the role that moves, 0 to 100; None if unknown."""
    proven: int | None
    """The exact value, 0 to 100, if it was proved."""
    iterations: int | None
    """The number of search iterations; None if unknown."""
    depth: int | None = None
    """The search depth in plies, as an external engine gives it."""
    ms: int
    """The time that the engine took, in milliseconds."""
    cpu_ms: int | None = None
    """The CPU time that the process of an external engine took meanwhile; None if unknown."""


@dataclass(frozen=True, kw_only=True)
class EngineTime:
    """The time that an engine took for its moves."""

    ms: int
    """The wall-clock time in milliseconds."""
    cpu_ms: int | None = None
    """The CPU time of its process in milliseconds; None if it is not known of every move."""


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """What a game shares with the other games of its match."""

    program: str
    """The program that played the game, with its version."""
    seed: int
    """The seed of the match."""
    openings: str
    """The source of the openings, in words."""
    resign: str | None = None
    """When both engines agree enough that a side loses; None if never."""
    draw: str | None = None
    """When both engines agree enough that the game is drawn; None if never."""
    rulesheet: str | None = None
    """The fingerprint of the game's rulesheet; None if the game is not that of a file."""
    models: dict[str, str] | None = None
    """The fingerprint of each engine's model, by the engine's name; None if no engine is given one."""
    engines: dict[str, str]
    """The engines of the match, name to kind and settings. Results are counted for the first."""


@dataclass(frozen=True, kw_only=True)
class GameRecord:
    """One finished game."""

    game: str
    """The game's name."""
    rules: str
    """The ruleset's name."""
    pair: int
    """The number of the opening in its match, from 0; the games of a pair have the same number."""
    position: str | None = None
    """The position string that the game started from; None for the start position."""
    opening: list[str]
    """The first moves, which were given and not chosen by an engine."""
    moves: list[str]
    """All moves, the opening included."""
    seats: dict[str, str]
    """The engine that plays each role."""
    scores: dict[str, int]
    """The final score of each role: 0 lost, 50 drawn, 100 won."""
    seed: int
    """The seed of the engines' random streams in this game."""
    end: str
    """Why it ended: `rules`, `illegal`, `time`, `crash` or `adjudication`."""
    fault: str | None = None
    """What the losing engine did wrong; None if the game ended by the rules."""
    thoughts: list[Thought | None]
    """What the engines thought, for each of `moves`; None for a move that was given."""
    times: dict[str, EngineTime] | None = None
    """What each engine took for all its moves; None if the CPU time of neither is known."""
    arena: Conditions
    """What it shares with the other games of its match."""


@dataclass(frozen=True, kw_only=True)
class SprtResult:
    """The state of a sequential probability ratio test."""

    test: str
    """The test: `elo0=…,elo1=…,alpha=…,beta=…,model=…`."""
    llr: float
    """The log-likelihood ratio of H1 to H0 after `pairs`: positive favours H1."""
    pairs: tuple[int, ...]
    """The pairs that the test has looked at, counted like `pairs` of the match: none after the one at
    which it accepted a hypothesis."""
    repeated: int
    """The number of these whose games are all the same as earlier ones."""
    bounds: tuple[float, float]
    """H0 is accepted at or below the first, H1 at or above the second."""
    accepted: str | None
    """`H0` or `H1`; None while neither is accepted."""


@dataclass(frozen=True, kw_only=True)
class MatchResult:
    """The result of a match of two engines, from the point of view of `a`.

    A pair is two games of one opening with seats swapped. Elo is given as lower bound, estimate and
    upper bound of the 95 % confidence interval, computed from complete pairs.
    """

    game: str
    """The game's name."""
    rules: str
    """The ruleset's name."""
    a: str
    """The engine that results are counted for."""
    b: str
    """The other engine."""
    games: int
    """The number of games played."""
    wins: int
    """The number of games that `a` won; in a game that is not for two sides, of comparisons in which it did
    better, as docs/json.md tells. So are `draws`, `losses` and `score`."""
    draws: int
    """The number of drawn games."""
    losses: int
    """The number of games that `a` lost."""
    score: float | None
    """The share of the points that `a` got, 0 to 1; None before the first game."""
    elo: tuple[float, float, float] | None
    """The Elo difference, positive if `a` is stronger; None before the first pair."""
    normalized_elo: tuple[float, float, float] | None
    """The normalized Elo difference, likewise."""
    los: float | None
    """The likelihood of superiority: the probability that `a` is the stronger one."""
    pairs: tuple[int, ...]
    """The number of complete pairs in which `a` got 0, ½, 1, 1½ and 2 points; in a game that is not for two
    sides, of complete groups by the points of `a`, as docs/json.md tells."""
    repeated: int
    """The number of these pairs whose games are all the same as earlier ones. They count in the estimates,
    but are no further evidence."""
    identical: int
    """The number of games, in complete pairs, that repeat an earlier game move for move."""
    faults: tuple[int, int]
    """The number of games that `a` and `b` lost by a fault instead of by the rules."""
    seconds: tuple[float, float] | None = None
    """The wall-clock time that `a` and `b` took for their moves; None if `cpu_seconds` is."""
    cpu_seconds: tuple[float | None, float | None] | None = None
    """The CPU time that their processes took for them, each None if unknown; None if both are."""
    mean_places: tuple[float, float] | None = None
    """The mean places of `a` and `b`; None in games of two sides that share the score."""
    mean_scores: tuple[float, float] | None = None
    """The mean scores of `a` and `b`; None likewise."""
    best_scores: tuple[int, int] | None = None
    """The best scores of `a` and `b` in a game for one player; None in others."""
    sprt: SprtResult | None = None
    """The state of the sequential test; None if there is none."""


@dataclass(frozen=True, kw_only=True)
class Rated:
    """An engine in a rating list."""

    engine: str
    """The engine's name."""
    elo: tuple[float, float, float] | None
    """Its rating: lower bound, estimate, upper bound; None without games. The mean of each group is 0."""
    games: int
    """The number of games it played, in complete pairs."""
    score: float | None
    """The share of their points that it got, 0 to 1; None without games."""
    group: int
    """The number of its group, from 0. Engines of different groups can't be compared."""


@dataclass(frozen=True, kw_only=True)
class GameRatings:
    """The rating list of a game under one ruleset."""

    game: str
    """The game's name."""
    rules: str
    """The ruleset's name."""
    ratings: list[Rated]
    """The engines, the best first."""


@functools.cache
def _members(kind: Any) -> dict[str, tuple[Any, Field[Any]]]:
    """The type and the field of each name of a dataclass."""
    hints = typing.get_type_hints(kind)
    return {it.name: (hints[it.name], it) for it in fields(kind)}


def _read(kind: Any, value: Any) -> Any:
    """A value of JSON as this type."""
    origin = typing.get_origin(kind)
    arguments = typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        [inner] = [it for it in arguments if it is not type(None)]
        return None if value is None else _read(inner, value)
    if origin is list:
        return [_read(arguments[0], it) for it in value]
    if origin is dict:
        return {name: _read(arguments[1], it) for name, it in value.items()}
    if origin is tuple and arguments[1:] == (...,):
        return tuple(_read(arguments[0], it) for it in value)
    if origin is tuple:
        return tuple(_read(type_, it) for type_, it in zip(arguments, value, strict=True))
    if is_dataclass(kind):
        return _of(typing.cast(Any, kind), value)
    return value


def _of(kind: type[T], value: dict[str, Any]) -> T:
    given = {}
    for name, (type_, field) in _members(typing.cast(Any, kind)).items():
        if name in value:
            given[name] = _read(type_, value[name])
        elif field.default is MISSING:
            given[name] = _left_out(kind, name, type_)
    return kind(**given)


def _left_out(kind: Any, name: str, type_: Any) -> Any:
    """The value of a field that JSON leaves out because it is false or empty."""
    if type_ is bool:
        return False
    if typing.get_origin(type_) is list:
        return []
    raise ValueError(f"{kind.__name__}: {name} is missing")


def of_json(kind: type[T], line: str) -> T:
    """A line of JSON as a dataclass. Fields that it does not know are ignored.

    A field that is missing, and is not left out for false or empty, raises `ValueError` with its name.
    """
    return _of(kind, json.loads(line))

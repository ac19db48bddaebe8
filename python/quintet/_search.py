"""Searches, proofs and random games."""

from __future__ import annotations

import inspect
import json
import math
import operator
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from types import TracebackType
from typing import Any, Self, TypedDict, TypeVar, Unpack, get_type_hints

from . import _native
from ._game import Position, tokens
from ._records import Report, RolloutCounts, Solution, of_json

Time = float | str | timedelta
"""A time: seconds, text such as `500ms`, or a `timedelta`."""
Memory = int | str
"""An amount of memory: bytes, or text such as `512MiB`."""


def time_text(name: str, time: Time) -> str:
    """A time as the command line takes it; the error names what it is for."""
    if isinstance(time, str):
        return time
    seconds = time.total_seconds() if isinstance(time, timedelta) else float(time)
    if not 0 < seconds < 1e10:
        raise ValueError(f"{name}: {time} is not a number of seconds above 0 and below 1e10")
    return f"{math.ceil(seconds * 1e9)}ns"


def memory_text(memory: Memory) -> str:
    """An amount of memory as the command line takes it."""
    return memory if isinstance(memory, str) else f"{whole('memory', memory, 1)}B"


def whole(name: str, value: int, least: int = 0) -> int:
    """A whole number of 64 bits; the error names what it is for."""
    number = operator.index(value)
    if not least <= number < 2**64:
        raise ValueError(f"{name}: {number} is not from {least} to 2^64 - 1")
    return number


def _inner(position: Position) -> _native.Position:
    if not isinstance(position, Position):
        raise TypeError(f"position: {position!r} is not a Position")
    return position._inner


class SearchOptions(TypedDict, total=False):
    """What `search` and `stream` can be told by keyword."""

    time: Time | None
    iterations: int | None
    threads: int | None
    trees: int | None
    seed: int
    memory: Memory | None
    engine: str
    allow_moves: str | Iterable[str] | None
    avoid_moves: str | Iterable[str] | None
    variations: int | None
    confidence: float | None


_OPTIONS = get_type_hints(SearchOptions)
_DEFAULTS: dict[str, Any] = {"seed": 0, "engine": "quintet"}
"""The defaults that are not None."""

F = TypeVar("F", bound=Callable[..., object])


def _lists_options(function: F) -> F:
    """Lists the options one by one in the signature, for `help` and for completion."""
    signature = inspect.signature(function)
    *others, _ = signature.parameters.values()
    keyword = inspect.Parameter.KEYWORD_ONLY
    options = [
        inspect.Parameter(name, keyword, default=_DEFAULTS.get(name), annotation=hint)
        for name, hint in _OPTIONS.items()
    ]
    function.__signature__ = signature.replace(parameters=[*others, *options])  # type: ignore[attr-defined]
    return function


def _query(position: Position, options: SearchOptions, every: Time | None = None) -> str:
    """A query of `quintet analyze`."""
    inner = _inner(position)
    inner.check_rules()
    for name in options:
        if name not in _OPTIONS:
            raise TypeError(f"unexpected keyword argument {name!r}; known: {', '.join(_OPTIONS)}")
    asked: dict[str, Any] = {
        "game": inner.game,
        "rules": inner.rules,
        "position": inner.string(),
        "engine": options.get("engine", _DEFAULTS["engine"]),
        "seed": whole("seed", options.get("seed", _DEFAULTS["seed"])),
    }
    if (time := options.get("time")) is not None:
        asked["time_ms"] = _native.milliseconds("time", time_text("time", time))
    if (iterations := options.get("iterations")) is not None:
        asked["iterations"] = whole("iterations", iterations, 1)
    if (threads := options.get("threads")) is not None:
        asked["threads"] = whole("threads", threads, 1)
    if (trees := options.get("trees")) is not None:
        asked["trees"] = whole("trees", trees, 1)
    if (memory := options.get("memory")) is not None:
        asked["memory"] = memory_text(memory)
    if (allowed := options.get("allow_moves")) is not None:
        asked["allow_moves"] = tokens(allowed)
    if (avoided := options.get("avoid_moves")) is not None:
        asked["avoid_moves"] = tokens(avoided)
    if (variations := options.get("variations")) is not None:
        asked["variations"] = whole("variations", variations, 1)
    if (confidence := options.get("confidence")) is not None:
        if not 0.5 <= confidence <= 1:
            raise ValueError(f"confidence: {confidence} is not from 0.5 to 1")
        asked["until"] = {"confidence": float(confidence)}
    if every is not None:
        asked["report_every_ms"] = _native.milliseconds("every", time_text("every", every))
    return json.dumps(asked)


class Stream(Iterator[Report]):
    """A search under way, as an iterator of reports; `stream` starts it.

    The last report is not `partial`. `close`, the end of a `with` block, and the end of the last reference
    to it end the search.
    """

    def __init__(self, query: str) -> None:
        self._native = _native.Stream(query)

    def __next__(self) -> Report:
        return of_json(Report, next(self._native))

    def close(self) -> None:
        """Ends the search. No report follows, but for a thread that waits for one: it gets the last."""
        self._native.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


@_lists_options
def search(position: Position, **options: Unpack[SearchOptions]) -> Report:
    """Searches for the best move of a position.

    The answer is that of `quintet suggest --json` and `quintet analyze`: with `iterations` and without
    `time`, the same seed, iterations and trees give the same one on any machine.

    - `time`: the most time; with `iterations` too, whichever ends first. Milliseconds count. If neither is
      given, one second.
    - `iterations`: the most iterations, over all trees.
    - `threads`: the number of cores that the search uses; by default all.
    - `trees`: the number of root-parallel trees; by default one, or one a core where only `time` limits the
      search: for `uct`, and for `quintet` to less than 0.1.
    - `seed`: of all random choices.
    - `memory`: the most memory for the nodes of all trees; 1 GiB by default.
    - `engine`: `quintet`, `uct` or `random`, with settings after a colon, such as `uct:c=0.5`.
    - `allow_moves`, `avoid_moves`: the moves to choose from, or not to; give one of them.
    - `variations`: how many candidates get a principal variation of their own.
    - `confidence`: end as soon as the report is as confident as this, from 0.5 to 1.

    Other Python threads run meanwhile, and Ctrl-C ends the search. Wrong input, and a game that is over,
    raise `ValueError`.
    """
    # Without partial reports, the first is the last.
    return next(Stream(_query(position, options)))


@_lists_options
def stream(position: Position, *, every: Time = 0.2, **options: Unpack[SearchOptions]) -> Stream:
    """Searches as `search` does, and reports on the way.

    >>> for report in stream(position, time=2):
    ...     print(report.iterations, report.move)

    A partial report comes after each `every`, at most ten a second, and the last one at the end. Leaving
    the loop does not end the search while something refers to the stream: use `with`, or call `close`.
    """
    return Stream(_query(position, options, every))


def solve(
    position: Position,
    *,
    time: Time | None = None,
    threads: int | None = None,
    memory: Memory | None = None,
) -> Solution:
    """Finds the exact value of a position: who wins under perfect play, or a draw.

    Late positions are settled soon, early ones of most games never: without `time` there is no limit. What
    is proven when the time is up is in `lower` and `upper`. `threads` and `memory` are what the method may
    use, by default all cores and 1 GiB.
    """
    line = _native.solve(
        _inner(position),
        None if time is None else time_text("time", time),
        None if threads is None else str(whole("threads", threads, 1)),
        None if memory is None else memory_text(memory),
    )
    return of_json(Solution, line)


def rollouts(position: Position, n: int, *, seed: int = 0) -> RolloutCounts:
    """Plays `n` games of uniformly random moves from a position, and counts how they end.

    The game has to be for two sides that share the score, else `ValueError` is raised.
    """
    count, seed = whole("n", n, 1), whole("seed", seed)
    first_wins, draws, second_wins, plies = _inner(position).rollouts(count, seed)
    return RolloutCounts(
        rollouts=count, first_wins=first_wins, draws=draws, second_wins=second_wins, plies=plies
    )

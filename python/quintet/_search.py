"""Searches, proofs and random games."""

from __future__ import annotations

import json
import operator
from collections.abc import Iterable, Iterator
from datetime import timedelta
from types import TracebackType
from typing import Any, Self

from . import _native
from ._game import Position, tokens
from ._records import Report, RolloutCounts, Solution, of_json

Time = float | str | timedelta
"""A time: seconds, text such as `500ms`, or a `timedelta`."""
Memory = int | str
"""An amount of memory: bytes, or text such as `512MiB`."""


def time_text(time: Time) -> str:
    """A time as the command line takes it."""
    if isinstance(time, str):
        return time
    seconds = time.total_seconds() if isinstance(time, timedelta) else float(time)
    try:
        return f"{round(seconds * 1e9)}ns"
    except (OverflowError, ValueError):
        return f"{seconds}s"


def memory_text(memory: Memory) -> str:
    """An amount of memory as the command line takes it."""
    return memory if isinstance(memory, str) else f"{operator.index(memory)}B"


def _query(
    position: Position,
    *,
    time: Time | None,
    iterations: int | None,
    threads: int | None,
    seed: int,
    memory: Memory | None,
    engine: str,
    allow_moves: str | Iterable[str] | None,
    avoid_moves: str | Iterable[str] | None,
    variations: int | None,
    confidence: float | None,
    every: Time | None = None,
) -> str:
    """A query of `quintet analyze`."""
    asked: dict[str, Any] = {
        "game": position.game.name,
        "rules": position.game.rules,
        "position": position.string,
        "engine": engine,
        "seed": operator.index(seed),
    }
    given = {
        "time_ms": None if time is None else _native.milliseconds(time_text(time)),
        "iterations": None if iterations is None else operator.index(iterations),
        "threads": None if threads is None else operator.index(threads),
        "memory": None if memory is None else memory_text(memory),
        "allow_moves": None if allow_moves is None else tokens(allow_moves),
        "avoid_moves": None if avoid_moves is None else tokens(avoid_moves),
        "variations": None if variations is None else operator.index(variations),
        "until": None if confidence is None else {"confidence": confidence},
        "report_every_ms": None if every is None else _native.milliseconds(time_text(every)),
    }
    return json.dumps(asked | {name: it for name, it in given.items() if it is not None})


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


def search(
    position: Position,
    *,
    time: Time | None = None,
    iterations: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    memory: Memory | None = None,
    engine: str = "quintet",
    allow_moves: str | Iterable[str] | None = None,
    avoid_moves: str | Iterable[str] | None = None,
    variations: int | None = None,
    confidence: float | None = None,
) -> Report:
    """Searches for the best move of a position.

    The answer is that of `quintet suggest --json` and `quintet analyze`: with `iterations` and without
    `time`, the same seed, iterations and threads give the same one on any machine.

    - `time`: the most time; with `iterations` too, whichever ends first. Milliseconds count. If neither is
      given, one second.
    - `iterations`: the most iterations, over all trees.
    - `threads`: the number of root-parallel trees; by default the number of cores.
    - `seed`: of all random choices.
    - `memory`: the most memory for the nodes of all trees; 1 GiB by default.
    - `engine`: `quintet`, `uct` or `random`, with settings after a colon, such as `uct:c=0.5`.
    - `allow_moves`, `avoid_moves`: the moves to choose from, or not to; give one of them.
    - `variations`: how many candidates get a principal variation of their own.
    - `confidence`: end as soon as the report is as confident as this, from 0.5 to 1.

    Other Python threads run meanwhile, and Ctrl-C ends the search. Wrong input, and a game that is over,
    raise `ValueError`.
    """
    query = _query(
        position,
        time=time,
        iterations=iterations,
        threads=threads,
        seed=seed,
        memory=memory,
        engine=engine,
        allow_moves=allow_moves,
        avoid_moves=avoid_moves,
        variations=variations,
        confidence=confidence,
    )
    # Without partial reports, the first is the last.
    return next(Stream(query))


def stream(
    position: Position,
    *,
    every: Time = 0.2,
    time: Time | None = None,
    iterations: int | None = None,
    threads: int | None = None,
    seed: int = 0,
    memory: Memory | None = None,
    engine: str = "quintet",
    allow_moves: str | Iterable[str] | None = None,
    avoid_moves: str | Iterable[str] | None = None,
    variations: int | None = None,
    confidence: float | None = None,
) -> Stream:
    """Searches as `search` does, and reports on the way.

    >>> for report in stream(position, time=2):
    ...     print(report.iterations, report.move)

    A partial report comes after each `every`, at most ten a second, and the last one at the end. Leaving
    the loop does not end the search while something refers to the stream: use `with`, or call `close`.
    """
    return Stream(
        _query(
            position,
            time=time,
            iterations=iterations,
            threads=threads,
            seed=seed,
            memory=memory,
            engine=engine,
            allow_moves=allow_moves,
            avoid_moves=avoid_moves,
            variations=variations,
            confidence=confidence,
            every=every,
        )
    )


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
        position._inner,
        None if time is None else time_text(time),
        None if threads is None else str(operator.index(threads)),
        None if memory is None else memory_text(memory),
    )
    return of_json(Solution, line)


def rollouts(position: Position, n: int, *, seed: int = 0) -> RolloutCounts:
    """Plays `n` games of uniformly random moves from a position, and counts how they end."""
    count = operator.index(n)
    if not 1 <= count < 2**64:
        raise ValueError(f"n: {n} is not from 1 to 2^64 - 1")
    if not 0 <= operator.index(seed) < 2**64:
        raise ValueError(f"seed: {seed} is not from 0 to 2^64 - 1")
    first_wins, draws, second_wins, plies = position._inner.rollouts(count, seed)
    return RolloutCounts(
        rollouts=count, first_wins=first_wins, draws=draws, second_wins=second_wins, plies=plies
    )

"""Matches between engines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from . import _native
from ._game import Game
from ._game import games as all_games
from ._records import GameRatings, GameRecord, MatchResult, Rated, _of, of_json
from ._search import Memory, Time, memory_text, time_text, whole


@dataclass(frozen=True, kw_only=True)
class Match:
    """The results of a match, as `quintet arena --json` prints them, and its games."""

    results: list[MatchResult]
    """The result of every two engines that met, in each game and ruleset."""
    ratings: list[GameRatings]
    """A rating list for each game and ruleset with more than two engines."""
    overall: list[Rated]
    """A rating list over all games and rulesets, if there are several."""
    records: list[GameRecord]
    """The games that count, in the order of the schedule."""

    def rows(self) -> list[dict[str, Any]]:
        """The games as flat dictionaries, for `pandas.DataFrame`.

        `a` and `b` are the engines of the match, `first` is the one with the first side, and `score` is what
        `a` got: 1, 0.5 or 0; the mean of its roles if it had several, and None if it had none, as one of two
        engines in a game for one player. Moves are text.
        """
        return [_row(record) for record in self.records]

    def result_rows(self) -> list[dict[str, Any]]:
        """The results as flat dictionaries, for `pandas.DataFrame`, with `elo_low`, `elo` and `elo_high`."""
        rows = []
        for result in self.results:
            low, elo, high = result.elo or (None, None, None)
            row = {name: getattr(result, name) for name in _FLAT}
            rows.append(row | {"elo_low": low, "elo": elo, "elo_high": high})
        return rows


_FLAT = ("game", "rules", "a", "b", "games", "wins", "draws", "losses", "score", "los")


def _row(record: GameRecord) -> dict[str, Any]:
    a, b = record.arena.engines
    scores = [record.scores[role] for role, engine in record.seats.items() if engine == a]
    return {
        "game": record.game,
        "rules": record.rules,
        "a": a,
        "b": b,
        "pair": record.pair,
        "first": next(iter(record.seats.values())),
        "score": sum(scores) / len(scores) / 100 if scores else None,
        "plies": len(record.moves),
        "opening": " ".join(record.opening),
        "moves": " ".join(record.moves),
        "end": record.end,
        "seed": record.seed,
    }


def _variants(game: str | Game | Iterable[str | Game], rules: str | None) -> list[Game]:
    if isinstance(game, str):
        listed = all_games() if game == "all" else game.split(",")
        names = dict.fromkeys(it.name if isinstance(it, Game) else it for it in listed)
        known = [it for name in names for it in all_games() if it.name == name]
        if rules == "both" and {it.name for it in known} == set(names):
            return known
        return [Game(name, None if rules == "both" else rules) for name in names]
    if isinstance(game, Game):
        if rules is not None and (rules == "both" or Game(game.name, rules) != game):
            raise ValueError(f"rules: {game!r} has others than {rules!r}")
        return [game]
    return list(dict.fromkeys(it for one in game for it in _variants(one, rules)))


def match(
    engines: Iterable[str],
    game: str | Game | Iterable[str | Game],
    *,
    rules: str | None = None,
    games: int = 100,
    seed: int = 0,
    opening_plies: int = 2,
    undecided: bool = False,
    gauntlet: bool = False,
    sprt: str | None = None,
    concurrency: int | None = None,
    time: Time | None = None,
    iterations: int | None = None,
    threads: int | None = None,
    trees: int | None = None,
    memory: Memory | None = None,
    on_game: Callable[[GameRecord], object] | None = None,
) -> Match:
    """Lets engines play against each other, and measures how strong they are.

    >>> match(["new=uct:c=0.5", "old=uct:c=0.9"], "quarto", iterations=500, threads=1).results[0].elo

    Every two engines play a match in every game and ruleset. Each opening is played twice, with seats
    swapped. It is `quintet arena`: the same settings and seed give the same games if engines have
    iterations.

    - `engines`: at least two, as on the command line: a kind, settings after a colon, and a name before
      `=`. External ones (`ugi`, `json`, `gomocup`) play too; their processes are started.
    - `game`: a `Game`, a name, several of them, or `all`; `rules`: a ruleset, `standard`, or `both`. A `Game`
      has its own, and raises `ValueError` if they are others.
    - `games`: in each match, an even number up to a million; more where a game is not for two sides and an
      opening needs more games, one for each way to seat the engines.
    - `opening_plies`: random plies at the start of each game; `undecided` leaves out those whose outcome a
      short search proves.
    - `gauntlet`: only the matches of the first engine against each of the others.
    - `sprt`: a test that ends a match early, such as `elo0=0,elo1=20`.
    - `concurrency`: games at the same time; by default as many as there are cores for.
    - `time`, `iterations`, `threads`, `trees`, `memory`: of engines that do not say it themselves.
    - `on_game` is called with each game as it ends, also if it is of a pair after the one that decides a
      test. Keep the records there if Ctrl-C should not lose them.
    """
    variants = _variants(game, rules)
    if not variants:
        raise ValueError("game: a match needs at least one game")
    for variant in variants:
        variant._start.check_rules()
    asked = {
        "engines": [engines] if isinstance(engines, str) else list(engines),
        "variants": [(it.name, it.rules) for it in variants],
        "games": whole("games", games),
        "seed": whole("seed", seed),
        "opening_plies": whole("opening_plies", opening_plies),
        "undecided": undecided,
        "gauntlet": gauntlet,
        "sprt": sprt,
        "concurrency": None if concurrency is None else whole("concurrency", concurrency, 1),
        "time": None if time is None else time_text("time", time),
        "iterations": None if iterations is None else str(whole("iterations", iterations, 1)),
        "threads": None if threads is None else str(whole("threads", threads, 1)),
        "trees": None if trees is None else str(whole("trees", trees, 1)),
        "memory": None if memory is None else memory_text(memory),
    }
    records: list[GameRecord] = []

    def add(line: str) -> None:
        record = of_json(GameRecord, line)
        records.append(record)
        if on_game is not None:
            on_game(record)

    summary = json.loads(_native.play_match(json.dumps(asked), add))
    order = [(it["game"], it["rules"], it["a"], it["b"]) for it in summary["results"]]

    def place(record: GameRecord) -> tuple[int, int, list[bool]]:
        a, b = record.arena.engines
        return (
            order.index((record.game, record.rules, a, b)),
            record.pair,
            [engine == b for engine in record.seats.values()],
        )

    results = summary["results"]
    # Games of later pairs may have ended before the one that decided.
    tests = [it.get("sprt") for it in results]
    ends = [sum(it["pairs"]) if it and it["accepted"] else None for it in tests]

    def counts(record: GameRecord) -> bool:
        end = ends[place(record)[0]]
        return end is None or record.pair < end

    return Match(
        results=[_of(MatchResult, it) for it in results],
        ratings=[_of(GameRatings, it) for it in summary.get("ratings", [])],
        overall=[_of(Rated, it) for it in summary.get("overall", [])],
        records=sorted(filter(counts, records), key=place),
    )

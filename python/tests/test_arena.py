"""Matches."""

import dataclasses
import json
import subprocess
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import quintet
from quintet import Game

ENGINES = ["strong=uct:iterations=300", "weak=uct:iterations=20"]


def test_a_match_is_the_arena_of_the_command(command: str, tmp_path: Path) -> None:
    found = quintet.match(ENGINES, "quarto,krk", rules="ggp", games=6, seed=5, threads=1)
    file = tmp_path / "games.jsonl"
    engines = [word for engine in ENGINES for word in ("--engine", engine)]
    limits = ["--games", "6", "--seed", "5", "--threads", "1", "--out", str(file), "--json"]
    arena = [command, "arena", "quarto,krk", "--rules", "ggp", *engines, *limits]
    done = subprocess.run(arena, capture_output=True, check=True)
    expected = json.loads(done.stdout.splitlines()[-1])
    results = [dataclasses.asdict(it) for it in found.results]
    for result in results:
        # What the command leaves out.
        left_out = ("sprt", "seconds", "cpu_seconds", "mean_places", "mean_scores", "best_scores")
        assert all(result.pop(name) is None for name in left_out)
    assert json.loads(json.dumps(results)) == expected["results"]
    assert [dataclasses.asdict(it)["engine"] for it in found.overall] == [
        it["engine"] for it in expected["overall"]
    ]
    played = {(it["game"], it["pair"], it["seed"]): it for it in map(json.loads, file.open())}
    assert len(found.records) == len(played) == 12
    for record in found.records:
        line = played[record.game, record.pair, record.seed]
        assert (record.moves, record.seats, record.scores) == (line["moves"], line["seats"], line["scores"])
        assert dataclasses.asdict(record.arena)["engines"] == line["arena"]["engines"]


def test_rows_are_what_pandas_takes() -> None:
    heard: list[quintet.GameRecord] = []
    match = quintet.match(
        [*ENGINES, "random"], Game("quarto", "ggp"), games=4, threads=1, on_game=heard.append
    )
    assert len(heard) == 12 and sorted(it.seed for it in heard) == sorted(it.seed for it in match.records)
    frame = pd.DataFrame(match.rows())
    assert frame.groupby(["a", "b"]).score.sum().to_dict() == {
        (it.a, it.b): it.wins + it.draws / 2 for it in match.results
    }
    assert set(frame["first"]) == {"strong", "weak", "random"}
    assert (frame.plies == frame.moves.str.split().str.len()).all()
    results = pd.DataFrame(match.result_rows())
    assert list(results.games) == [4, 4, 4]
    assert (results.elo_low <= results.elo).all() and (results.elo <= results.elo_high).all()
    assert [it.engine for it in match.ratings[0].ratings][-1] == "random"


def test_games_are_in_the_order_of_the_schedule() -> None:
    records = quintet.match(ENGINES, "krk", games=8, threads=1, concurrency=4).records
    assert [it.pair for it in records] == [0, 0, 1, 1, 2, 2, 3, 3]
    assert [next(iter(it.seats.values())) for it in records] == ["strong", "weak"] * 4
    again = quintet.match(ENGINES, "krk", games=8, threads=1, concurrency=1).records
    assert [it.moves for it in again] == [it.moves for it in records]


def test_a_test_ends_a_match() -> None:
    match = quintet.match(
        ["quintet", "random"],
        "qubic",
        games=400,
        iterations=50,
        threads=1,
        sprt="elo0=0,elo1=200",
    )
    [result] = match.results
    assert result.sprt is not None and result.sprt.accepted == "H1"
    assert result.games == len(match.records) < 400


def test_games_are_chosen_by_name() -> None:
    def played(game: Any, rules: str | None) -> list[tuple[str, str]]:
        results = quintet.match(["random", "b=random"], game, rules=rules, games=2).results
        return [(it.game, it.rules) for it in results]

    assert played("krk", None) == [("krk", "spec")]
    assert played("krk", "both") == [("krk", "spec"), ("krk", "ggp")]
    assert played([Game("krk", "ggp"), "quarto"], "standard") == [("krk", "ggp"), ("quarto", "ggp")]
    assert len(played("all", "both")) == len(quintet.games())


def test_an_error_in_what_hears_of_games_ends_the_match() -> None:
    def fail(record: quintet.GameRecord) -> None:
        raise KeyError(record.game)

    with pytest.raises(KeyError):
        quintet.match(["random", "b=random"], "quarto", games=2000, on_game=fail)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"games": 3}, "games: 3 is not an even number"),
        ({"games": 1_000_002}, "games: 1000002 is not an even number from 2 to 1000000"),
        ({"games": 2**64}, "games: 18446744073709551616 is not from 0 to 2^64 - 1"),
        ({"game": []}, "game: a match needs at least one game"),
        ({"game": Game("krk", "spec"), "rules": "ggp"}, "rules: Game('krk', 'spec') has others than 'ggp'"),
        ({"game": Game("krk", "spec"), "rules": "both"}, "rules: Game('krk', 'spec') has others than 'both'"),
        ({"engines": ["uct"]}, "a match needs at least two"),
        ({"engines": ["uct", "uct"]}, 'engines: two have the name "uct"'),
        ({"engines": ["uct", "deep"]}, 'bad engine "deep"'),
        ({"engines": ["uct", "a=uct:c=-1"]}, "engine a: the exploration constant must be"),
        ({"game": "chess"}, 'unknown game "chess"'),
        ({"game": "chess", "rules": "both"}, 'unknown game "chess"'),
        ({"rules": "house"}, 'unknown ruleset "house" of krk'),
        ({"opening_plies": 99}, "opening_plies: 99 is too long for krk: at most 9"),
        ({"sprt": "elo=5"}, "elo"),
        ({"concurrency": 0}, "concurrency: "),
        ({"seed": -1}, "seed: "),
        ({"time": "soon"}, 'time: "soon" is not a time'),
        ({"time": float("nan")}, "time: nan is not a number of seconds above 0"),
        ({"iterations": 0}, "iterations: 0 is not from 1"),
        ({"engines": ["uct", "x=ugi:command=/no/such/program"]}, "can't start"),
        (
            {"engines": ["uct", "x=gomocup:command=/no/such/program"]},
            'engine "x": the Gomocup protocol has gomoku under ggp',
        ),
        (
            {
                "engines": ["uct", "x=gomocup:command=/no/such/program"],
                "game": Game("gomoku", "ggp"),
            },
            "not with 2: take openings of 0, 3, or at least 6 plies",
        ),
    ],
)
def test_wrong_input_is_a_value_error_with_the_text_of_the_library(arguments, text: str) -> None:  # type: ignore[no-untyped-def]
    given = {"engines": ["uct", "random"], "game": "krk", "games": 2, **arguments}
    with pytest.raises(ValueError) as raised:
        quintet.match(given.pop("engines"), given.pop("game"), **given)
    assert text in str(raised.value)

"""Games and positions."""

import copy
import pickle
import xml.etree.ElementTree as ET

import pytest
from conftest import ALL, random_game

import quintet
from quintet import Game, Position


def test_games_are_listed_with_their_rulesets() -> None:
    assert [repr(it) for it in ALL[:2]] == ["Game('quarto', 'spec')", "Game('quarto', 'ggp')"]
    assert {it.name for it in ALL} >= {"quarto", "qubic", "gomoku", "pentago", "krk"}
    quarto = Game("quarto", "standard")
    assert quarto == Game("quarto", "ggp") and quarto.is_standard and not Game("quarto").is_standard
    assert (quarto.title, quarto.roles) == ("Quarto", ("white", "black"))
    for text in (quarto.summary, quarto.rules_text, quarto.moves_text, quarto.position_text):
        assert len(text) > 20
    assert Game("qubic").sides == (("xrow", "xcolumn", "xlevel"), ("orow", "ocolumn", "olevel"))


def test_a_position_is_made_from_its_string_or_from_moves() -> None:
    start = Game("quarto", "ggp").start()
    played = start.play("0101", "b2")
    assert played == Position("quarto", moves="0101 b2", rules="ggp")
    assert played == Position("quarto", played.string, rules="standard")
    assert played == Game("quarto", "ggp").position(moves=["0101", "b2"])
    assert str(played) == played.string == "..../..../.5../.... - b"
    assert (start.moves, played.moves) == ((), ("0101", "b2")), "a position never changes"
    later = Position("quarto", played.string, "1111", rules="ggp")
    assert (later.start, later.moves) == (played.string, ("1111",))
    assert later != played and len({later, played, copy.copy(played)}) == 2
    assert later.play() == later
    for it in (later, start, played.game):
        assert pickle.loads(pickle.dumps(it)) == it
    assert pickle.loads(pickle.dumps(later)).moves == later.moves
    with pytest.raises(AttributeError):
        start.string = "another"  # type: ignore[misc]


def test_a_game_ends_with_an_outcome() -> None:
    moves = "r1 c1 l1 r2 c1 l1 r1 c2 l1 r2 c2 l1 r1 c3 l1 r2 c3 l1 r1 c4"
    position = Position("qubic", moves=moves, rules="spec")
    assert (position.outcome, position.to_move, position.is_over) == (None, "xlevel", False)
    assert position.legal_moves == ("l1", "l2", "l3", "l4") and "level" in str(position.task)
    end = position.play("l1")
    assert end.outcome is not None and not end.outcome.is_draw
    assert end.outcome.winners == ("xrow", "xcolumn", "xlevel")
    assert end.outcome.scores == end.scores
    assert {end.outcome, Position(position.game, moves=end.moves).outcome} == {end.outcome}
    assert (end.to_move, end.legal_moves, end.task) == (None, (), None)


@pytest.mark.parametrize("game", ALL, ids=repr)
def test_every_position_is_drawn(game: Game) -> None:
    for position in random_game(game, 3):
        svg = position._repr_svg_()
        root = ET.fromstring(svg)
        assert root.tag == "{http://www.w3.org/2000/svg}svg" and "style" not in svg
        assert position.text().count("\n") > 3
        assert len(position.picture()["places"]) >= 16
        if position.moves and game.name != "pentago":
            marks = svg.count("#d7dd00")
            assert (marks > 0) == (places(position) != places(before(position)))


def places(position: Position) -> object:
    return position.picture()["places"]


def before(position: Position) -> Position:
    return Position(position.game, position.start, position.moves[:-1])


def test_moves_and_positions_are_read_in_any_case() -> None:
    position = Position("gomoku", moves=["F6", "E5", "G7", "Black"]).play("A1", "k11")
    assert position.moves == ("f6", "e5", "g7", "black", "a1", "k11")
    assert Position("gomoku", position.string.upper()).start == position.string
    late = Position("quarto", "..45/0.6B/F81E/27CA - B")
    assert late.start == "..45/0.6b/f81e/27ca - b" and late.play("D") == late.play("1101")
    report = quintet.search(late, iterations=100, threads=1, avoid_moves="D")
    assert "1101" not in {it.move for it in report.candidates}
    assert position.text("B1") == position.text("b1")


def test_the_last_move_is_marked() -> None:
    position = Position("krk", moves="Kc1-c2")
    assert position.svg().count("#d7dd00") == 2
    assert Position("krk", position.string).svg().count("#d7dd00") == 0


@pytest.mark.parametrize(
    ("game", "moves"),
    [("quarto", "0101"), ("quarto", "0101 b2"), ("gomoku", "f6 e5 g7 black"), ("krk", ""), ("pentago", "c4")],
)
def test_a_report_is_drawn_on_the_position(game: str, moves: str) -> None:
    position = Position(game, rules="spec", moves=moves)
    report = quintet.search(position, iterations=500, threads=1)
    svg = position.svg(report)
    ET.fromstring(svg)
    assert svg.count("#0b7d6d") == 1, "the best move"
    assert svg.count("#1d6fc4") <= len(report.candidates)
    with pytest.raises(ValueError, match="illegal move"):
        position.play(report.move).svg(report)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Game("chess"), 'unknown game "chess"'),
        (lambda: Game("quarto", "house"), 'unknown ruleset "house"'),
        (lambda: Position("quarto", moves="0101 z9"), 'ply 2: illegal move "z9"; legal here: a1 a2'),
        (lambda: Position("quarto", "...."), "bad position"),
        (lambda: Position(Game("quarto", "ggp"), rules="spec"), "rules: Game('quarto', 'ggp')"),
        (lambda: Position("quarto").play("b2"), 'illegal move "b2"; legal here: 0000'),
        (lambda: Position("quarto").text("b2"), 'illegal move "b2"; legal here: 0000'),
    ],
)
def test_wrong_input_is_a_value_error_with_the_text_of_the_library(make, text: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError) as raised:
        make()
    assert text in str(raised.value)


def test_the_version_is_there() -> None:
    assert quintet.__version__.count(".") == 2

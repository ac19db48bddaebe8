"""Pentago, here and in OpenSpiel."""

import random

import numpy as np
import pyspiel
import pytest

from quintet import Game, Position
from quintet.openspiel import from_openspiel, to_openspiel

PENTAGO = pyspiel.load_game("pentago")
OTHER = pyspiel.load_game("tic_tac_toe")


def board_of(state: pyspiel.State) -> str:
    """The stones of a state of OpenSpiel, as a position string has them."""
    rows = [line[4:15].split() for line in str(state).splitlines()[2:8]]
    text = "/".join("".join({"O": "r", "@": "b", ".": "."}[it] for it in row) for row in rows)
    for length in range(6, 0, -1):
        text = text.replace("." * length, str(length))
    return text


def test_random_games_go_alike_in_both() -> None:
    ends, differ = 0, 0
    for seed in range(120):
        choice = random.Random(seed)
        state = PENTAGO.new_initial_state()
        while not state.is_terminal():
            legal = state.legal_actions()
            action = choice.choice(legal)
            state.apply_action(action)
            try:
                position = from_openspiel(state)
            except ValueError as error:
                assert "ends the game here, and not in OpenSpiel" in str(error)
                differ += 1
                break
            assert position.string.split()[0] == board_of(state)
            assert position.is_over == state.is_terminal()
            if position.is_over:
                ends += 1
                red, black = state.returns()
                assert position.scores == {"red": 50 + 50 * red, "black": 50 + 50 * black}
            else:
                assert position.to_move == ("red", "black")[state.current_player()]
    assert ends > 30 and 0 < differ < 90


def test_positions_go_there_and_back() -> None:
    choice = random.Random(1)
    for _ in range(20):
        position = Game("pentago", "ggp").start()
        for _ in range(2 * choice.randrange(1, 16)):
            if not position.is_over:
                position = position.play(choice.choice(position.legal_moves))
        if position.string.endswith("rotate"):
            continue
        state = to_openspiel(position)
        assert board_of(state) == position.string.split()[0]
        assert from_openspiel(state) == from_openspiel(state.history()) == position
        # Set up by its string, it has no moves.
        bare = Position("pentago", position.string, rules="ggp")
        assert from_openspiel(to_openspiel(bare)) == position


@pytest.mark.parametrize(
    ("convert", "text"),
    [
        (lambda: to_openspiel(Position("pentago", rules="spec")), "is not pentago under ggp"),
        (lambda: to_openspiel(Position("pentago", rules="ggp", moves="c4")), "before a rotation"),
        (lambda: to_openspiel(Position("pentago", "6/6/6/6/2r3/6 r place", rules="ggp")), ""),
        (lambda: from_openspiel([0, 288]), "action 2: 288 is none of pentago"),
        (lambda: from_openspiel([2, 3]), 'action 2: illegal move "a6"'),
        (
            lambda: from_openspiel(OTHER.new_initial_state()),
            "the state is one of tic_tac_toe, not of pentago",
        ),
    ],
)
def test_what_has_no_counterpart_is_a_value_error(convert, text: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError) as raised:
        convert()
    assert text in str(raised.value)


def test_actions_are_a_list_or_an_array() -> None:
    position = from_openspiel([3, 77])
    assert len(position.moves) == 4
    assert from_openspiel(np.array([3, 77])) == from_openspiel((3, 77)) == position


def test_a_placement_that_wins_has_no_counterpart() -> None:
    moves = "a1 1cw a6 1cw b1 1cw b6 1cw c1 1cw c6 1cw d1 1cw d6 4cw"
    position = Position("pentago", rules="ggp", moves=moves)
    assert not position.is_over
    state = to_openspiel(position)
    assert from_openspiel(state) == position

"""Observations and actions."""

import numpy as np
import pytest
from conftest import ALL, random_game

from quintet import Game, Position


@pytest.mark.parametrize("game", ALL, ids=repr)
def test_the_mask_is_the_legal_moves(game: Game) -> None:
    assert len(set(game.actions)) == len(game.actions)
    used = set()
    for seed in range(30):
        for position in random_game(game, seed):
            mask = position.action_mask()
            assert mask.shape == (len(game.actions),) and mask.dtype == np.int8
            legal = {game.actions[index] for index in np.flatnonzero(mask)}
            assert legal == set(position.legal_moves) and mask.max(initial=0) <= 1
            used |= legal
    # Kings and rooks don't come everywhere in thirty games.
    assert len(used) > len(game.actions) * (0.3 if game.name == "krk" else 0.99)


@pytest.mark.parametrize("game", ALL, ids=repr)
def test_different_positions_have_different_observations(game: Game) -> None:
    assert len(set(game.planes)) == len(game.planes) == game.observation_shape[0]
    seen: dict[bytes, Position] = {}
    for seed in range(60):
        for position in random_game(game, seed):
            observation = position.observation()
            assert observation.shape == game.observation_shape and observation.dtype == np.float32
            assert 0 <= observation.min() and observation.max() <= 1
            # After the end nobody moves, and what the role to move would be is nothing to see.
            if not position.is_over:
                assert seen.setdefault(observation.tobytes(), position) == position
    assert len(seen) > 60


@pytest.mark.parametrize("game", ALL, ids=repr)
def test_planes_say_what_their_names_say(game: Game) -> None:
    layout_rows = game.observation_shape[-2]
    for position in random_game(game, 5):
        planes = dict(zip(game.planes, position.observation(), strict=True))
        for role in game.roles:
            assert (planes[f"{role} is to move"] == (role == position.to_move)).all()
        on_board = sum(plane.sum() for name, plane in planes.items() if name.endswith("on the board"))
        cells = planes[game.planes[0]].size
        there = sum(code != "." for code in position.picture()["places"][:cells])
        assert on_board == there and layout_rows >= 3


def test_planes_have_the_board_as_it_is_drawn() -> None:
    krk = Position("krk", moves="Kc1-c2")
    planes = dict(zip(krk.game.planes, krk.observation(), strict=True))
    assert np.argwhere(planes["white king on the board"]).tolist() == [[2, 2]]
    assert np.argwhere(planes["black king on the board"]).tolist() == [[0, 0]]
    assert planes["the step, divided by 11"][0, 0] == np.float32(2 / 11)
    quarto = Position("quarto", rules="ggp", moves="0101 b2 1111")
    planes = dict(zip(quarto.game.planes, quarto.observation(), strict=True))
    assert np.argwhere(planes["tall light square hollow on the board"]).tolist() == [[2, 1]]
    assert planes["tall dark round hollow in in hand"].all()
    assert not planes["tall dark round hollow in pool"].any()
    assert planes["short light square solid in pool"].all()
    qubic = Position("qubic", moves="r1 c2")
    opened = dict(zip(qubic.game.planes, qubic.observation(), strict=True))["open to the turn under way"]
    assert np.argwhere(opened).tolist() == [[level, 0, 1] for level in range(4)]

"""What the tests share."""

import os
import random
from collections.abc import Iterator

import pytest

import quintet

ALL = quintet.games()


def random_game(game: quintet.Game, seed: int) -> Iterator[quintet.Position]:
    """The positions of a random game, the start and the end included."""
    choice = random.Random(seed)
    position = game.start()
    yield position
    while not position.is_over:
        position = position.play(choice.choice(position.legal_moves))
        yield position


@pytest.fixture
def command() -> str:
    """The program `quintet` of the same revision."""
    path = os.environ.get("QUINTET")
    if path is None:
        pytest.fail("QUINTET has to be the path of the program quintet")
    return path

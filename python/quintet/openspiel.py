"""Positions of Pentago, exchanged with OpenSpiel, which has to be installed (the extra `openspiel`).

OpenSpiel's `pentago` is the ruleset `ggp`, with a placement and a rotation as one action. The rules agree
but for this: in OpenSpiel the rotation is made in any case and only then are lines looked for, while here a
placement that completes five, or fills the board, ends the game. Such a game has no counterpart there: it
raises `ValueError`.

>>> state = to_openspiel(Position("pentago", rules="ggp", moves="c4 2cw a1 1ccw"))
>>> from_openspiel(state).to_move
'red'
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

from ._game import Game, Position

__all__ = ["from_openspiel", "to_openspiel"]

SIZE = 6
# Its rows are numbered from the top, our ranks from the bottom. Its quadrants go around from the top left.
QUADRANTS = "2143"
WAYS = ("ccw", "cw")
TURNS = len(QUADRANTS) * len(WAYS)


def _moves(action: int) -> tuple[str, str]:
    """The placement and the rotation of an action of OpenSpiel."""
    cell, turn = divmod(action, TURNS)
    row, column = divmod(cell, SIZE)
    return f"{'abcdef'[column]}{SIZE - row}", QUADRANTS[turn // 2] + WAYS[turn % 2]


def _action(placement: str, rotation: str) -> int:
    """The action of OpenSpiel for a placement and a rotation."""
    row, column = SIZE - int(placement[1]), "abcdef".index(placement[0])
    turn = 2 * QUADRANTS.index(rotation[0]) + WAYS.index(rotation[1:])
    return (row * SIZE + column) * TURNS + turn


def from_openspiel(state: Any) -> Position:
    """The position of a state of OpenSpiel's `pentago`, or after its actions, such as those of a list."""
    if hasattr(state, "history"):
        name = state.get_game().get_type().short_name
        if name != "pentago":
            raise ValueError(f"the state is one of {name}, not of pentago")
        actions = state.history()
    else:
        actions = state
    position = Game("pentago", "ggp").start()
    for index, given in enumerate(actions):
        action = operator.index(given)
        if not 0 <= action < SIZE * SIZE * TURNS:
            raise ValueError(f"action {index + 1}: {action} is none of pentago")
        placement, rotation = _moves(action)
        try:
            position = position.play(placement)
        except ValueError as error:
            raise ValueError(f"action {index + 1}: {error}") from None
        if position.is_over:
            raise ValueError(
                f"action {index + 1}: the placement {placement} ends the game here, and not in OpenSpiel"
            )
        position = position.play(rotation)
    return position


def to_openspiel(position: Position) -> Any:
    """The state of OpenSpiel's `pentago` for a position of `pentago` under `ggp` at the start of a turn.

    If the position was set up by its string, its moves are found backwards; the state has these.
    """
    import pyspiel

    game = position.game
    if (game.name, game.rules) != ("pentago", "ggp"):
        raise ValueError(f"{game!r} is not pentago under ggp, the rules of OpenSpiel")
    board, _, action = position.string.split()
    if action != "place":
        raise ValueError("the position is before a rotation; OpenSpiel has only whole turns")
    moves = position.moves if position.start is None else _way_to(board)
    state = pyspiel.load_game("pentago").new_initial_state()
    for placement, rotation in zip(moves[::2], moves[1::2], strict=True):
        state.apply_action(_action(placement, rotation))
    return state


# ---- the moves to a position

Stones = tuple[str, ...]
"""The cells row by row from the top: `r`, `b` or `.`."""

_LINES = [
    tuple((row + down * step) * SIZE + column + right * step for step in range(5))
    for row in range(SIZE)
    for column in range(SIZE)
    for down, right in ((0, 1), (1, 0), (1, 1), (-1, 1))
    if 0 <= row + 4 * down < SIZE and 0 <= column + 4 * right < SIZE
]


def _stones(board: str) -> Stones:
    cells = "".join("." * int(it) if it.isdigit() else it for it in board if it != "/")
    return tuple(cells)


def _has_line(stones: Stones) -> bool:
    return any(stones[line[0]] != "." and len({stones[cell] for cell in line}) == 1 for line in _LINES)


def _turned(stones: Stones, rotation: str) -> Stones:
    """The stones after a rotation."""
    half = SIZE // 2
    name, is_clockwise = rotation[0], rotation[1:] == "cw"
    top, left = half * (name in "34"), half * (name in "14")
    turned = list(stones)
    for row in range(half):
        for column in range(half):
            to = (column, half - 1 - row) if is_clockwise else (half - 1 - column, row)
            there = stones[(top + row) * SIZE + left + column]
            turned[(top + to[0]) * SIZE + left + to[1]] = there
    return tuple(turned)


def _turns_before(stones: Stones) -> Iterator[tuple[Stones, list[str]]]:
    """The turns that may have led to these stones, each with the stones before it."""
    color = "r" if stones.count("r") > stones.count("b") else "b"
    for quadrant in QUADRANTS:
        for way, back in (WAYS, WAYS[::-1]):
            placed = _turned(stones, quadrant + back)
            if _has_line(placed) or "." not in placed:
                continue
            for cell, there in enumerate(placed):
                if there == color:
                    placement = f"{'abcdef'[cell % SIZE]}{SIZE - cell // SIZE}"
                    yield (*placed[:cell], ".", *placed[cell + 1 :]), [placement, quadrant + way]


def _way_to(board: str) -> list[str]:
    """Moves from the start to a board."""
    target = _stones(board)
    red, black = target.count("r"), target.count("b")
    if red - black not in (0, 1):
        raise ValueError(f"no game leads to {red} red and {black} black stones")
    dead: set[Stones] = set()

    def way_to(stones: Stones) -> list[str] | None:
        if all(it == "." for it in stones):
            return []
        if stones in dead:
            return None
        dead.add(stones)
        for before, turn in _turns_before(stones):
            way = way_to(before)
            if way is not None:
                return way + turn
        return None

    found = way_to(target)
    if found is None:
        raise ValueError("no game of whole turns leads to this position")
    return found

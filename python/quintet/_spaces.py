"""Observations as tensors and moves as numbers.

Both follow from the board of a game: its cells, its trays and the pieces. What a game has besides is in
`_MOVES` and `_EXTRAS`, the only place here that names games.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _native

Layout = dict[str, Any]


def _cells(layout: Layout) -> list[str]:
    """The names of the cells of a flat board, row by row from the top."""
    return [column + row for row in layout["rows"] for column in layout["columns"]]


def _pieces(layout: Layout) -> list[str]:
    """The tokens that take a piece."""
    return [it["token"] for it in layout["glyphs"] if it["token"] is not None]


def _coordinates(layout: Layout) -> list[str]:
    levels = [f"l{index + 1}" for index in range(len(layout["levels"]))]
    return [*layout["rows"], *layout["columns"], *levels]


def _turns(layout: Layout) -> list[str]:
    return [name + way for name in layout["quadrants"] for way in ("cw", "ccw")]


def _chess_moves(layout: Layout) -> list[str]:
    cells = [(x, y) for y in range(len(layout["rows"])) for x in range(len(layout["columns"]))]
    names = dict(zip(cells, _cells(layout), strict=True))
    ways = [(a, b) for a in cells for b in cells if a != b]
    steps = [(a, b) for a, b in ways if max(abs(a[0] - b[0]), abs(a[1] - b[1])) == 1]
    lines = [(a, b) for a, b in ways if a[0] == b[0] or a[1] == b[1]]
    moves = [("K", steps), ("R", lines), ("k", steps)]
    return [f"{piece}{names[a]}-{names[b]}" for piece, ways in moves for a, b in ways]


_MOVES: dict[str, Callable[[Layout], list[str]]] = {
    "quarto": lambda layout: _pieces(layout) + _cells(layout),
    "qubic": _coordinates,
    "gomoku": lambda layout: [*_cells(layout), "black", "white"],
    "pentago": lambda layout: _cells(layout) + _turns(layout),
    "krk": _chess_moves,
}
"""The tokens of all moves of a game, in the order of their action ids."""


def _step(string: str) -> list[float]:
    return [int(string.split()[-1]) / 11]


def _rotates(string: str) -> list[float]:
    return [float(string.endswith("rotate"))]


_EXTRAS: dict[str, tuple[list[str], Callable[[str], list[float]]]] = {
    "pentago": (["the role to move has to rotate"], _rotates),
    "krk": (["the step, divided by 11"], _step),
}
"""What the picture of a position does not show: names of planes, and their values by the position string."""


@dataclass(frozen=True)
class Space:
    """The observations and actions of a game."""

    actions: tuple[str, ...]
    ids: dict[str, int]
    planes: tuple[str, ...]
    shape: tuple[int, ...]
    roles: tuple[str, ...]
    codes: NDArray[np.uint8]
    cells: int
    trays: tuple[int, ...]


@functools.cache
def space(game: str, rules: str) -> Space:
    """The observations and actions of a game."""
    text = _native.layout(game, rules)
    if text is None or game not in _MOVES:
        raise ValueError(f"{game} has no observations and no action ids")
    layout: Layout = json.loads(text)
    actions = tuple(_MOVES[game](layout))
    roles = tuple(role for role, _ in _native.Position(game, rules).sides())
    kinds = [it["name"] for it in layout["glyphs"]]
    planes = [f"{kind} on the board" for kind in kinds]
    planes += [f"{kind} in {tray['name']}" for tray in layout["trays"] for kind in kinds]
    planes += ["open to the turn under way"]
    planes += [f"{role} is to move" for role in roles]
    planes += _EXTRAS[game][0] if game in _EXTRAS else []
    levels, rows, columns = (len(layout[name]) for name in ("levels", "rows", "columns"))
    board = (levels, rows, columns) if levels > 1 else (rows, columns)
    return Space(
        actions=actions,
        ids={token: index for index, token in enumerate(actions)},
        planes=tuple(planes),
        shape=(len(planes), *board),
        roles=roles,
        codes=np.array([ord(it["code"]) for it in layout["glyphs"]], dtype=np.uint8),
        cells=levels * rows * columns,
        trays=tuple(it["places"] for it in layout["trays"]),
    )


def observation(position: _native.Position) -> NDArray[np.float32]:
    """The planes of a position."""
    it = space(position.game, position.rules)
    found = position.places()
    assert found is not None, "its game has a layout"
    codes = np.frombuffer(found[0].encode("ascii"), dtype=np.uint8)
    planes = np.zeros((it.shape[0], it.cells), dtype=np.float32)
    kinds = len(it.codes)
    planes[:kinds] = codes[None, : it.cells] == it.codes[:, None]
    at, first = kinds, it.cells
    for places in it.trays:
        tray = codes[first : first + places]
        planes[at : at + kinds] = (tray[None, :] == it.codes[:, None]).any(axis=1)[:, None]
        at, first = at + kinds, first + places
    planes[at, found[1]] = 1
    to_move = position.to_move()
    for index, role in enumerate(it.roles):
        planes[at + 1 + index] = role == to_move
    if position.game in _EXTRAS:
        values = _EXTRAS[position.game][1](position.string())
        planes[at + 1 + len(it.roles) :] = np.array(values, dtype=np.float32)[:, None]
    return planes.reshape(it.shape)


def action_mask(position: _native.Position) -> NDArray[np.int8]:
    """Which actions are legal."""
    it = space(position.game, position.rules)
    mask = np.zeros(len(it.actions), dtype=np.int8)
    mask[[it.ids[token] for token in position.legal_moves()]] = 1
    return mask

"""Games and positions."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

from . import _native

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._records import Report


@functools.cache
def _lines() -> dict[tuple[str, str], dict[str, Any]]:
    return {(it["game"], it["rules"]): it for it in json.loads(_native.games())}


@dataclass(frozen=True)
class Outcome:
    """How a game ended."""

    winners: tuple[str, ...]
    """The roles with the highest score; empty if all have the same, or the only one has less than 100."""
    scores: Mapping[str, int]
    """The final score of each role, 0 to 100: 0 lost, 50 drawn, 100 won where two sides share the score."""

    @property
    def is_draw(self) -> bool:
        """Whether all of several roles have the same score."""
        return len(self.scores) > 1 and not self.winners

    def __hash__(self) -> int:
        return hash((self.winners, tuple(self.scores.items())))


class Game:
    """A game under one of its rulesets.

    >>> Game("quarto", "standard")
    Game('quarto', 'ggp')

    `rules` is the ruleset's name, or `standard` for the one that people know; the game's default if
    left out. A wrong name raises `ValueError`.
    """

    __slots__ = ("_line", "_start")
    _line: dict[str, Any]
    _start: _native.Position

    def __init__(self, name: str, rules: str | None = None) -> None:
        start = _native.Position(name, rules)
        object.__setattr__(self, "_start", start)
        object.__setattr__(self, "_line", _lines()[start.game, start.rules])

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Game never changes")

    @property
    def name(self) -> str:
        """The game's name, such as `quarto`."""
        return self._start.game

    @property
    def rules(self) -> str:
        """The ruleset's name, such as `ggp`."""
        return self._start.rules

    @property
    def title(self) -> str:
        """The game's full name."""
        return str(self._line["title"])

    @property
    def summary(self) -> str:
        """The board and the aim, in one sentence."""
        return str(self._line["summary"])

    @property
    def rules_text(self) -> str:
        """The rules in words, as lines."""
        return str(self._line["rules_text"])

    @property
    def moves_text(self) -> str:
        """How moves are written, in words."""
        return str(self._line["moves"])

    @property
    def position_text(self) -> str:
        """How positions are written, in words."""
        return str(self._line["position"])

    @property
    def is_standard(self) -> bool:
        """Whether `standard` is another name for this ruleset."""
        return bool(self._line["standard"])

    @property
    def roles(self) -> tuple[str, ...]:
        """The names of the roles, in the order of scores. That need not be the order of turns."""
        return tuple(self._line["roles"])

    @property
    def sides(self) -> tuple[tuple[str, ...], ...]:
        """The roles of each side, which win and lose together. quintet's own games have two sides."""
        roles = self._start.sides()
        return tuple(
            tuple(role for role, of in roles if of == side) for side in sorted({of for _, of in roles})
        )

    @property
    def actions(self) -> tuple[str, ...]:
        """The token of every move that the game can have. A move's place here is its action id."""
        from . import _spaces

        return _spaces.space(self.name, self.rules).actions

    @property
    def planes(self) -> tuple[str, ...]:
        """What each plane of an observation says; see `Position.observation`."""
        from . import _spaces

        return _spaces.space(self.name, self.rules).planes

    @property
    def observation_shape(self) -> tuple[int, ...]:
        """The shape of an observation: planes, levels if there are several, rows, columns."""
        from . import _spaces

        return _spaces.space(self.name, self.rules).shape

    def start(self) -> Position:
        """The start position."""
        return Position(self)

    def position(self, position: str | None = None, moves: str | Iterable[str] = ()) -> Position:
        """The position after `moves` from the string `position`, or from the start position."""
        return Position(self, position, moves)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[str, str, str | None]:
        return self.name, self.rules, self._start.rulesheet

    def __repr__(self) -> str:
        return f"Game({self.name!r}, {self.rules!r})"

    def __reduce__(self) -> tuple[type[Game], tuple[str, str]]:
        return Game, (self.name, self.rules)


def games() -> list[Game]:
    """All games under all their rulesets, the default ruleset of each game first."""
    return [Game(name, rules) for name, rules in _lines()]


def load_rulesheet(path: str | PathLike[str], name: str | None = None) -> Game:
    """Compiles a rulesheet in the Game Description Language, docs/gdl.md, and returns its game.

    >>> hexagons = load_rulesheet("rulesheets/hex.kif")
    >>> hexagons.start().play("place-3-3").to_move
    'blue'

    From then on `games` lists it, and its name stands for it everywhere: `name`, or that of the file in
    lower case. A game that was loaded under this name before is replaced. Positions of it that exist keep
    its rules, and can't be searched, copied or pickled any more, nor has its `Game` new ones. Another process
    that reads pickled positions has to load it, too. A file that can't be read raises `OSError`, and one that
    is wrong `ValueError` with the line and the column.
    """
    loaded = _native.load_rulesheet(path, name)
    _lines.cache_clear()
    return Game(loaded)


def tokens(moves: str | Iterable[str]) -> list[str]:
    """Moves as a list: tokens, or text in which spaces separate them, but for those in parentheses."""
    if not isinstance(moves, str):
        return [str(it) for it in moves]
    found: list[str] = []
    depth = 0
    for word in moves.split():
        if depth == 0:
            found.append(word)
        else:
            found[-1] += f" {word}"
        depth = max(0, depth + word.count("(") - word.count(")"))
    return found


def _marks(report: Report) -> list[tuple[str, float, str, bool]]:
    """The candidates of a report that a picture shows: those with a twentieth of the most visits, or more."""
    most = max(it.visits for it in report.candidates)
    shown = [it for it in report.candidates if it.move == report.move or it.visits * 20 > most]
    return [
        (
            it.move,
            it.visits / most if most else 1.0,
            "" if it.value is None else f"{it.value:.0f}",
            it.move == report.move,
        )
        for it in shown
    ]


class Position:
    """A position of a game. It never changes: `play` returns another one.

    >>> position = Position("pentago", rules="ggp").play("c4", "2cw")
    >>> position.to_move
    'black'

    Made from the position string, from moves (tokens, or text with spaces between), from both (the moves
    are played from the position), or from neither: the start position. Positions are equal if their game,
    ruleset and string are. Wrong input raises `ValueError`, whose text names what is wrong and where.
    """

    __slots__ = ("_inner",)
    _inner: _native.Position

    def __init__(
        self,
        game: str | Game,
        position: str | None = None,
        moves: str | Iterable[str] = (),
        *,
        rules: str | None = None,
    ) -> None:
        if isinstance(game, Game):
            game._start.check_rules()
            if rules is not None and Game(game.name, rules) != game:
                raise ValueError(f"rules: {game!r} has others than {rules!r}")
            self._set(_native.Position(game.name, game.rules, position, tokens(moves)))
        else:
            self._set(_native.Position(game, rules, position, tokens(moves)))

    def _set(self, inner: _native.Position) -> None:
        object.__setattr__(self, "_inner", inner)

    @classmethod
    def _of(cls, inner: _native.Position) -> Position:
        position = cls.__new__(cls)
        position._set(inner)
        return position

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Position never changes")

    @property
    def game(self) -> Game:
        """The game and its ruleset. It raises `ValueError` if a rulesheet was loaded under its name since."""
        self._inner.check_rules()
        return Game(self._inner.game, self._inner.rules)

    @property
    def string(self) -> str:
        """The position string, which `Position` reads."""
        return self._inner.string()

    @property
    def start(self) -> str | None:
        """The position string that `moves` start from; None for the start position."""
        return self._inner.start

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves that led here."""
        return tuple(self._inner.moves)

    @property
    def to_move(self) -> str | None:
        """The role to move; None once the game is over."""
        return self._inner.to_move()

    @property
    def task(self) -> str | None:
        """What the role to move has to do, in words; None once the game is over."""
        return self._inner.task()

    @property
    def legal_moves(self) -> tuple[str, ...]:
        """The tokens of the legal moves, in the game's order; empty once the game is over."""
        return tuple(self._inner.legal_moves())

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self._inner.is_over()

    @property
    def scores(self) -> dict[str, int]:
        """The score of each role here, 0 to 100, also while the game goes on, as its rules count it."""
        return dict(self._inner.scores())

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended; None while it goes on."""
        if not self.is_over:
            return None
        scores = self.scores
        most, least = max(scores.values()), min(scores.values())
        is_decided = most > least or (len(scores) == 1 and most == 100)
        winners = tuple(role for role, score in scores.items() if is_decided and score == most)
        return Outcome(winners, scores)

    def play(self, *moves: str) -> Position:
        """The position after these moves. An illegal one raises `ValueError`."""
        return self._of(self._inner.play(list(moves)))

    def text(self, mark: str | None = None) -> str:
        """The board as text of several lines, with the effect of the legal move `mark` in brackets."""
        return self._inner.text(mark)

    def picture(self) -> dict[str, Any]:
        """What stands on each place, as `places`, `open`, `turned` and `lines` of docs/json.md."""
        return dict(json.loads(self._inner.picture()))

    def svg(self, report: Report | None = None) -> str:
        """The position as an SVG document, in which the last move is marked.

        With a report on the position, its best candidates are discs: the more visits, the larger, with the
        expected score of the role to move. In a notebook, `IPython.display.SVG` shows it. Moves that change
        no single place, such as rotations, have none.
        """
        return self._inner.svg([] if report is None else _marks(report))

    def _repr_svg_(self) -> str:
        """The picture that a notebook shows."""
        return self.svg()

    def observation(self) -> NDArray[np.float32]:
        """The position as planes of numbers from 0 to 1, of shape `Game.observation_shape`.

        `Game.planes` names them: one for each kind of piece on the board, those of each tray, the open
        cells, one for each role that is all 1 if it is to move, and what the game adds. As long as the
        game goes on, different positions have different observations. Rows and columns are those of the
        board, from the top left.
        """
        from . import _spaces

        return _spaces.observation(self._inner)

    def action_mask(self) -> NDArray[np.int8]:
        """1 for each of `Game.actions` that is legal here, 0 for the others."""
        from . import _spaces

        return _spaces.action_mask(self._inner)

    def __str__(self) -> str:
        return self.string

    def __repr__(self) -> str:
        return f"Position({self._inner.game!r}, {self.string!r}, rules={self._inner.rules!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[str, str, str | None, str]:
        return self._inner.game, self._inner.rules, self._inner.rulesheet, self.string

    def __reduce__(self) -> tuple[Any, ...]:
        self._inner.check_rules()
        return _restored, (self._inner.game, self._inner.rules, self.start, self._inner.moves)


def _restored(game: str, rules: str, start: str | None, moves: list[str]) -> Position:
    return Position(game, start, moves, rules=rules)

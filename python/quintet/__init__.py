"""Quarto, Qubic, Gomoku, Pentago and KRK (king and rook against king): rules, search, proofs and matches.

>>> import quintet
>>> position = quintet.Position("quarto", rules="standard", moves="0101 b2")
>>> quintet.search(position, iterations=20_000, threads=1, seed=7).move

`quintet.pettingzoo` has environments for PettingZoo, `quintet.openspiel` exchanges positions of Pentago
with OpenSpiel. docs/python.md in the repository says the rest.
"""

from ._arena import Match, match
from ._game import Game, Outcome, Position, games, load_rulesheet
from ._native import __version__
from ._records import (
    Candidate,
    Conditions,
    EngineTime,
    GameRatings,
    GameRecord,
    MatchResult,
    Rated,
    Report,
    RolloutCounts,
    Solution,
    SprtResult,
    Thought,
)
from ._search import SearchOptions, Stream, rollouts, search, solve, stream

__all__ = [
    "Candidate",
    "Conditions",
    "EngineTime",
    "Game",
    "GameRatings",
    "GameRecord",
    "Match",
    "MatchResult",
    "Outcome",
    "Position",
    "Rated",
    "Report",
    "RolloutCounts",
    "SearchOptions",
    "Solution",
    "SprtResult",
    "Stream",
    "Thought",
    "__version__",
    "games",
    "load_rulesheet",
    "match",
    "rollouts",
    "search",
    "solve",
    "stream",
]

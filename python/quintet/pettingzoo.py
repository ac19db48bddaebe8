"""Environments for PettingZoo, which has to be installed (the extra `pettingzoo`).

>>> from quintet.pettingzoo import env
>>> quarto = env("quarto", rules="standard")
>>> quarto.reset(seed=1)
>>> for agent in quarto.agent_iter():
...     observation, reward, termination, truncation, info = quarto.last()
...     done = termination or truncation
...     quarto.step(None if done else quarto.action_space(agent).sample(observation["action_mask"]))
"""

from __future__ import annotations

from typing import Any, ClassVar, SupportsIndex

import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from ._game import Game, Position

__all__ = ["QuintetEnv", "env", "raw_env"]


class QuintetEnv(AECEnv, EzPickle):  # type: ignore[misc]
    """A game as an environment in which agents act one after another.

    The agents are the roles: two, or in Qubic the three of each team. They act in the order of the game,
    in which one may act several times in a row.

    - Actions are numbers: places in `Game.actions`.
    - An observation has `observation`, that of `Position.observation`, which is the same for all, and
      `action_mask`, the legal actions of the agent that acts and zeros for the others.
    - At the end of the game every agent gets a reward from its score: 1 for a win, 0 for a draw, -1 for a
      loss. Before, rewards are 0.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ["human", "ansi"],
        "name": "quintet_v0",
        "is_parallelizable": False,
    }

    def __init__(
        self, game: str = "quarto", rules: str | None = None, render_mode: str | None = None
    ) -> None:
        EzPickle.__init__(self, game, rules, render_mode)
        super().__init__()
        self.game = Game(game, rules)
        modes = self.metadata["render_modes"]
        if render_mode is not None and render_mode not in modes:
            raise ValueError(f"render_mode: {render_mode!r} is none of {', '.join(modes)}")
        self.render_mode = render_mode
        self.possible_agents = list(self.game.roles)
        actions = len(self.game.actions)
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        seen = spaces.Dict(
            {
                "observation": spaces.Box(0, 1, self.game.observation_shape, np.float32),
                "action_mask": spaces.Box(0, 1, (actions,), np.int8),
            }
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, seen)
        self.position = self.game.start()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """What an agent sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """What an agent can do."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a game. The games have no chance, so the seed makes no difference. The option `position`,
        a `Position` of the game, starts there."""
        start = (options or {}).get("position", self.game.start())
        if not isinstance(start, Position) or start.game != self.game or start.is_over:
            raise ValueError(f"position: {start!r} is no position of {self.game!r} that can be played on")
        self.position = start
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self._next_agent()

    def observe(self, agent: str) -> dict[str, Any]:
        """What an agent sees now."""
        mask = self.position.action_mask()
        if agent != self.position.to_move:
            mask = np.zeros_like(mask)
        return {"observation": self.position.observation(), "action_mask": mask}

    def step(self, action: SupportsIndex | None) -> None:
        """Plays an action of the agent that is to act. An illegal one raises `ValueError`."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None or not self.action_spaces[agent].contains(action):
            raise ValueError(f"action: {action} is not from 0 to {len(self.game.actions) - 1}")
        self.position = self.position.play(self.game.actions[action])
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if outcome := self.position.outcome:
            self.rewards = {role: score / 50 - 1 for role, score in outcome.scores.items()}
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self._next_agent()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def _next_agent(self) -> str:
        """Who acts: the role to move, or at the end of the game whoever is the first to leave."""
        return self.position.to_move or self.agents[0]

    def render(self) -> str | None:
        """The board as text: printed by `human`, returned by `ansi`."""
        if self.render_mode == "ansi":
            return self.position.text()
        if self.render_mode == "human":
            print(self.position.text())
        return None

    def close(self) -> None:
        """There is nothing to close."""


def raw_env(game: str = "quarto", rules: str | None = None, render_mode: str | None = None) -> QuintetEnv:
    """The environment of a game without wrappers."""
    return QuintetEnv(game, rules, render_mode)


def env(game: str = "quarto", rules: str | None = None, render_mode: str | None = None) -> AECEnv:
    """The environment of a game. An illegal action ends it with a reward of -1 for the agent."""
    wrapped = wrappers.TerminateIllegalWrapper(raw_env(game, rules, render_mode), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))

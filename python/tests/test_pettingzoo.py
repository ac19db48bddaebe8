"""The environments for PettingZoo."""

import warnings

import numpy as np
import pytest
from conftest import ALL
from pettingzoo.test import api_test, seed_test

from quintet import Game, Position
from quintet.pettingzoo import env, raw_env


@pytest.mark.parametrize("game", ALL, ids=repr)
def test_the_environment_passes_the_tests_of_pettingzoo(game: Game) -> None:
    with warnings.catch_warnings():
        # Observations of boards are no pictures to be normalized.
        warnings.filterwarnings("ignore", message=".*(observation|Observation|agent).*")
        api_test(env(game.name, game.rules), num_cycles=300)
        seed_test(lambda: env(game.name, game.rules), num_cycles=100)


@pytest.mark.parametrize("game", ALL, ids=repr)
def test_a_game_ends_with_the_rewards_of_its_scores(game: Game) -> None:
    it = env(game.name, game.rules)
    for seed in range(3):
        it.reset(seed=seed)
        rng = np.random.default_rng(seed)
        total = dict.fromkeys(it.possible_agents, 0.0)
        for agent in it.agent_iter():
            seen, reward, termination, truncation, _ = it.last()
            total[agent] += reward
            legal = np.flatnonzero(seen["action_mask"])
            assert (len(legal) == 0) == termination and not truncation
            it.step(None if termination else int(rng.choice(legal)))
        scores = it.unwrapped.position.scores
        assert it.unwrapped.position.is_over
        assert total == {role: score / 50 - 1 for role, score in scores.items()}


def test_only_the_agent_that_acts_has_actions() -> None:
    it = raw_env("qubic")
    it.reset()
    assert it.agent_selection == "xrow"
    assert it.observe("xrow")["action_mask"].sum() == 4
    assert it.observe("olevel")["action_mask"].sum() == 0


def test_an_illegal_action_ends_the_game_or_is_an_error() -> None:
    it = env("quarto")
    it.reset()
    it.step(20)
    assert it.rewards == {"white": -1, "black": 0} and all(it.terminations.values())
    raw = raw_env("quarto")
    raw.reset()
    with pytest.raises(ValueError, match="illegal move"):
        raw.step(20)
    for wrong in (99, -1, 1.5, "a1", None):
        with pytest.raises(ValueError, match=f"action: {wrong} is not from 0 to 31"):
            raw.step(wrong)  # type: ignore[arg-type]
    raw.step(np.int64(5))
    assert raw.position.moves == ("0101",)


def test_a_render_mode_that_there_is_not_is_an_error() -> None:
    with pytest.raises(ValueError, match="render_mode: 'rgb_array' is none of human, ansi"):
        env("quarto", render_mode="rgb_array")


def test_it_starts_from_a_position_and_draws_it(capsys: pytest.CaptureFixture[str]) -> None:
    late = Position("quarto", "..45/0.6b/f81e/27ca - b")
    it = raw_env("quarto", render_mode="ansi")
    it.reset(options={"position": late})
    assert it.agent_selection == "black" and it.render() == late.text()
    raw_env("quarto", render_mode="human").render()
    assert "pool" in capsys.readouterr().out
    with pytest.raises(ValueError, match="no position of Game"):
        it.reset(options={"position": Position("krk")})

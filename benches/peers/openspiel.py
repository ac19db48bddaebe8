#!/usr/bin/env python3
"""The speed of OpenSpiel's C++ MCTSBot (PyPI: open_spiel) on its Pentago and its Gomoku, as Markdown.

    pip install open_spiel
    python3 benches/peers/openspiel.py

Exits with 0 and a message if OpenSpiel is not installed.
"""

import importlib.metadata
import statistics
import sys
import time

try:
    import pyspiel
except ImportError:
    print("OpenSpiel is not installed (pip install open_spiel): skipped", file=sys.stderr)
    sys.exit(0)

ITERATIONS = 50_000
REPETITIONS = 3
EXPLORATION = 0.7

GAMES = [
    ("pentago", "place and rotate are one action"),
    ("gomoku(size=11,connect=5)", "11×11; six in a row win as well, which under quintet's rules they do not"),
]


def visits_of_a_search(game, bot):
    """Searches the start position once; returns the visits of the root's children."""
    state = game.new_initial_state()
    root = bot.mcts_search(state)
    best = root.best_child().action
    assert best in state.legal_actions(), f"{best} is illegal"
    return sum(child.explore_count for child in root.children)


def speed(game, seed):
    """Iterations per second of CPU time of one search."""
    bot = pyspiel.MCTSBot(
        game,
        pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=seed),
        uct_c=EXPLORATION * 2,  # its rewards go from -1 to 1
        max_simulations=ITERATIONS,
        max_memory_mb=4096,
        solve=False,
        seed=seed,
        verbose=False,
    )
    start = time.process_time()
    visits = visits_of_a_search(game, bot)
    elapsed = time.process_time() - start
    # The first iteration may end in the root itself.
    assert ITERATIONS - 1 <= visits <= ITERATIONS, f"{visits} visits"
    return ITERATIONS / elapsed


def main():
    version = importlib.metadata.version("open_spiel")
    print("\n## OpenSpiel\n")
    print("    python3 benches/peers/openspiel.py\n")
    print(
        f"The C++ `MCTSBot` of OpenSpiel {version} on its own implementation of the games, not quintet's, with one "
        "random rollout a leaf, without solver, c as quintet. From the start position, "
        f"{ITERATIONS:,} iterations a search, one thread, CPU time, medians of {REPETITIONS}.\n"
    )
    print("| game | note | iterations/s |")
    print("|---|---|--:|")
    for name, note in GAMES:
        try:
            game = pyspiel.load_game(name)
        except pyspiel.SpielError as error:
            print(f"| {name} | not in this version: {error} | none |")
            continue
        median = statistics.median(speed(game, seed) for seed in range(REPETITIONS))
        print(f"| {name} | {note} | {median:,.0f} |")


if __name__ == "__main__":
    main()

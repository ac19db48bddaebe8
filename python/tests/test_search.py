"""Searches, proofs and random games."""

import inspect
import json
import os
import signal
import subprocess
import sys
import threading
import time
from datetime import timedelta
from typing import Any

import pytest

import quintet
from quintet import Position

EARLY = Position("gomoku", rules="ggp", moves="f6 e5 g7 black")
LATE = Position("quarto", "..45/0.6b/f81e/27ca - b")


def answer_of(command: str, *arguments: str) -> dict[str, Any]:
    line = subprocess.run([command, *arguments, "--json"], capture_output=True, check=False).stdout
    return dict(json.loads(line))


def as_json(report: Any) -> dict[str, Any]:
    """A report as the command writes it, without the time it took."""
    import dataclasses

    fields = dataclasses.asdict(report)
    fields.pop("seconds")
    fields.pop("cpu_seconds", None)
    if not fields.get("partial"):
        fields.pop("partial", None)
    for of_line in ["plies", "plies_at_most", "line", "line_why", "policies"]:
        if fields.get(of_line) is None:
            fields.pop(of_line, None)
    for candidate in fields.get("candidates", []):
        if not candidate["pv"]:
            del candidate["pv"]
    return fields


@pytest.mark.parametrize("engine", ["quintet", "uct:c=0.5", "random"])
@pytest.mark.parametrize("position", [EARLY, LATE, Position("pentago", moves="c4")], ids=str)
def test_the_same_seed_gives_the_answer_of_the_command(command: str, position: Position, engine: str) -> None:
    report = quintet.search(position, iterations=600, threads=2, seed=7, engine=engine)
    game = [position.game.name, "--rules", position.game.rules, "--position", position.string]
    limits = ["--iterations", "600", "--threads", "2", "--seed", "7", "--engine", engine]
    expected = answer_of(command, "suggest", *game, *limits)
    expected.pop("seconds")
    expected.pop("cpu_seconds")
    assert as_json(report) == expected


def test_a_proven_win_has_a_line_to_the_end() -> None:
    report = quintet.search(Position("krk"), iterations=100, threads=1)
    assert (report.proven, report.plies, report.plies_at_most) == (100, 3, None)
    assert report.line is not None and report.line_why is not None
    assert (len(report.line), report.line_why[-1]) == (3, "checkmate")
    assert quintet.solve(Position("krk"), threads=1).line == report.line


def test_a_report_has_the_best_move_and_rows() -> None:
    report = quintet.search(LATE, iterations=1000, threads=1, variations=2)
    assert (report.game, report.rules, report.to_move) == ("quarto", "spec", "black")
    assert (report.value, report.proven, report.ended) == (50, 50, "proven")
    assert report.move == report.candidates[0].move == report.pv[0]
    assert [len(it.pv) > 0 for it in report.candidates] == [True, True, False]
    assert report.candidates[2].why.startswith("loses")
    rows = report.rows()
    assert rows[0]["move"] == report.move and isinstance(rows[0]["pv"], str)


def test_moves_are_chosen_among_those_that_are_allowed() -> None:
    only = quintet.search(LATE, iterations=100, threads=1, allow_moves="1001 1101")
    assert {it.move for it in only.candidates} == {"1001", "1101"}
    others = quintet.search(LATE, iterations=100, threads=1, avoid_moves=["1001"])
    assert "1001" not in {it.move for it in others.candidates}


@pytest.mark.parametrize("limit", [0.05, "50ms", timedelta(milliseconds=50)], ids=repr)
def test_time_is_kept(limit: Any) -> None:
    begin = time.monotonic()
    report = quintet.search(EARLY, time=limit, threads=1)
    assert 0.04 < time.monotonic() - begin < 2 and report.iterations > 0


def test_a_stream_reports_on_the_way() -> None:
    with quintet.stream(EARLY, time=0.5, every=0.1, threads=1) as stream:
        reports = list(stream)
    assert len(reports) >= 3
    assert [it.partial for it in reports] == [True] * (len(reports) - 1) + [False]
    done = [it.iterations for it in reports]
    assert done == sorted(done) and done[0] < done[-1]


def test_a_stream_that_is_left_ends_its_search() -> None:
    with quintet.stream(EARLY, time=60, every=0.1, threads=1) as stream:
        first = next(stream)
    assert first.partial and list(stream) == []
    begin = time.process_time()
    time.sleep(0.3)
    assert time.process_time() - begin < 0.1, "nothing searches any more"
    del stream
    for _ in quintet.stream(EARLY, time=60, every=0.1, threads=1):
        break
    time.sleep(0.05)
    begin = time.process_time()
    time.sleep(0.3)
    assert time.process_time() - begin < 0.1, "the last reference has gone"


def test_another_thread_can_end_a_stream() -> None:
    stream = quintet.stream(EARLY, time=60, every=30, threads=1)
    timer = threading.Timer(0.2, stream.close)
    timer.start()
    begin = time.monotonic()
    [last] = list(stream)
    assert not last.partial and time.monotonic() - begin < 5


def test_a_thread_is_told_that_another_waits_for_the_next_report() -> None:
    stream = quintet.stream(EARLY, time=60, every=30, threads=1)
    reports: list[quintet.Report] = []
    waiting = threading.Thread(target=lambda: reports.extend(stream))
    waiting.start()
    end = time.monotonic() + 30
    while time.monotonic() < end:
        try:
            next(stream)
        except ValueError as error:
            assert "another thread waits" in str(error)
            break
    stream.close()
    waiting.join()
    assert next(stream, None) is None and len(reports) <= 1


def test_other_python_threads_run_while_it_thinks() -> None:
    counted = 0
    thinking = threading.Event()
    thinking.set()

    def count() -> None:
        nonlocal counted
        while thinking.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    quintet.search(EARLY, time=0.4, threads=1)
    found = counted
    thinking.clear()
    thread.join()
    # One at most, if the search kept them waiting; how many more depends on what else the machine does.
    assert found > 5


def test_several_python_threads_search_at_a_time() -> None:
    alone = quintet.search(EARLY, iterations=300, threads=2, seed=1)
    found = []

    def search() -> None:
        found.append(quintet.search(EARLY, iterations=300, threads=2, seed=1))

    threads = [threading.Thread(target=search) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [as_json(it) for it in found] == [as_json(alone)] * 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_process_that_was_forked_can_search() -> None:
    quintet.search(EARLY, iterations=100, threads=2)
    child = os.fork()
    if child == 0:
        quintet.search(EARLY, iterations=100, threads=2)
        os._exit(0)
    for _ in range(200):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert status == 0
            return
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    pytest.fail("the child does not end")


LONG = {
    "search": "quintet.search(position, time=60)",
    "stream": "list(quintet.stream(position, time=60))",
    "solve": "quintet.solve(position)",
    "rollouts": "quintet.rollouts(position, 10**12)",
    "match": "quintet.match(['quintet', 'uct'], 'gomoku', time=5)",
}


@pytest.mark.parametrize("what", LONG)
@pytest.mark.parametrize("game", ["gomoku", "pentago"])
def test_ctrl_c_ends_it_within_100_ms(what: str, game: str) -> None:
    program = f"""
import time, quintet
position = quintet.Position({game!r}, rules="ggp")
print("ready", flush=True)
try:
    {LONG[what]}
except KeyboardInterrupt:
    print(time.time())
"""
    waits = []
    for _ in range(3):
        with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
            time.sleep(0.3)
            sent = time.time()
            child.send_signal(signal.SIGINT)
            line = child.stdout.readline()
            assert child.wait(timeout=20) == 0, "it was caught"
        waits.append(float(line) - sent)
        # A machine that does something else may be late.
        if waits[-1] < 0.1:
            return
    pytest.fail(f"{waits} seconds")


def test_solve_finds_the_exact_value(command: str) -> None:
    solution = quintet.solve(LATE, threads=1)
    expected = answer_of(command, "solve", "quarto", "--position", LATE.string, "--threads", "1")
    expected.pop("seconds")
    assert as_json(solution) == expected
    assert solution.settled and solution.value == {"white": 50, "black": 50}


def test_solve_ends_in_time_with_what_is_proven() -> None:
    begin = time.monotonic()
    solution = quintet.solve(EARLY, time="200ms")
    assert time.monotonic() - begin < 5
    assert not solution.settled and solution.value is None
    assert set(solution.lower) == set(solution.upper) == {"player1", "player2"}


def test_rollouts_count_random_games() -> None:
    position = Position("quarto", rules="ggp")
    counts = quintet.rollouts(position, 20_000, seed=3)
    assert counts == quintet.rollouts(position, 20_000, seed=3)
    assert counts != quintet.rollouts(position, 20_000, seed=4)
    assert counts.rollouts == counts.first_wins + counts.draws + counts.second_wins == 20_000
    assert 0.45 < counts.first_score < 0.55 and 15 < counts.plies / 20_000 < 32
    end = Position("krk", "2k1/4/1K2/2R1 b 11")
    assert end.is_over and quintet.rollouts(end, 10).plies == 0


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: quintet.search(LATE, time="soon"), 'time: "soon" is not a time such as 500ms or 2s'),
        (lambda: quintet.search(LATE, time="5"), "is not a time such as 500ms or 2s; did you mean 5s?"),
        (lambda: quintet.search(LATE, time="0s"), 'time: "0s" is not a time above 0'),
        (lambda: quintet.search(LATE, time=-1), "time: -1 is not a number of seconds above 0"),
        (lambda: quintet.search(LATE, time=float("nan")), "time: nan is not a number of seconds above 0"),
        (lambda: quintet.search(LATE, time=float("inf")), "time: inf is not a number of seconds above 0"),
        (lambda: quintet.search(LATE, time=1e300), "time: 1e+300 is not a number of seconds above 0"),
        (lambda: quintet.search(LATE, time=timedelta(days=-1)), "time: -1 day, 0:00:00 is not"),
        (lambda: quintet.search(LATE, time=0), "time: 0 is not a number of seconds above 0"),
        (lambda: quintet.search(LATE, iterations=0), "iterations: 0 is not from 1 to 2^64 - 1"),
        (lambda: quintet.search(LATE, iterations=-1), "iterations: -1 is not from 1 to 2^64 - 1"),
        (lambda: quintet.search(LATE, memory=-1), "memory: -1 is not from 1 to 2^64 - 1"),
        (lambda: quintet.search(LATE, threads=0), "threads: "),
        (lambda: quintet.search(LATE, memory="much"), "is not an amount of memory such as"),
        (lambda: quintet.search(LATE, seed=-1), "seed: "),
        (lambda: quintet.search(LATE, engine="deep"), 'bad engine "deep": "deep" is not an engine'),
        (lambda: quintet.search(LATE, engine="uct:iterations=5", time=1), "has a budget of its own"),
        (lambda: quintet.search(LATE, allow_moves="a1"), 'allow_moves: "a1" is no legal move'),
        (lambda: quintet.search(LATE, confidence=2), "confidence: 2 is not from 0.5 to 1"),
        (lambda: quintet.search(Position("krk", "2k1/4/1K2/2R1 b 11")), "the game is over"),
        (lambda: quintet.search(LATE, confidence=float("nan")), "confidence: nan is not from 0.5 to 1"),
        (
            lambda: quintet.search(LATE, iterations=10**30),
            "iterations: 1000000000000000000000000000000 is not",
        ),
        (lambda: quintet.search(LATE, variations=0), "variations: 0 is not from 1 to 2^64 - 1"),
        (lambda: quintet.stream(LATE, every=0), "every: 0 is not a number of seconds above 0"),
        (lambda: quintet.stream(LATE, every="0s"), 'every: "0s" is not a time above 0'),
        (lambda: quintet.stream(LATE, every=-1), "every: -1 is not a number of seconds above 0"),
        (lambda: quintet.solve(LATE, time=0), "time: 0 is not a number of seconds above 0"),
        (lambda: quintet.solve(LATE, time="0s"), "the search budget is zero"),
        (lambda: quintet.solve(LATE, threads=0), "threads: "),
        (lambda: quintet.rollouts(LATE, 0), "n: 0 is not from 1"),
        (lambda: quintet.rollouts(LATE, 1, seed=-1), "seed: -1 is not from 0"),
    ],
)
def test_wrong_input_is_a_value_error_with_the_text_of_the_library(call, text: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError) as raised:
        call()
    assert text in str(raised.value)


def test_what_is_no_position_or_no_option_is_a_type_error() -> None:
    game: Any = quintet.Game("quarto")
    for call in (quintet.search, quintet.stream, quintet.solve, lambda it: quintet.rollouts(it, 1)):
        with pytest.raises(TypeError, match=r"position: Game\('quarto', 'spec'\) is not a Position"):
            call(game)
    wrong: Any = {"iteration": 5}
    for thinks in (quintet.search, quintet.stream):
        with pytest.raises(
            TypeError, match="unexpected keyword argument 'iteration'; known: time, iterations,"
        ):
            thinks(LATE, **wrong)


def test_the_signature_lists_the_options() -> None:
    options = list(quintet.SearchOptions.__annotations__)
    assert list(inspect.signature(quintet.search).parameters) == ["position", *options]
    assert list(inspect.signature(quintet.stream).parameters) == ["position", "every", *options]
    given = {name: it.default for name, it in inspect.signature(quintet.search).parameters.items()}
    assert (given["seed"], given["engine"], given["time"]) == (0, "quintet", None)
    text = quintet.search.__doc__ or ""
    assert [name for name in options if f"`{name}`" not in text] == []


def test_too_little_memory_is_an_error() -> None:
    with pytest.raises(ValueError, match="too little for 2 trees"):
        quintet.search(EARLY, memory="1KiB", trees=2, iterations=10)

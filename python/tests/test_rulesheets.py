"""Games of rulesheets."""

import copy
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

import quintet

NIM = """
(role anna) (role bert) (init (heap 3)) (init (control anna))
(other anna bert) (other bert anna)
(minus 3 1 2) (minus 2 1 1) (minus 1 1 0) (minus 3 2 1) (minus 2 2 0)
(<= (legal ?p (take ?n)) (true (control ?p)) (true (heap ?s)) (minus ?s ?n ?r))
(<= (legal ?p wait) (other ?p ?q) (true (control ?q)))
(<= (next (heap ?r)) (does ?p (take ?n)) (true (heap ?s)) (minus ?s ?n ?r))
(<= (next (control ?p)) (other ?p ?q) (true (control ?q)))
(<= terminal (true (heap 0)))
(<= (goal ?p 100) (true (heap 0)) (other ?p ?q) (true (control ?q)))
(<= (goal ?p 0) (true (heap 0)) (true (control ?p)))
"""


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "Little nim.kif"
    path.write_text(NIM)
    yield path


def test_a_rulesheet_is_a_game_like_others(path: Path) -> None:
    nim = quintet.load_rulesheet(path)
    assert (nim.name, nim.rules, nim.title) == ("little-nim", "gdl", "Little nim")
    assert (nim.roles, nim.sides) == (("anna", "bert"), (("anna",), ("bert",)))
    assert nim in quintet.games()
    start = nim.start()
    assert start.legal_moves == ("take-1", "take-2")
    end = quintet.Position("little-nim", moves="(take 2) take-1")
    assert end.outcome is not None and end.outcome.winners == ("bert",)
    assert "<svg" in start.svg() and "(heap 3)" in start.text()
    report = quintet.search(start.play("take-1"), iterations=200, threads=1)
    assert (report.move, report.proven) == ("take-2", 100)
    match = quintet.match(["uct:iterations=20", "random"], nim, games=4, threads=1)
    assert len(match.records) == 4
    with pytest.raises(ValueError, match="has no observations"):
        _ = nim.actions


def test_a_name_is_given_or_free(path: Path) -> None:
    assert quintet.load_rulesheet(str(path), "one-heap").name == "one-heap"
    game = quintet.Game("one-heap")
    before = game.start()
    path.write_text(NIM.replace("(init (heap 3))", "(init (heap 2))"))
    quintet.load_rulesheet(path, "one-heap")
    after = quintet.Game("one-heap").start()
    assert "(heap 3)" in before.string and "(heap 2)" in after.string
    # A position keeps its rules, and is not searched by others.
    assert before.play("take-1").play() == before.play("take-1") and before != after
    for call in (lambda it: quintet.search(it, iterations=9), copy.copy, pickle.dumps):
        with pytest.raises(ValueError, match='one-heap" has other rules since'):
            call(before)
        call(after)
    assert game != quintet.Game("one-heap")
    for again in (
        game.start,
        lambda: before.game,
        lambda: quintet.match(["uct", "random"], game, games=2, iterations=1),
    ):
        with pytest.raises(ValueError, match='one-heap" has other rules since'):
            again()
    path.rename(path.with_name("quarto.kif"))
    assert quintet.load_rulesheet(path.with_name("quarto.kif")).name == "quarto-gdl"
    for name, reason in [("quarto", "a meaning"), ("all", "a meaning"), ("One heap", "lower case")]:
        with pytest.raises(ValueError, match=reason):
            quintet.load_rulesheet(path, name)


ALONE = """
(role anna) (init (left 2)) (minus 2 1) (minus 1 0) (legal anna small) (legal anna large)
(<= (next (left ?n)) (true (left ?m)) (minus ?m ?n)) (<= (next large) (does anna large))
(<= (next large) (true large)) (<= terminal (true (left 0)))
(<= (goal anna 30) (not (true large))) (<= (goal anna 60) (true large))
"""


def test_games_that_are_not_for_two_sides_have_matches_and_outcomes(path: Path) -> None:
    path.write_text(ALONE)
    alone = quintet.load_rulesheet(path, "alone")
    match = quintet.match(["a=random", "b=random"], alone, games=4, opening_plies=0, threads=1)
    assert len(match.records) == 4 and match.results[0].best_scores is not None
    assert {row["score"] for row in match.rows()} <= {None, 0.3, 0.6}
    end = alone.start().play("small", "large")
    assert end.outcome == quintet.Outcome((), {"anna": 60}) and not end.outcome.is_draw
    with pytest.raises(ValueError, match="alone gdl is not for two sides"):
        quintet.rollouts(alone.start(), 10)
    path.write_text(NIM.replace("?p 100)", "?p 70)").replace("?p 0)", "?p 30)"))
    shares = quintet.load_rulesheet(path, "shares").position(moves="take-1 take-2")
    assert shares.outcome is not None
    assert shares.outcome.scores == {"anna": 30, "bert": 70} and shares.outcome.winners == ("bert",)
    path.write_text(NIM.replace("(init (heap 3))", "(init (heap 0))"))
    over = quintet.load_rulesheet(path, "over")
    with pytest.raises(ValueError, match="over is over at its start"):
        quintet.match(["uct", "random"], over, games=2, opening_plies=0, iterations=5)


MATCHING = """
(role anna) (role bert) (init on) (<= (legal ?r odd) (role ?r)) (<= (legal ?r even) (role ?r))
(<= same (does anna ?m) (does bert ?m)) (<= (next won) same) (<= (next lost) (not same))
(<= terminal (not (true on)))
(<= (goal anna 100) (true won)) (<= (goal anna 0) (not (true won)))
(<= (goal bert 0) (true won)) (<= (goal bert 100) (not (true won)))
"""


def test_a_report_has_the_policies_of_roles_that_move_at_the_same_time(path: Path) -> None:
    path.write_text(MATCHING)
    start = quintet.load_rulesheet(path, "matching").start()
    policies = quintet.search(start, iterations=2000, threads=1).policies
    assert policies is not None and set(policies) == {"anna", "bert"}
    for policy in policies.values():
        assert set(policy) == {"odd", "even"} and sum(policy.values()) == pytest.approx(1, abs=1e-3)
    assert quintet.search(quintet.Position("krk"), iterations=5, threads=1).policies is None


def test_errors_name_the_file_and_the_place(path: Path) -> None:
    path.write_text("(role a)\n(<= (legal a ?x) (not (true ?x)))")
    with pytest.raises(ValueError, match=r"Little nim\.kif.*line 2, column 1.*variable"):
        quintet.load_rulesheet(path)
    with pytest.raises(FileNotFoundError, match=r"none\.kif"):
        quintet.load_rulesheet(path.with_name("none.kif"))

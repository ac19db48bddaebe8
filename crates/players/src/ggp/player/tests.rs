//! A player of one role, without a server.

use std::cell::RefCell;

use super::super::compilation::Compilation;
use super::*;
use quintet_arena::engine::{EngineSpec, Settings};

thread_local! {
    /// What the players of a test have said.
    static LOG: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

#[track_caller]
fn assert_said(part: &str) {
    let log = LOG.take();
    assert!(log.iter().any(|line| line.contains(part)), "{part}: {log:?}");
}

/// Longer than any search here takes.
const LONG: Duration = Duration::from_secs(60);

/// Red in a match of Pentago, with one tree.
fn red() -> Player {
    let mut settings = Settings::default();
    settings.set("threads", "1").expect("it is right");
    let (engine, _) = EngineSpec::default().config(&settings).expect("it is right");
    let game = quintet_games::registry().find("pentago", Some("ggp")).expect("it is known");
    Player {
        note: |text| LOG.with_borrow_mut(|log| log.push(text.to_owned())),
        name: name("m", "red"),
        rules: Rules::Board(Board::new(&game, &["red".to_owned(), "black".to_owned()], "red")),
        own: 0,
        spelling: Spelling::default(),
        thinking: Thinking { engine, iterations: Some(2000), time: None, seed: 0, ponder: false },
        play_clock: LONG,
        shared: Arc::default(),
        is_ready: false,
        last: None,
        answer: None,
    }
}

fn board(player: &mut Player) -> &mut Board {
    match &mut player.rules {
        Rules::Board(board) => board,
        Rules::Letter(letter) => panic!("{letter:?}"),
    }
}

/// The visits after a search of ten iterations.
fn visits(player: &mut Player) -> u64 {
    player.thinking.iterations = Some(10);
    let report = player.think(&AtomicBool::default(), LONG).expect("it can be searched");
    report.candidates.iter().map(|it| it.visits).sum()
}

fn play(player: &mut Player, moves: &str) -> String {
    let moves = Kif::parse(moves).expect("it is right");
    let Kif::List(moves) = moves else { panic!("{moves}") };
    player.play(&Some(moves), &Arc::default(), Instant::now() + LONG)
}

#[test]
fn the_tree_is_kept_from_the_start_clock_and_from_move_to_move() {
    let mut player = red();
    assert!(visits(&mut player) < 100);
    let mut player = red();
    player.prepare(&Arc::default(), Instant::now() + LONG);
    assert!(visits(&mut player) > 1000);
    let mut player = red();
    let first = player.play(&None, &Arc::default(), Instant::now() + LONG);
    player.follow(Some(&[Kif::parse(&first).expect("a term"), Kif::Symbol("noop".to_owned())]));
    assert!(visits(&mut player) > 100);
}

#[test]
fn a_search_that_begins_after_the_end_of_its_match_ends_at_once() {
    let mut player = red();
    player.thinking.iterations = None;
    player.shared.end();
    let begin = Instant::now();
    player.prepare(&Arc::default(), begin + LONG);
    player.play(&None, &Arc::default(), begin + LONG);
    let stop = Arc::default();
    player.shared.begin(&stop, None);
    player.ponder(&stop);
    assert!(begin.elapsed() < LONG / 2, "{:?}", begin.elapsed());
}

#[test]
fn pondering_takes_at_most_a_play_clock() {
    let game = quintet_games::registry().find("quarto", Some("ggp")).expect("it is known");
    for seed in 0..10 {
        let both = ["white", "black"].map(str::to_owned);
        let rules = Rules::Board(Board::new(&game, &both, "white"));
        let mut player = Player { rules, play_clock: Duration::from_millis(100), ..red() };
        let session = &mut board(&mut player).session;
        // With six pieces on the board Quarto can be solved, but hardly in this time.
        let mut rng = Rng::stream(seed, 0);
        for _ in 0..12 {
            let token = session.random_move(&mut rng).expect("the game goes on");
            session.play(&token).expect("it is legal");
        }
        player.thinking.iterations = None;
        let begin = Instant::now();
        player.ponder(&AtomicBool::default());
        assert!(begin.elapsed() < Duration::from_secs(1), "{seed}: {:?}", begin.elapsed());
    }
}

#[test]
fn pondering_goes_on_from_the_answer() {
    let mut player = red();
    player.thinking.iterations = Some(20);
    let first = player.play(&None, &Arc::default(), Instant::now() + LONG);
    player.thinking.iterations = Some(2000);
    player.ponder(&AtomicBool::default());
    assert!(board(&mut player).session.moves().is_empty());
    player.follow(Some(&[Kif::parse(&first).expect("a term"), Kif::Symbol("noop".to_owned())]));
    assert!(visits(&mut player) > 1000);
}

#[test]
fn a_missing_move_is_found_only_if_there_is_one() {
    let mut player = red();
    player.thinking.iterations = Some(20);
    for (moves, answer) in [
        // Red has not placed its stone yet, and there are 36 cells.
        ("((rotate 1 clockwise) noop)", "nil"),
        ("((place 1 1 1) noop)", "(rotate "),
        // The answer is taken for the move that is missing.
        ("(noop (place 2 1 1))", "noop"),
        ("(noop (place 2 1 1))", "noop"),
        // Black has not rotated, in one of eight ways.
        ("((place 3 1 1) noop)", "nil"),
        ("(noop (rotate 4 clockwise))", "(place "),
    ] {
        let said = play(&mut player, moves);
        assert!(said.starts_with(answer), "{moves}: {said}");
    }
}

#[test]
fn moves_that_do_not_fit_are_told_and_the_match_goes_on() {
    let mut player = red();
    player.thinking.iterations = Some(20);
    for (moves, answer, said) in [
        ("((place 1 1 1))", "nil", "the moves don't fit the position: 1 for 2 roles: nil"),
        ("((place 1 1 1) noop noop)", "nil", "3 for 2 roles: nil"),
        ("((place 9 9 9) noop)", "nil", "\"(place 9 9 9)\" is no legal move of red here: nil"),
        ("((((())))  noop)", "nil", "\"(((())))\" is no legal move of red here: nil"),
        (
            "((place 1 1 1) (place 9 9 9))",
            "(rotate ",
            "told \"(place 9 9 9)\" for black, who waits with noop, which does not matter",
        ),
        ("((place 1 1 1) (place 9 9 9))", "(rotate ", " again"),
    ] {
        let answered = play(&mut player, moves);
        assert!(answered.starts_with(answer), "{moves}: {answered}");
        assert_said(said);
    }
    player.stop(Some(&[Kif::Symbol("noop".to_owned())]));
    assert_said("the last moves don't fit the position: 1 for 2 roles");
}

/// One of two players who choose at the same time, three times.
const ROUNDS: &str = "(role a) (role b) (init (round 1)) (n 1 2) (n 2 3) (n 3 4) (c rock) (c paper)
    (<= (legal ?p (show ?x)) (role ?p) (c ?x))
    (<= (next (round ?m)) (true (round ?n)) (n ?n ?m))
    (<= (next (same ?n)) (true (round ?n)) (does a (show ?x)) (does b (show ?x)))
    (<= (next (same ?n)) (true (same ?n)))
    (<= terminal (true (round 4)))
    (<= (goal a 100) (true (same 2))) (<= (goal a 0) (not (true (same 2))))
    (<= (goal b 0) (true (same 2))) (<= (goal b 100) (not (true (same 2))))";

#[test]
fn a_match_goes_on_when_its_game_is_compiled() {
    let compilation = Compilation::new(ROUNDS.to_owned());
    let both = ["a", "b"].map(str::to_owned);
    let rules = Rules::Letter(Box::new(Letter::new(Arc::downgrade(&compilation), &both, "b")));
    let mut player = Player { rules, own: 1, ..red() };
    let soon = || Instant::now() + Duration::from_millis(1);
    let first = player.play(&None, &Arc::default(), soon());
    assert!(["(show rock)", "(show paper)"].contains(&&*first), "{first}");
    // The same answer again, no move, and one that is not legal.
    assert_eq!(player.play(&None, &Arc::default(), soon()), first);
    assert_eq!(play(&mut player, "((show rock))"), "nil");
    assert_said("the moves don't fit the position: 1 for 2 roles: nil");
    assert_eq!(play(&mut player, "((show rock) (show scissors))"), "nil");
    assert_said("\"(show scissors)\" is no legal move of b here: nil");
    let compiled = quintet_gdl::Compiled::new(ROUNDS, quintet_gdl::Limits::default()).expect("right");
    compilation.finish(Ok(quintet_gdl::variant("rounds".to_owned(), compiled)));
    let second = play(&mut player, &format!("((show rock) {first})"));
    assert!(second.starts_with("(show ") && board(&mut player).steps == 1, "{second}");
    for _ in 0..2 {
        let answer = play(&mut player, "((show rock) (show paper))");
        assert_eq!(answer.starts_with("(show "), board(&mut player).steps < 3, "{answer}");
    }
    assert_eq!((board(&mut player).steps, board(&mut player).score()), (3, Some(100)));
    assert_said("the game is over: nil");
    assert_eq!(play(&mut player, "((show paper) (show paper))"), "nil");
    assert_said("the moves don't fit the position: the game is over: nil");
}

#[test]
fn moves_that_turn_out_not_to_fit_are_forgotten() {
    for is_compiled in [false, true] {
        let compilation = Compilation::new(ROUNDS.to_owned());
        let both = ["a", "b"].map(str::to_owned);
        let mut letter = Box::new(Letter::new(Arc::downgrade(&compilation), &both, "b"));
        // As if the rules took too long.
        let too_late = Arc::<Shared>::default();
        too_late.end();
        for moves in ["((show rock) (show paper))", "(a b)"] {
            let Ok(Kif::List(moves)) = Kif::parse(moves) else { panic!("{moves}") };
            assert_eq!(letter.step(&moves, &too_late), Ok(()));
        }
        if is_compiled {
            let compiled = quintet_gdl::Compiled::new(ROUNDS, quintet_gdl::Limits::default());
            compilation.finish(Ok(quintet_gdl::variant("rounds".to_owned(), compiled.expect("right"))));
        }
        let mut player = Player { rules: Rules::Letter(letter), own: 1, ..red() };
        let Ok(Kif::List(moves)) = Kif::parse("((show rock) (show rock))") else { panic!("it is right") };
        let answer = player.play(&Some(moves), &Arc::default(), Instant::now() + Duration::from_millis(1));
        assert!(answer.starts_with("(show "), "{answer}");
        assert_said("they don't fit: \"a\" is no legal move of a here");
        assert_eq!(player.steps(), 2);
    }
}

/// Role a by the letter, in a game of which one legal move is found at once and all never are.
fn by_letter(endless: &str) -> (Player, Arc<Compilation>) {
    let rules = format!("(role a) (init x) (<= (legal a quick) (true x)) (terminal) (goal a 0) {endless}");
    let compilation = Compilation::new(rules);
    let letter = Letter::new(Arc::downgrade(&compilation), &["a".to_owned()], "a");
    (Player { rules: Rules::Letter(Box::new(letter)), ..red() }, compilation)
}

#[test]
fn the_first_legal_move_is_played_if_the_rules_grow_too_large() {
    let (mut player, _compilation) = by_letter("(<= (legal a (more ?m)) (legal a ?m))");
    assert_eq!(player.play(&None, &Arc::default(), Instant::now()), "quick");
}

#[test]
fn the_first_legal_move_is_known_to_a_message_that_comes_before_the_player_is_ready() {
    let numbers = (0..40).map(|it| format!("(n {it})")).collect::<Vec<_>>().concat();
    let (mut player, _compilation) = by_letter(&format!(
        "{numbers} (<= (legal a (slow ?a ?b ?c ?d ?e ?f)) (true x) (n ?a) (n ?b) (n ?c) (n ?d) (n ?e) (n ?f))"
    ));
    let shared = Arc::clone(&player.shared);
    std::thread::scope(|scope| {
        scope.spawn(|| player.prepare(&Arc::default(), Instant::now()));
        let begin = Instant::now();
        while shared.so_far().is_none() && begin.elapsed() < LONG {
            std::thread::yield_now();
        }
        drop(shared.expect(&None));
        let so_far = shared.so_far();
        drop(shared.expect(&Some(Vec::new())));
        let later = shared.so_far();
        shared.end();
        assert_eq!((so_far.as_deref(), later), (Some("quick"), None));
    });
}

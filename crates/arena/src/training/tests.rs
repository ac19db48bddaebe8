//! Games of Pentago, with few iterations.

use std::collections::HashSet;
use std::num::NonZeroU64;
use std::sync::atomic::AtomicBool;

use quintet_core::game::{Rng, Side};
use quintet_core::learned::{HIDDEN, Model, Network};
use quintet_core::registry::Variant;

use super::fit::samples;
use super::self_play::{drawn, drawn_by};
use super::*;

fn pentago() -> Variant {
    quintet_games::registry().find("pentago", Some("ggp")).expect("it is there")
}

fn self_play(stop: &AtomicBool) -> SelfPlay<'_> {
    SelfPlay {
        game: pentago(),
        model: None,
        iterations: NonZeroU64::new(8).expect("not 0"),
        random_plies: 4,
        games: 12,
        seed: 1,
        stop,
    }
}

#[test]
fn what_is_drawn_is_drawn_in_proportion() {
    let mut rng = Rng::stream(1, 0);
    let visits = [("a", 0), ("b", 30), ("c", 0), ("d", 10)].map(|(mv, visits)| (mv.to_owned(), visits));
    let weights = [0.0, 1.5, 0.0, 0.5];
    let (mut by_visits, mut by_weights) = ([0; 4], [0; 4]);
    for _ in 0..4_000 {
        let mv = drawn(&visits, &mut rng).expect("a move");
        by_visits[visits.iter().position(|it| it.0 == mv).expect("one of them")] += 1;
        by_weights[drawn_by(weights.into_iter(), &mut rng).expect("an index")] += 1;
    }
    for counts in [by_visits, by_weights] {
        assert_eq!([counts[0], counts[2]], [0, 0]);
        assert!((2_900..3_100).contains(&counts[1]), "{counts:?}");
    }
    assert_eq!(drawn(&visits[..1], &mut rng), None);
    assert_eq!(drawn(&[], &mut rng), None);
    assert_eq!(drawn_by(std::iter::empty(), &mut rng), None);
}

#[test]
fn games_are_played_to_their_end_and_begin_at_random() {
    let stop = AtomicBool::new(false);
    let play = self_play(&stop);
    let mut random = HashSet::new();
    let (mut drawn, mut ended) = (0, 0);
    for index in 0..play.games {
        let game = play.play(index).expect("it can be searched").expect("nobody stops it");
        assert_eq!(game.check(&play.game), Ok(()));
        assert!(game.random <= play.random_plies);
        random.insert(game.random);
        for (search, mv) in game.searches.iter().zip(&game.moves[game.random..]) {
            assert!(search.visits.iter().all(|(_, visits)| *visits > 0), "{search:?}");
            assert!((0.0..=100.0).contains(&search.value));
            assert!(search.visits.iter().any(|(tried, _)| tried == mv));
        }
        let firsts = game.searches.iter().zip(&game.moves[game.random..]);
        let is_best: Vec<bool> = firsts.map(|(search, mv)| search.visits[0].0 == *mv).collect();
        drawn += is_best.iter().take(12).filter(|&&it| !it).count();
        assert!(is_best.iter().skip(12).all(|&it| it), "{is_best:?}");
        let session = play.game.set_up(None, game.moves.iter().map(String::as_str)).expect("legal");
        if let Some(outcome) = session.outcome() {
            ended += 1;
            assert_eq!(game.score, Some(outcome.score(Side::First)));
        }
        assert!(game.score.is_some());
        assert_eq!(play.play(index), Ok(Some(game)), "the same seed");
    }
    assert_eq!(random.len(), 5, "{random:?}");
    assert!(drawn > 0 && ended < play.games, "{drawn} {ended}");
    let other = SelfPlay { seed: 2, ..self_play(&stop) };
    assert_ne!(other.play(0), play.play(0));
    assert_ne!(play.play(1), play.play(0));
}

#[test]
fn positions_are_searched_longer_and_have_no_score() {
    let stop = AtomicBool::new(false);
    let play = SelfPlay { games: 0, ..self_play(&stop) };
    let mut plies = HashSet::new();
    for index in 0..10 {
        let game = play.play(index).expect("it can be searched").expect("nobody stops it");
        assert_eq!(game.check(&play.game), Ok(()));
        assert_eq!((game.searches.len(), game.score), (1, None));
        let visits: u64 = game.searches[0].visits.iter().map(|(_, visits)| visits).sum();
        // One move may be proven at once.
        assert!(visits <= 32, "{game:?}");
        plies.insert((game.random, visits == 32));
        assert_eq!(play.play(index), Ok(Some(game)), "the same seed");
    }
    assert!(plies.len() > 5 && plies.iter().any(|it| it.1), "{plies:?}");
}

#[test]
fn a_search_goes_on_when_its_move_is_decided() {
    let stop = AtomicBool::new(false);
    let iterations = NonZeroU64::new(1_000).expect("not 0");
    let game = SelfPlay { games: 0, iterations, ..self_play(&stop) }.play(0).expect("it can be searched");
    // The best move can't be overtaken after 3,072.
    let visits =
        game.expect("nobody stops it").searches[0].visits.iter().map(|(_, visits)| visits).sum::<u64>();
    assert_eq!(visits, 4_000);
}

#[test]
fn no_game_comes_of_a_search_that_is_stopped() {
    let stop = AtomicBool::new(true);
    let play = SelfPlay { games: 1, ..self_play(&stop) };
    assert_eq!([0, 1].map(|index| play.play(index)), [Ok(None), Ok(None)]);
}

/// A game of two moves that the engine made, after a random one, with these shares of visits.
fn game(values: [f64; 2], score: Option<u8>) -> SelfGame {
    let visits = |visits: &[(&str, u64)]| visits.iter().map(|&(mv, n)| (mv.to_owned(), n)).collect();
    SelfGame {
        random: 1,
        moves: ["a1", "1cw", "b3"].map(str::to_owned).into(),
        searches: vec![
            SearchResult { value: values[0], visits: visits(&[("1cw", 3), ("3cw", 1)]) },
            SearchResult { value: values[1], visits: visits(&[("c3", 1), ("b3", 4)]) },
        ],
        score,
    }
}

#[test]
fn a_game_that_is_none_is_refused() {
    let check = |change: &dyn Fn(&mut SelfGame)| {
        let mut game = game([50.0; 2], None);
        change(&mut game);
        game.check(&pentago()).err().unwrap_or_default()
    };
    assert_eq!(check(&|_| ()), "");
    assert_eq!(check(&|game| game.score = Some(50)), "");
    assert_eq!(check(&|game| game.score = Some(51)), "no game ends with the score 51");
    assert_eq!(check(&|game| game.random = 2), "2 random moves and 2 searches are not 3 moves");
    assert!(check(&|game| game.random = usize::MAX).contains("are not 3 moves"));
    assert!(check(&|game| game.moves[2] = "a1".to_owned()).contains("a1"));
}

#[test]
fn samples_have_the_score_of_the_side_to_move_and_the_shares_of_visits() {
    // The first side has placed and rotates; then the second places.
    let scores = |score| {
        let samples = samples(&pentago(), &game([60.0, 20.0], score)).expect("legal");
        samples.iter().map(|sample| (sample.score * 1000.0).round()).collect::<Vec<_>>()
    };
    assert_eq!(scores(None), [600.0, 200.0]);
    assert_eq!(scores(Some(100)), [800.0, 100.0]);
    assert_eq!(scores(Some(0)), [300.0, 600.0]);
    let samples = samples(&pentago(), &game([60.0, 20.0], None)).expect("legal");
    let shares = |index: usize| {
        let shares: Vec<f32> =
            samples[index].moves.iter().map(|it| it.share).filter(|&it| it > 0.0).collect();
        (shares.len(), shares.iter().sum::<f32>(), shares.iter().copied().fold(0.0, f32::max))
    };
    assert_eq!([shares(0), shares(1)], [(2, 1.0, 0.75), (2, 1.0, 0.8)]);
    assert!(samples.iter().all(|it| !it.features.is_empty() && it.moves.iter().all(|it| it.weight > 0.0)));
    // A search without visits teaches its value alone.
    let mut proven = game([100.0, 20.0], None);
    proven.searches[0].visits.clear();
    let of_proven = super::fit::samples(&pentago(), &proven).expect("legal");
    assert_eq!((of_proven[0].moves.len(), of_proven[0].score), (0, 1.0));
    assert!(!of_proven[0].features.is_empty() && !of_proven[1].moves.is_empty());
    let mut wrong = game([50.0; 2], None);
    wrong.moves[1] = "a1".to_owned();
    assert!(super::fit::samples(&pentago(), &wrong).is_err());
}

#[test]
fn positions_of_gomoku_count_by_what_they_are_of() {
    let gomoku = quintet_games::registry().find("gomoku", Some("ggp")).expect("it is there");
    // Black makes an open four.
    let played = |score| {
        let moves: Vec<_> = "c6 a3 d6 black c3 e6 h9 f6".split(' ').map(str::to_owned).collect();
        let search = SearchResult { value: 100.0, visits: Vec::new() };
        SelfGame { random: moves.len() - 1, searches: vec![search], moves, score }
    };
    let share = |score| samples(&gomoku, &played(score)).expect("legal")[0].share.to_bits();
    assert_eq!([Some(100), None].map(share), [1.0_f32, 0.3].map(f32::to_bits));
}

#[test]
fn a_fit_comes_nearer_to_the_games_and_is_tested_by_one_in_twenty_new_ones() {
    let features = pentago().features.expect("it has some");
    let network = Network { outputs: [0; HIDDEN], ..Network::start(features.positions, 1) };
    let model = Model::new(["pentago", "ggp"], "a test", (1.0, 0), network, vec![0; features.moves]);
    let (won, lost) = (game([100.0, 0.0], Some(100)), game([0.0, 100.0], Some(0)));
    let fit = |games: &[&SelfGame], newest, is_stopped| {
        let fitted = fit(&pentago(), &model, games, newest, 1, &AtomicBool::new(is_stopped)).expect("legal");
        fitted.map(|it| it.fits.map(|it| (it.error * 1000.0).round()))
    };
    // It knows nothing before, and half a point is wrong by a quarter.
    let many = [&won; 120];
    let [before, after] = fit(&[&many[..], &[&won]].concat(), 1, false).expect("nobody stops it");
    assert!((249.0..251.0).contains(&before) && after < 150.0, "{before} {after}");
    // The first of the new games, and each twentieth after it, is kept for the test.
    let [_, after] = fit(&[&many[..], &[&lost]].concat(), 1, false).expect("nobody stops it");
    assert!(after > 400.0, "{after}");
    let all: Vec<_> = (0..120).map(|index| if index % 20 == 0 { &lost } else { &won }).collect();
    let [_, after] = fit(&all, all.len(), false).expect("nobody stops it");
    assert!(after > 400.0, "{after}");
    // A game alone teaches nothing, and no game tests nothing.
    assert_eq!(fit(&[&won], 1, false), Some([250.0; 2]));
    assert_eq!(fit(&[&won], 0, false), Some([0.0; 2]));
    assert_eq!(fit(&many, 0, true), None);
}

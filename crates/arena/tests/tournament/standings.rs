//! The results of all matches.

use quintet_arena::tournament::{Match, MatchResults, Standings, VariantName};

#[test]
fn a_game_whose_matches_do_not_stand_together_has_one_list() {
    let played = |game: &str, rules: &str, engines: [&str; 2]| Match {
        game: VariantName { game: game.to_owned(), rules: rules.to_owned() },
        engines: engines.map(str::to_owned),
        results: MatchResults::default(),
    };
    let matches = vec![
        played("krk", "spec", ["a", "b"]),
        played("quarto", "ggp", ["a", "b"]),
        played("krk", "spec", ["a", "c"]),
        played("quarto", "ggp", ["b", "c"]),
    ];
    let ratings = matches.into_iter().collect::<Standings>().ratings();
    let games: Vec<_> = ratings.iter().map(|it| (it.game.game.as_str(), it.engines.len())).collect();
    assert_eq!(games, [("krk", 3), ("quarto", 3)]);
}

//! The results of all matches.

use quintet_arena::tournament::{Match, MatchResults, Standings, VariantName};

use crate::harness::games;

#[test]
fn a_game_whose_matches_do_not_stand_together_has_one_list() {
    let played = |game: &str, rules: &str, engines: [&str; 2]| Match {
        game: VariantName { game: game.to_owned(), rules: rules.to_owned() },
        engines: engines.map(str::to_owned),
        results: MatchResults::new(games().find(game, Some(rules)).expect("it is there")),
    };
    let matches = vec![
        played("krk", "spec", ["a", "b"]),
        played("quarto", "ggp", ["a", "b"]),
        played("krk", "spec", ["a", "c"]),
        played("quarto", "ggp", ["b", "c"]),
    ];
    let (krk, quarto): (Vec<Match>, Vec<Match>) =
        matches.iter().cloned().partition(|it| it.game.game == "krk");
    let two = Standings::from_iter([krk[0].clone(), quarto[0].clone()]);
    let all: Standings = matches.into_iter().collect();
    let overall = |standings: &Standings| standings.overall().map(|(engines, _)| engines.join(" "));
    assert_eq!([overall(&all), overall(&two)], [Some("a b c".to_owned()), Some("a b".to_owned())]);
    // There is nothing to pool.
    assert_eq!([overall(&krk.into_iter().collect()), overall(&Standings::default())], [None, None]);
    let counts = |standings: &Standings| {
        let summary = standings.summary(None);
        (summary.results.len(), summary.ratings.len(), summary.overall.len())
    };
    // A match of two tells all that their ratings would.
    assert_eq!([counts(&all), counts(&two)], [(4, 2, 3), (2, 0, 2)]);
    let ratings = all.ratings(None);
    let games: Vec<_> = ratings.iter().map(|it| (it.game.game.as_str(), it.engines.len())).collect();
    assert_eq!(games, [("krk", 3), ("quarto", 3)]);
}

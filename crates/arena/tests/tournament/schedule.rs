//! Which games are played, and who plays them.

use quintet_arena::engine::Settings;
use quintet_arena::tournament::{Adjudication, Format, Openings, Shard, Tournament};

#[test]
fn shards_share_out_every_pair_once() {
    let tournament = Tournament {
        program: String::new(),
        games: [("krk", "spec"), ("quarto", "ggp")]
            .map(|(game, rules)| quintet_games::registry().find(game, Some(rules)).expect("it is there"))
            .into(),
        engines: ["a=random", "b=random", "c=random"].map(|text| text.parse().expect("valid")).into(),
        format: Format::Gauntlet,
        defaults: Settings::default(),
        pairs: 5,
        openings: Openings::Random { plies: 1 },
        undecided: false,
        adjudication: Adjudication::default(),
        seed: 1,
    };
    let schedule = tournament.schedule();
    assert_eq!(schedule.len(), 2 * 2 * 10, "two matches in each game");
    let shards = ["1/3", "2/3", "3/3"].map(|text| text.parse::<Shard>().expect("valid"));
    let parts = shards.map(|shard| shard.of(schedule.clone()));
    for part in &parts {
        assert!(part.chunks(2).all(|pair| pair[0].pair == pair[1].pair && !pair[0].swapped));
        assert!((12..=14).contains(&part.len()));
    }
    let mut together = parts.concat();
    together.sort_by_key(|it| (it.match_index, it.pair, it.swapped));
    assert_eq!(together, schedule);
    for wrong in ["0/3", "4/3", "1", "a/b", "1/0", "/"] {
        assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
    }
}

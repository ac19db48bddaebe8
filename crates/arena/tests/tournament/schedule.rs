//! Which games are played, and who plays them.

use quintet_arena::engine::Settings;
use quintet_arena::tournament::{Adjudication, Format, Openings, ScheduledGame, Shard, Tournament};
use quintet_core::game::Side;
use quintet_protocol::GameRecord;

use crate::harness::{played, tournament};

#[test]
fn shards_share_out_every_pair_once() {
    let tournament = Tournament {
        program: String::new(),
        variants: [("krk", "spec"), ("quarto", "ggp")]
            .map(|(game, rules)| quintet_games::registry().find(game, Some(rules)).expect("it is there"))
            .into(),
        engines: ["a=random", "b=random", "c=random"].map(|text| text.parse().expect("valid")).into(),
        format: Format::Gauntlet,
        defaults: Settings::default(),
        games: 10,
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
        assert!(part.chunks(2).all(|pair| pair[0].group == pair[1].group && pair[0].number == 0));
        // Five pairs a match.
        for number in 0..4 {
            let of_match = part.iter().filter(|it| it.match_index == number).count();
            assert!([2, 4].contains(&of_match), "{of_match}");
        }
    }
    let mut together = parts.concat();
    together.sort_by_key(|it| (it.match_index, it.group, it.number));
    assert_eq!(together, schedule);
    // What is added later moves no pair to another part.
    let mut more = tournament.clone();
    more.games = 14;
    more.engines.insert(1, "d=random".parse().expect("valid"));
    let named = |tournament: &Tournament, it: &ScheduledGame| {
        (
            it.game.to_string(),
            it.engines.map(|engine| tournament.engines[engine].name.clone()),
            it.group,
            it.number,
        )
    };
    for (shard, part) in shards.iter().zip(&parts) {
        let later: Vec<_> = shard.of(more.schedule()).iter().map(|it| named(&more, it)).collect();
        assert!(part.iter().all(|it| later.contains(&named(&tournament, it))));
    }
    for wrong in ["0/3", "4/3", "1", "a/b", "1/0", "/"] {
        assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
    }
}

#[test]
fn a_gauntlet_is_played_by_the_first_and_a_round_robin_by_all() {
    let mut three = tournament(&["krk"], ["a=random", "b=random"], 1, 7);
    three.engines.push("c=random:threads=3".parse().expect("valid"));
    let engines = |tournament: &Tournament| tournament.matches().iter().map(|it| it.1).collect::<Vec<_>>();
    assert_eq!(engines(&three), [[0, 1], [0, 2], [1, 2]]);
    three.format = Format::Gauntlet;
    assert_eq!(engines(&three), [[0, 1], [0, 2]]);
    let games: Vec<_> = three
        .schedule()
        .iter()
        .map(|it| (it.engines, [Side::First, Side::Second].map(|side| it.engine(side)), it.number))
        .collect();
    let expected = [([0, 1], [0, 1], 0), ([0, 1], [1, 0], 1), ([0, 2], [0, 2], 0), ([0, 2], [2, 0], 1)];
    assert_eq!(games, expected);
}

#[test]
fn seeds_depend_on_the_game_and_not_on_its_place() {
    let small = tournament(&["quarto"], ["b=random", "c=random"], 2, 7);
    let mut large = tournament(&["krk", "quarto"], ["a=random", "b=random"], 3, 7);
    large.engines.push("c=random".parse().expect("valid"));
    let seeds = |tournament: &Tournament| -> Vec<u64> {
        let names = |engines: [usize; 2]| engines.map(|engine| tournament.engines[engine].name.as_str());
        let of_quarto =
            |it: &&ScheduledGame| it.game.game == "quarto" && names(it.engines) == ["b", "c"] && it.group < 2;
        tournament.schedule().iter().filter(of_quarto).map(|it| it.seed).collect()
    };
    assert_eq!(seeds(&small), seeds(&large));
    let mut all: Vec<u64> = large.schedule().iter().map(|it| it.seed).collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), large.schedule().len());
}

#[test]
fn records_have_their_places_in_a_schedule_that_has_grown() {
    let small = tournament(&["krk"], ["a=random", "b=random"], 2, 7);
    let records = played(&small);
    let mut large = tournament(&["quarto", "krk"], ["c=random", "a=random"], 3, 7);
    large.engines.push("b=random".parse().expect("valid"));
    let schedule = large.schedule();
    let indices = large.indices(&schedule, &records).expect("they belong to it");
    let found: Vec<_> = indices
        .iter()
        .map(|&place| {
            (
                &*schedule[place].game.game,
                schedule[place].engines,
                schedule[place].group,
                schedule[place].number,
            )
        })
        .collect();
    assert_eq!(
        found,
        [("krk", [1, 2], 0, 0), ("krk", [1, 2], 0, 1), ("krk", [1, 2], 1, 0), ("krk", [1, 2], 1, 1)]
    );
}

#[test]
fn a_record_that_does_not_belong_to_a_tournament_is_named_with_what_differs() {
    let ours = tournament(&["krk"], ["a=random", "b=random"], 2, 7);
    let records = played(&ours);
    let error = |tournament: &Tournament, records: &[GameRecord]| {
        tournament.indices(&tournament.schedule(), records).expect_err("not of it")
    };
    let long = format!("openings: {}… there; 2 random plies here", "x".repeat(200));
    for (message, change) in [
        (&*long, &(|it: &mut GameRecord| it.arena.openings = "x".repeat(201)) as &dyn Fn(&mut GameRecord)),
        ("program: quintet 0 there; quintet 1 here", &|it| it.arena.program = "quintet 0".into()),
        ("seed: 8 there; 7 here", &|it| it.arena.seed = 8),
        ("openings: a book there; 2 random plies here", &|it| it.arena.openings = "a book".into()),
        ("resign: value=5,moves=3 there; none here", &|it| it.arena.resign = Some("value=5,moves=3".into())),
        ("draw: value=5,moves=3 there; none here", &|it| it.arena.draw = Some("value=5,moves=3".into())),
        ("engine a: uct there; random here", &|it| it.arena.engines["a"] = "uct".into()),
        ("game: krk ggp there; krk spec here", &|it| it.rules = "ggp".into()),
        ("games in a match: more than 4 there; 4 here", &|it| it.pair = 2),
    ] {
        let mut records = records.clone();
        change(&mut records[3]);
        assert_eq!(error(&ours, &records), (3, message.to_owned()));
    }
    let [mut three, mut swapped] = [(); 2].map(|()| tournament(&["krk"], ["c=random", "a=random"], 2, 7));
    assert_eq!(error(&three, &records), (0, "engine: b there; c, a here".to_owned()));
    three.engines.push("b=random".parse().expect("valid"));
    three.format = Format::Gauntlet;
    assert_eq!(error(&three, &records), (0, "match: a – b there; they do not meet here".to_owned()));
    swapped.engines = ["b=random", "a=random"].map(|text| text.parse().expect("valid")).into();
    assert_eq!(error(&swapped, &records), (0, "match: a – b there; b – a here".to_owned()));
    let shard: Shard = "2/2".parse().expect("valid");
    let (index, mismatch) =
        ours.indices(&shard.of(ours.schedule()), &records).expect_err("of the other shard");
    assert_eq!((index, mismatch.as_str()), (0, "shard: opening 1 of a – b there; other openings here"));
}

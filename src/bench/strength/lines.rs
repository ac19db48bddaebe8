//! The ratings as JSON objects, one per line.

use std::num::NonZeroUsize;

use quintet_arena::stats::Elo;
use quintet_arena::tournament::{GameRatings, VariantName};
use quintet_protocol::{EngineRating, RunLine, StrengthLine, rounded};

use super::RatedLadder;
use super::ladder::Ladder;

/// Returns a line about the run, then the ratings of each ladder, game by game.
pub(super) fn lines(conditions: &RunLine, ladders: &[RatedLadder<'_>]) -> String {
    let mut lines = vec![StrengthLine::Run(conditions.clone())];
    for (ladder, games) in ladders {
        for game in games {
            ratings(ladder, game, &mut lines);
        }
    }
    let texts = lines.iter().map(|line| serde_json::to_string(line).expect("all keys are strings"));
    texts.collect::<Vec<String>>().join("\n") + "\n"
}

fn ratings(ladder: &Ladder, of_game: &GameRatings, lines: &mut Vec<StrengthLine>) {
    let engines = ladder.engines();
    let VariantName { game, rules } = &of_game.game;
    for rating in &of_game.list.ratings {
        let engine = &engines[rating.engine];
        let Elo { low, mid, high } = rating.elo;
        let kind = match ladder.place_of(rating.engine) {
            Some((kind, _)) => ladder.kinds[kind].name.clone(),
            None if ladder.is_row() => engine.to_string(),
            None => engine.name.clone(),
        };
        lines.push(StrengthLine::Rating(EngineRating {
            ladder: ladder.name.clone(),
            game: game.clone(),
            rules: rules.clone(),
            engine: engine.name.clone(),
            kind,
            iterations: engine.settings.iterations,
            trees: engine.settings.trees.map(NonZeroUsize::get),
            elo: Some([low, mid, high].map(|elo| rounded(elo, 2))),
            bounded: rating.bounded,
            games: rating.games,
            score: rating.score.map(|score| rounded(score, 6)),
            group: rating.group,
        }));
    }
}

//! The figures as JSON objects, one per line.

use std::num::NonZeroUsize;

use quintet_arena::stats::Elo;
use quintet_arena::tournament::VariantName;
use quintet_protocol::{CompareLine, DoublingLine, EngineRating, StrengthLine, rounded};

use super::Run;
use super::ladder::{Figures, Ladder};

/// Returns all figures: a line about the run, then those of each ladder, game by game.
pub(super) fn lines(run: &Run) -> String {
    let mut lines = vec![StrengthLine::Run(run.conditions.clone())];
    for (ladder, figures) in &run.ladders {
        for figures in figures {
            ratings(ladder, figures, &mut lines);
            compared(ladder, figures, &mut lines);
        }
    }
    let texts = lines.iter().map(|line| serde_json::to_string(line).expect("all keys are strings"));
    texts.collect::<Vec<String>>().join("\n") + "\n"
}

fn ratings(ladder: &Ladder, figures: &Figures, lines: &mut Vec<StrengthLine>) {
    let engines = ladder.engines();
    let VariantName { game, rules } = &figures.ratings.game;
    for rating in &figures.ratings.list.ratings {
        let engine = &engines[rating.engine];
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
            trees: engine.settings.threads.map(NonZeroUsize::get),
            elo: triple(Some(rating.elo)),
            bounded: rating.bounded,
            games: rating.games,
            score: rating.score.map(|score| rounded(score, 6)),
            group: rating.group,
        }));
    }
}

fn compared(ladder: &Ladder, figures: &Figures, lines: &mut Vec<StrengthLine>) {
    let VariantName { game, rules } = &figures.ratings.game;
    for (number, kind) in ladder.kinds.iter().enumerate() {
        lines.push(StrengthLine::Doubling(DoublingLine {
            ladder: ladder.name.clone(),
            game: game.clone(),
            rules: rules.clone(),
            kind: kind.name.clone(),
            of: ladder.axis().to_owned(),
            elo: triple(figures.doubling(number)),
        }));
        for (step, place) in ladder.steps.iter().enumerate() {
            let compared = |other: (usize, usize)| CompareLine {
                ladder: ladder.name.clone(),
                game: game.clone(),
                rules: rules.clone(),
                kind: kind.name.clone(),
                iterations: place.iterations,
                trees: place.trees.get(),
                elo: triple(figures.difference((number, step), other)),
            };
            if step > 0 {
                lines.push(StrengthLine::Gain(compared((number, 0))));
            }
            if number > 0 {
                lines.push(StrengthLine::Lead(compared((0, step))));
            }
        }
    }
}

fn triple(elo: Option<Elo>) -> Option<[f64; 3]> {
    elo.map(|it| [it.low, it.mid, it.high].map(|elo| rounded(elo, 2)))
}

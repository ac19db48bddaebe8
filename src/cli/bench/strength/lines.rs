//! The figures as JSON objects, one a line.

use quintet::arena::Elo;
use serde_json::{Value, json};

use super::Run;
use super::config::Engine;
use super::ladder::{Figures, Ladder};
use crate::cli::output::rounded;

/// All figures: a line that says how they were made, then those of each ladder, game by game.
pub(super) fn lines(run: &Run) -> String {
    let Run { config, short, command, revision, machine, ladders } = run;
    let mut lines = vec![json!({
        "figure": "run",
        "command": command,
        "short": short,
        "seed": config.seed,
        "opening_plies": config.opening_plies,
        "games_per_meeting": config.games_per_meeting,
        "revision": revision,
        "machine": machine,
    })];
    for (ladder, figures) in ladders {
        for figures in figures {
            ratings(ladder, figures, &mut lines);
            compared(ladder, figures, &mut lines);
        }
    }
    lines.iter().map(Value::to_string).collect::<Vec<String>>().join("\n") + "\n"
}

fn ratings(ladder: &Ladder, figures: &Figures, lines: &mut Vec<Value>) {
    let engines = ladder.engines();
    let (game, rules) = figures.game;
    for rating in &figures.list.ratings {
        let engine = &engines[rating.engine];
        let kind = match ladder.place_of(rating.engine) {
            Some((kind, _)) => &ladder.kinds[kind].0.name,
            None => &engine.name,
        };
        lines.push(json!({
            "figure": "rating",
            "ladder": ladder.name,
            "game": game,
            "rules": rules,
            "engine": engine.name,
            "kind": kind,
            "iterations": engine.settings.iterations,
            "trees": engine.settings.threads,
            "elo": triple(Some(rating.elo)),
            "games": rating.games,
            "score": rating.score.map(|score| rounded(score, 6)),
            "group": rating.group,
        }));
    }
}

fn compared(ladder: &Ladder, figures: &Figures, lines: &mut Vec<Value>) {
    let (game, rules) = figures.game;
    for (number, Engine(kind)) in ladder.kinds.iter().enumerate() {
        let line = |figure: &str| json!({ "figure": figure, "ladder": ladder.name, "game": game, "rules": rules, "kind": kind.name });
        let mut doubling = line("doubling");
        doubling["of"] = ladder.axis().into();
        doubling["elo"] = triple(figures.doubling(number));
        lines.push(doubling);
        for (step, place) in ladder.steps.iter().enumerate() {
            let mut at_step = |figure: &str, elo: Option<Elo>| {
                let mut line = line(figure);
                line["iterations"] = place.iterations.into();
                line["trees"] = place.trees.get().into();
                line["elo"] = triple(elo);
                lines.push(line);
            };
            if step > 0 {
                at_step("gain", figures.gain(number, step));
            }
            if number > 0 {
                at_step("lead", figures.lead(number, step));
            }
        }
    }
}

fn triple(elo: Option<Elo>) -> Value {
    elo.map_or(Value::Null, |it| json!([it.low, it.mid, it.high].map(|elo| rounded(elo, 2))))
}

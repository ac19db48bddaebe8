//! The results of an arena, as tables and as JSON.

use std::io::{self, Write};

use indexmap::IndexMap;
use quintet_arena::stats::{Elo, Hypothesis, MatchScore, Sprt};
use quintet_arena::tournament::{MatchResults, Standings};
use quintet_protocol::{ArenaResults, GameRatings, MatchResult, Rated, SprtResult, rounded};

use crate::output::TextTable;

/// Prints the matches, the tests and, with more than two engines, the rating lists.
pub(crate) fn print(standings: &Standings, sprt: Option<&Sprt>, out: &mut dyn Write) -> io::Result<()> {
    let headings = [
        "game", "rules", "engine", "against", "games", "wins", "draws", "losses", "score", "Elo", "95 %",
        "LOS",
    ];
    let mut table = TextTable::new(4, headings);
    for it in &standings.matches {
        let score = it.results.score();
        let MatchScore { wins, draws, losses, .. } = score;
        let [elo, interval] = columns(score.elo());
        table.row([
            it.game.game.clone(),
            it.game.rules.clone(),
            it.engines[0].clone(),
            it.engines[1].clone(),
            score.games().to_string(),
            wins.to_string(),
            draws.to_string(),
            losses.to_string(),
            percent(score.score()),
            elo,
            interval,
            percent(score.los()),
        ]);
    }
    table.print(out)?;
    let identical: u64 = standings.matches.iter().map(|it| it.results.identical()).sum();
    if identical > 0 {
        let what = if identical == 1 {
            "game is the same as an earlier one"
        } else {
            "games are the same as earlier ones"
        };
        writeln!(out, "{identical} {what}, move by move; Elo ignores pairs of two such games")?;
    }
    for (name, count) in faults(standings) {
        let games = if count == 1 { "game" } else { "games" };
        writeln!(out, "{name} lost {count} {games} by an illegal move, no answer in time, or a crash")?;
    }
    if let Some(sprt) = sprt {
        writeln!(out)?;
        print_tests(standings, sprt, out)?;
    }
    for ratings in standings.ratings().iter().filter(|it| it.engines.len() > 2) {
        writeln!(out)?;
        let title = ratings.game.to_string();
        let mut table = TextTable::new(1, [title.as_str(), "games", "score", "Elo", "95 %"]);
        for rating in &ratings.list.ratings {
            let [elo, interval] = columns(Some(rating.elo));
            let name = ratings.engines[rating.engine].clone();
            table.row([name, rating.games.to_string(), percent(rating.score), elo, interval]);
        }
        table.print(out)?;
        if ratings.list.groups > 1 {
            writeln!(
                out,
                "{} groups of engines have not met: their ratings can't be compared",
                ratings.list.groups
            )?;
        }
    }
    Ok(())
}

/// Returns the number of games that each engine lost by a fault, for engines that lost any.
fn faults(standings: &Standings) -> IndexMap<&str, u64> {
    let mut faults = IndexMap::new();
    for it in &standings.matches {
        for (name, count) in it.engines.iter().zip(it.results.faults()).filter(|(_, count)| *count > 0) {
            *faults.entry(name.as_str()).or_default() += count;
        }
    }
    faults
}

fn print_tests(standings: &Standings, sprt: &Sprt, out: &mut dyn Write) -> io::Result<()> {
    let [low, high] = sprt.bounds();
    writeln!(out, "SPRT {sprt}: H0 at LLR {low:.2}, H1 at {high:.2}")?;
    let mut table = TextTable::new(4, ["game", "rules", "engine", "against", "pairs", "LLR", "accepted"])
        .ending_in_words();
    for it in &standings.matches {
        let score = it.results.in_order();
        table.row([
            it.game.game.clone(),
            it.game.rules.clone(),
            it.engines[0].clone(),
            it.engines[1].clone(),
            score.pairs.iter().sum::<u64>().to_string(),
            format!("{:.2}", sprt.llr(&score)),
            accepted(&it.results).unwrap_or("neither yet").to_owned(),
        ]);
    }
    table.print(out)
}

fn accepted(results: &MatchResults) -> Option<&'static str> {
    results.verdict().map(|hypothesis| match hypothesis {
        Hypothesis::H0 => "H0",
        Hypothesis::H1 => "H1",
    })
}

fn percent(share: Option<f64>) -> String {
    share.map_or("-".to_owned(), |share| format!("{:.1} %", 100.0 * share))
}

/// Formats an estimate and its interval.
fn columns(elo: Option<Elo>) -> [String; 2] {
    elo.map_or(["-", "-"].map(str::to_owned), |elo| {
        [format!("{:+.0}", elo.mid), format!("{:+.0} … {:+.0}", elo.low, elo.high)]
    })
}

/// Returns what [`print()`] prints, and more figures of each match, as one JSON object.
pub(crate) fn line(standings: &Standings, sprt: Option<&Sprt>) -> ArenaResults {
    let triple = |it: Elo| [it.low, it.mid, it.high].map(|elo| rounded(elo, 2));
    let results = standings.matches.iter().map(|it| {
        let score = it.results.score();
        let MatchScore { wins, draws, losses, pairs } = score;
        let [a, b] = it.engines.clone();
        MatchResult {
            game: it.game.game.clone(),
            rules: it.game.rules.clone(),
            a,
            b,
            games: score.games(),
            wins,
            draws,
            losses,
            score: score.score().map(|score| rounded(score, 6)),
            elo: score.elo().map(triple),
            normalized_elo: score.normalized_elo().map(triple),
            los: score.los().map(|los| rounded(los, 6)),
            pairs,
            identical: it.results.identical(),
            faults: it.results.faults(),
            sprt: sprt.map(|sprt| SprtResult {
                test: sprt.to_string(),
                llr: rounded(sprt.llr(&it.results.in_order()), 4),
                bounds: sprt.bounds().map(|bound| rounded(bound, 4)),
                accepted: accepted(&it.results).map(str::to_owned),
            }),
        }
    });
    let ratings = standings.ratings().into_iter().filter(|it| it.engines.len() > 2).map(|ratings| {
        let list = ratings.list.ratings.iter().map(|rating| Rated {
            engine: ratings.engines[rating.engine].clone(),
            elo: triple(rating.elo),
            games: rating.games,
            score: rating.score.map(|score| rounded(score, 6)),
            group: rating.group,
        });
        GameRatings { game: ratings.game.game, rules: ratings.game.rules, ratings: list.collect() }
    });
    ArenaResults { results: results.collect(), ratings: ratings.collect() }
}

//! The results of an arena, as tables and as JSON.

use std::collections::{BTreeSet, HashSet};
use std::io::{self, Write};

use indexmap::{IndexMap, IndexSet};
use quintet_arena::stats::text::{evenly_split, interval, percent, signed, tally};
use quintet_arena::stats::{Elo, Hypothesis, MatchScore, Rating, RatingList, Sprt};
use quintet_arena::tournament::{Match, MatchResults, Standings, VariantName};
use quintet_core::visible;
use quintet_protocol::EngineTime;

use crate::output::{TextTable, counted, width, wrapped};

/// Prints the matches, the tests and the rating lists: one for each game with more than two
/// engines, and one over all games if there are several. Matches without a game are left out, and
/// lists without a complete pair.
pub(crate) fn print(standings: &Standings, sprt: Option<&Sprt>, out: &mut dyn Write) -> io::Result<()> {
    if standings.games() == 0 {
        return Ok(());
    }
    let view = View::of(standings, width());
    view.print_legend(out)?;
    view.matches(standings).print(out)?;
    view.print_places(standings, out)?;
    for text in notes(standings) {
        writeln!(out, "{}", wrapped(&text))?;
    }
    for text in decided_by_openings(standings) {
        writeln!(out, "{}", wrapped(&text))?;
    }
    if let Some(sprt) = sprt {
        writeln!(out)?;
        view.print_tests(standings, sprt, out)?;
    }
    for ratings in standings.ratings(None).iter().filter(|it| it.engines.len() > 2) {
        view.print_ratings(&ratings.game.to_string(), &ratings.engines, &ratings.list, out)?;
    }
    let has_several_games = played(standings).map(|it| &it.game).collect::<HashSet<_>>().len() > 1;
    if let Some((engines, list)) = standings.overall().filter(|_| has_several_games) {
        view.print_ratings("all games, pooled", &engines, &list, out)?;
    }
    Ok(())
}

/// Returns what the table does not show: the games that Elo leaves out, those that did not end by the
/// rules, and the CPU time of external engines.
fn notes(standings: &Standings) -> Vec<String> {
    let sum = |count: &dyn Fn(&MatchResults) -> u64| -> u64 {
        standings.matches.iter().map(|it| count(&it.results)).sum()
    };
    let mut notes = Vec::new();
    let identical = sum(&MatchResults::identical);
    if identical > 0 {
        let same =
            if identical == 1 { "is the same as an earlier one" } else { "are the same as earlier ones" };
        let alike =
            if has_groups(standings) { "groups of such games alone" } else { "pairs of two such games" };
        notes.push(format!(
            "{} {same}, move by move: {alike} count in results, score and Elo, but make no interval smaller",
            counted(identical, "game")
        ));
    }
    let unpaired = sum(&MatchResults::unpaired);
    if unpaired > 0 {
        let (of, it) = match (unpaired, has_groups(standings)) {
            (1, true) => ("is of a group that is not complete", "it"),
            (_, true) => ("are of groups that are not complete", "them"),
            (1, false) => ("is the only one of its pair", "it"),
            (_, false) => ("are the only ones of their pairs", "them"),
        };
        notes.push(format!(
            "{} {of} so far: Elo, LOS and tests leave {it} out, results and score count {it}",
            counted(unpaired, "game")
        ));
    }
    for (name, count, first) in faults(standings) {
        let games = counted(count, "game");
        let first = first.map_or(String::new(), |fault| format!("; the first: {}", visible(&fault)));
        notes.push(format!("{name} lost {games} by an illegal move, no answer in time, or a crash{first}"));
    }
    for (name, EngineTime { ms, cpu_ms }) in times(standings) {
        if let Some(cpu_ms) = cpu_ms {
            let [wall, cpu] = [ms, cpu_ms].map(|ms| ms as f64 / 1000.0);
            notes.push(format!("{name} took {wall:.1} s for its moves, and {cpu:.1} s of CPU time"));
        }
    }
    let adjudicated = sum(&MatchResults::adjudicated);
    if adjudicated > 0 {
        notes
            .push(format!("{} ended early: both engines agreed on the result", counted(adjudicated, "game")));
    }
    notes
}

/// Returns the matches that have a game.
fn played(standings: &Standings) -> impl Iterator<Item = &Match> {
    standings.matches.iter().filter(|it| it.results.games() > 0)
}

/// Whether groups of games may have more than two.
fn has_groups(standings: &Standings) -> bool {
    played(standings).any(|it| it.results.sides() > 2)
}

/// Says what wins, draws and losses are in each game that two sides do not play.
fn compared(standings: &Standings) -> IndexSet<String> {
    let said = played(standings).filter_map(|Match { game, results, .. }| match results.sides() {
        1 => Some(format!(
            "{game}: each engine plays alone from every opening; wins and losses compare the two scores"
        )),
        2 => None,
        _ => Some(format!(
            "{game}: wins, draws and losses compare every two seats of a game that different engines have"
        )),
    });
    said.collect()
}

/// How the results are shown.
#[derive(Debug, Default)]
struct View {
    /// The short names of engines with long ones.
    short: IndexMap<String, String>,
    /// Whether both engines share a column, and wins, draws and losses too.
    is_compact: bool,
}

impl View {
    /// Returns the most detailed view that fits into this width; without a width, the one with all
    /// names and columns.
    fn of(standings: &Standings, width: Option<usize>) -> Self {
        let short = short_names(standings);
        let views = [
            Self::default(),
            Self { is_compact: true, ..Self::default() },
            Self { short: short.clone(), is_compact: false },
        ];
        let fits = |view: &Self| width.is_none_or(|width| view.matches(standings).width() <= width);
        views.into_iter().find(fits).unwrap_or(Self { short, is_compact: true })
    }

    fn name<'a>(&'a self, engine: &'a String) -> &'a str {
        self.short.get(engine).unwrap_or(engine)
    }

    /// Says which engines have short names here.
    fn print_legend(&self, out: &mut dyn Write) -> io::Result<()> {
        for (name, short) in &self.short {
            writeln!(out, "{}", wrapped(&format!("{short}  {name}")))?;
        }
        if self.short.is_empty() { Ok(()) } else { writeln!(out) }
    }

    /// Returns the headings of the columns that name a match, and how to fill them.
    fn headings(&self) -> Vec<&'static str> {
        if self.is_compact {
            vec!["game", "rules", "match"]
        } else {
            vec!["game", "rules", "engine", "against"]
        }
    }

    fn cells(&self, it: &Match) -> Vec<String> {
        let [a, b] = it.engines.each_ref().map(|name| self.name(name));
        let mut cells = vec![it.game.game.clone(), it.game.rules.clone()];
        if self.is_compact {
            cells.push(format!("{a} – {b}"));
        } else {
            cells.extend([a.to_owned(), b.to_owned()]);
        }
        cells
    }

    fn matches(&self, standings: &Standings) -> TextTable {
        let mut headings = self.headings();
        let left = headings.len();
        if self.is_compact {
            headings.push("result");
        } else {
            headings.extend(["games", "wins", "draws", "losses"]);
        }
        headings.extend(["score", "Elo", "95 %", "LOS"]);
        let mut table = TextTable::new(left, headings).with_optional(["LOS", "score"]);
        for it in played(standings) {
            let score = it.results.score();
            let MatchScore { wins, draws, losses, .. } = score;
            let mut cells = self.cells(it);
            if self.is_compact {
                cells.push(tally(&score));
            } else {
                cells.extend([it.results.games(), wins, draws, losses].map(|count| count.to_string()));
            }
            let [elo, interval] = columns(score.open_elo());
            cells.extend([percent(score.score()), elo, interval, percent(score.los())]);
            table.row(cells);
        }
        table
    }

    /// Prints the places and scores of engines in games in which these tell more than wins and losses.
    fn print_places(&self, standings: &Standings, out: &mut dyn Write) -> io::Result<()> {
        if played(standings).all(|it| it.results.places().is_none()) {
            return Ok(());
        }
        let headings = ["game", "rules", "engine", "against", "seats", "mean place", "mean score", "best"];
        let mut table = TextTable::new(4, headings).with_optional(["best", "seats"]);
        for it in played(standings) {
            let Some(places) = it.results.places() else { continue };
            let names = it.engines.each_ref().map(|name| self.name(name));
            for (engine, places) in places.iter().enumerate() {
                let place = places.mean_place().filter(|_| it.results.sides() > 1);
                let numbers =
                    [place.map(|it| format!("{it:.2}")), places.mean_score().map(|it| format!("{it:.1}"))];
                let mut cells = [&*it.game.game, &it.game.rules, names[engine], names[1 - engine]]
                    .map(str::to_owned)
                    .to_vec();
                cells.push(places.seats().to_string());
                cells.extend(numbers.map(|it| it.unwrap_or_else(|| "-".to_owned())));
                cells.push(places.best_score().map_or("-".to_owned(), |it| it.to_string()));
                table.row(cells);
            }
        }
        writeln!(out)?;
        table.print(out)?;
        for text in compared(standings) {
            writeln!(out, "{}", wrapped(&text))?;
        }
        Ok(())
    }

    fn print_tests(&self, standings: &Standings, sprt: &Sprt, out: &mut dyn Write) -> io::Result<()> {
        let [low, high] = sprt.bounds();
        writeln!(out, "{}", wrapped(&format!("SPRT {sprt}: H0 at LLR {low:.2}, H1 at {high:.2}")))?;
        let mut headings = self.headings();
        let left = headings.len();
        headings.extend([if has_groups(standings) { "groups" } else { "pairs" }, "LLR", "accepted"]);
        let mut table = TextTable::new(left, headings).ending_in_words();
        for it in played(standings) {
            let score = it.results.in_order();
            let mut cells = self.cells(it);
            cells.extend([
                score.groups.count().to_string(),
                format!("{:.2}", sprt.llr(score)),
                it.results.verdict().map_or("neither yet", Hypothesis::name).to_owned(),
            ]);
            table.row(cells);
        }
        table.print(out)
    }

    fn print_ratings(
        &self,
        title: &str,
        engines: &[String],
        list: &RatingList,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let rated: Vec<&Rating> = list.ratings.iter().filter(|it| it.games > 0).collect();
        let [best, .., worst] = &*rated else { return Ok(()) };
        writeln!(out)?;
        let mut table = TextTable::new(1, [title, "games", "score", "Elo", "95 %"]);
        for rating in &rated {
            let name = self.name(&engines[rating.engine]).to_owned();
            let [elo, interval] = columns(rating.open_elo());
            table.row([name, rating.games.to_string(), percent(rating.score), elo, interval]);
        }
        table.print(out)?;
        let groups = rated.iter().map(|it| it.group).collect::<BTreeSet<usize>>().len();
        let text = match (rated.len(), groups) {
            (2, 1) => format!(
                "The mean of the ratings is 0: each engine has half of the difference, which is {:.0}.",
                best.elo.mid - worst.elo.mid
            ),
            (_, 1) => "The mean of the ratings is 0.".to_owned(),
            _ => format!(
                "The mean of the ratings is 0 in each of {groups} groups of engines. The groups have not met: \
                 their ratings can't be compared."
            ),
        };
        writeln!(out, "{}", wrapped(&text))
    }
}

/// Returns a short name for each engine with a long one: a letter that is the name of no engine.
pub(super) fn short_names(standings: &Standings) -> IndexMap<String, String> {
    /// The longest name that is left alone, in characters.
    const LONGEST: usize = 8;
    let mut short: IndexMap<String, String> = standings
        .matches
        .iter()
        .flat_map(|it| &it.engines)
        .map(|name| (name.clone(), name.clone()))
        .collect();
    let letters = (0..).flat_map(|round| {
        ('A'..='Z')
            .map(move |letter| if round == 0 { letter.to_string() } else { format!("{letter}{round}") })
    });
    let taken: Vec<String> = short.keys().cloned().collect();
    let mut free = letters.filter(|letter| !taken.contains(letter));
    short.retain(|name, _| name.chars().count() > LONGEST);
    for name in short.values_mut() {
        *name = free.next().unwrap_or_default();
    }
    short
}

/// Names each game in which all pairs or groups were split evenly.
fn decided_by_openings(standings: &Standings) -> Vec<String> {
    let mut games: IndexMap<&VariantName, Vec<MatchScore>> = IndexMap::new();
    for it in &standings.matches {
        games.entry(&it.game).or_default().push(it.results.score());
    }
    let said = games.into_iter().map(|(game, scores)| Some(format!("{game}: {}", evenly_split(&scores)?)));
    said.flatten().collect()
}

/// Returns the time that each engine took, for engines of which it is known.
fn times(standings: &Standings) -> IndexMap<&str, EngineTime> {
    let mut times: IndexMap<&str, EngineTime> = IndexMap::new();
    for it in &standings.matches {
        for (name, time) in it.engines.iter().zip(it.results.times()) {
            let Some(time) = time else { continue };
            times.entry(name).and_modify(|sum| *sum = *sum + time).or_insert(time);
        }
    }
    times
}

/// Returns the number of games that each engine lost by a fault, for engines that lost any, with the
/// first fault.
fn faults(standings: &Standings) -> Vec<(&str, u64, Option<String>)> {
    let mut faults: IndexMap<&str, (u64, Option<String>)> = IndexMap::new();
    for it in &standings.matches {
        let counts = it.results.faults().into_iter().zip(it.results.first_faults());
        for (name, (count, first)) in it.engines.iter().zip(counts).filter(|(_, (count, _))| *count > 0) {
            let (sum, earlier) = faults.entry(name).or_default();
            *sum += count;
            *earlier = earlier.take().or(first);
        }
    }
    faults.into_iter().map(|(name, (count, first))| (name, count, first)).collect()
}

/// Formats an Elo difference and its interval.
pub(crate) fn columns(elo: Option<Elo>) -> [String; 2] {
    elo.map_or(["-", "-"].map(str::to_owned), |elo| [signed(elo.mid), interval(elo)])
}

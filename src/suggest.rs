//! `quintet suggest`

use std::io::Write;
use std::time::Duration;

use quintet_analysis::{AnswerTo, answer_of, scores, terminal_answer, win_of};
use quintet_arena::engine::EngineSpec;
use quintet_core::game::{Outcome, Side};
use quintet_core::registry::Registry;
use quintet_core::search::{Candidate, Controls, EndedEarly, Policy, Report, SearchError};
use quintet_core::session::Session;

use super::Status;
use super::flags::{PositionFlags, SearchFlags, engine};
use super::interrupt::Interrupt;
use super::live::LiveLine;
use super::output::{
    BEST, TextTable, counted, counted_plies, headline, note, rate, ruleset, shown_win, styled, thousands,
    wrapped,
};

/// Find the best move of a position, and show why
///
/// Draws the board with the best move in brackets, and lists the best candidate moves with their
/// visits and the expected score of the role to move (0 to 100). Proven wins come first and proven
/// losses last. The others are ordered by visits or, if quintet grows several trees, by lower
/// confidence bounds of the score, since each tree tries its own moves.
///
/// A terminal shows how far the search is. Ctrl-C ends the search early, with what has been found.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  {name} suggest {game} --time 2s\n  \
                        {name} suggest {game} --moves \"{move}\" --iterations 10000 --threads 1")]
pub(crate) struct Args {
    #[command(flatten)]
    position: PositionFlags,
    /// The engine: random, uct or quintet, with settings after a colon
    #[arg(long, default_value = "quintet", value_parser = engine(false), hide_possible_values = true)]
    engine: EngineSpec,
    /// Give the whole turn: search again, with the same budget, for every further move until the other side
    /// moves
    #[arg(long)]
    turn: bool,
    /// List all candidate moves instead of the best ten
    #[arg(long)]
    all: bool,
    /// Print the answer as one JSON object, which has all candidate moves
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub(crate) search: SearchFlags,
}

pub(crate) fn run(args: &Args, games: &Registry, out: &mut dyn Write) -> anyhow::Result<Status> {
    args.search.check_budget(&args.engine)?;
    let mut session = args.position.set_up(games)?;
    if session.outcome().is_some() {
        if args.json {
            writeln!(out, "{}", serde_json::to_string(&terminal_answer(AnswerTo::default(), &*session))?)?;
            return Ok(Status::Done);
        }
        print_head(&*session, games, out)?;
        writeln!(out, "{}", session.draw(None))?;
        writeln!(out, "position: {}", session.position())?;
        if let Some(ending) = session.ending() {
            writeln!(out, "{}", wrapped(&format!("ended: {ending}")))?;
        }
        for (role, score) in scores(&*session) {
            writeln!(out, "{role}: {score}")?;
        }
        return Ok(Status::Done);
    }
    let (config, budget) = args.engine.config(&args.search.settings())?;
    let engine = session.add_engine(&config)?;
    let interrupt = Interrupt::catch(None)?;
    let mut think = |session: &mut dyn Session| {
        let live = LiveLine::new(budget);
        let mut show = |report: Report<String>| live.show(&report);
        let mut controls = Controls::new(interrupt.stop());
        if live.is_shown() {
            controls.watch = Some(&mut show);
        }
        session.think_with(engine, budget, args.search.seed(), controls)
    };
    let report = think(&mut *session)?;
    let status = interrupt.status(Status::Done);
    if let Some(caveat) = session.caveat() {
        note(caveat);
    }
    if args.json {
        let mut answer = answer_of(AnswerTo::default(), &*session, engine, &report, 0);
        answer.win = win_of(&*session, engine, &report).map(Box::new);
        if args.turn {
            answer.turn = turn(&mut *session, &report, &mut think)?;
        }
        writeln!(out, "{}", serde_json::to_string(&answer)?)?;
        return Ok(status);
    }
    print_head(&*session, games, out)?;
    print_report(&*session, engine, &report, args.all, out)?;
    if args.turn {
        let turn = turn(&mut *session, &report, &mut think)?;
        let side = session.to_move().map_or("the game is over".into(), |it| it.name);
        writeln!(out, "whole turn: {} (then {side})", styled(BEST, turn.join(" ")))?;
    }
    if interrupt.is_requested() {
        writeln!(out, "The search was stopped.")?;
    }
    Ok(status)
}

/// Says which game it is, under which rules, and who is to move.
fn print_head(session: &dyn Session, games: &Registry, out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "{}", headline(session))?;
    if let Some(rules) = ruleset(session.variant(), games) {
        writeln!(out, "{}", wrapped(&rules))?;
    }
    writeln!(out)
}

/// Plays the best move of a report and, until the other side is to move or the game is over, that of another
/// search; returns these moves. A move that the search has thought of as a reply has few visits there: the
/// next search, which keeps the tree, has all of its budget for it.
fn turn(
    session: &mut dyn Session,
    report: &Report<String>,
    think: &mut impl FnMut(&mut dyn Session) -> Result<Report<String>, SearchError>,
) -> anyhow::Result<Vec<String>> {
    let side = session.variant().roles[report.role].side;
    let mut moves = vec![report.best().mv.clone()];
    session.play(&moves[0])?;
    while session.to_move().is_some_and(|role| role.side == side) {
        let best = think(session)?.best().mv.clone();
        session.play(&best)?;
        moves.push(best);
    }
    Ok(moves)
}

/// The maximum number of candidates listed.
const LISTED: usize = 10;

fn print_report(
    session: &dyn Session,
    engine: usize,
    report: &Report<String>,
    list_all: bool,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let best = report.best();
    writeln!(out, "{}\nposition: {}\n", session.draw(Some(&best.mv)), session.position())?;

    let side = session.variant().roles[report.role].side;
    let is_in_one_row = print_candidates(report, side, &session.explain(engine), list_all, out)?;

    let value = report.value().map_or(String::new(), |value| format!(" (expected score {value:.1} of 100)"));
    let label = if report.policies.is_empty() { "best move" } else { "move drawn" };
    writeln!(out, "\n{label}: {}{value}", styled(BEST, &best.mv))?;
    let mut texts = Vec::new();
    if report.policies.is_empty() {
        texts.push(format!("principal variation: {}", report.principal_variation.join(" ")));
    } else {
        let names = &session.variant().roles;
        texts.push("The roles move at the same time, so each draws its move:".to_owned());
        texts.extend(report.policies.iter().map(|it| format!("{}: {}", names[it.role].name, policy(it))));
    }
    let win = win_of(session, engine, report);
    texts.extend(win.map(|win| shown_win(session, report.proven, &win)));
    texts.extend(certainty(report).map(str::to_owned));
    if !is_in_one_row && report.policies.is_empty() && is_by_lower_bounds(&report.candidates) {
        let why = "each tree has tried its own moves";
        texts.push(format!("Moves are ordered by lower confidence bounds of the score, since {why}."));
    }
    if report.iterations > 0 {
        let seconds = report.elapsed.as_secs_f64();
        texts.push(format!(
            "{} in {seconds:.2} s ({}), {}, {:.1} MiB",
            counted(report.iterations, "iteration"),
            rate(report.iterations as f64 / seconds.max(1e-9)),
            counted(report.nodes, "node"),
            report.bytes as f64 / f64::from(1 << 20),
        ));
        texts.extend(wait(report.elapsed, report.cpu_time));
        if report.memory_was_full {
            texts.push("The memory was full, so the tree stopped growing: raise --memory.".to_owned());
        }
    }
    for text in texts {
        writeln!(out, "{}", wrapped(&text))?;
    }
    Ok(())
}

/// Tells of a search that had to wait for a core: it was weaker than its time says.
fn wait(elapsed: Duration, cpu_time: Duration) -> Option<String> {
    /// Less is lost to what every system does now and then.
    const MUCH: f64 = 0.25;
    const LONG: Duration = Duration::from_millis(50);
    let share = cpu_time.as_secs_f64() / elapsed.as_secs_f64().max(1e-9);
    let has_waited = elapsed >= LONG && !cpu_time.is_zero() && share < 1.0 - MUCH;
    has_waited.then(|| format!("The machine was busy: the search had {:.0} % of a core.", 100.0 * share))
}

/// The moves of a policy, each with how often it is played, the most frequent first.
fn policy(policy: &Policy<String>) -> String {
    let mut moves: Vec<&(String, f64)> = policy.moves.iter().filter(|it| it.1 > 0.0).collect();
    moves.sort_by(|a, b| b.1.total_cmp(&a.1));
    let words: Vec<String> = moves.iter().map(|(mv, share)| format!("{mv} {:.0} %", 100.0 * share)).collect();
    words.join(", ")
}

/// Returns what is proven, and why the search used less than its budget.
fn certainty(report: &Report<String>) -> Option<&'static str> {
    let is_proven = |candidate: &Candidate<String>| candidate.proven.is_some();
    if report.candidates.iter().all(is_proven) {
        return Some("All moves are proven.");
    }
    match (report.iterations, report.ended_early) {
        (0, Some(_)) => {
            Some("The best move was proven before the search. Moves without a score were not searched.")
        }
        (0, None) => Some("This engine does not search."),
        (_, Some(EndedEarly::Proven)) => Some("The search ended early: the value of the position is proven."),
        (_, Some(EndedEarly::Decided)) => {
            Some("The search ended early: no other move could overtake the best.")
        }
        (_, Some(EndedEarly::Confident)) => Some("The search ended early: the best move is sure enough."),
        (_, Some(EndedEarly::OnlyMove)) => Some("There is only one legal move, so the search stopped early."),
        (_, None) => None,
    }
}

/// Whether the moves that are not proven are ordered neither by visits nor by score.
fn is_by_lower_bounds(candidates: &[Candidate<String>]) -> bool {
    let open = || candidates.iter().filter(|it| it.proven.is_none() && it.visits > 0);
    !open().is_sorted_by(|a, b| a.visits >= b.visits) && !open().is_sorted_by(|a, b| a.value >= b.value)
}

/// Prints the candidates as a table: the best ones, or all of them. Returns whether one row stands
/// for all.
fn print_candidates(
    report: &Report<String>,
    side: Side,
    why: &[String],
    list_all: bool,
    out: &mut dyn Write,
) -> anyhow::Result<bool> {
    let mut table = TextTable::new(1, ["move", "visits", "share", "score", "why"]).ending_in_words();
    let mut row = |mv: &str, visits: u64, value: Option<f64>, why: &str| {
        let share = 100.0 * visits as f64 / report.iterations.max(1) as f64;
        let score = value.map_or_else(|| "-".to_owned(), |value| format!("{value:.1}"));
        table.row([mv.to_owned(), thousands(visits), format!("{share:.1} %"), score, why.to_owned()]);
    };
    let candidates = &report.candidates;
    let listed = if list_all { candidates.len() } else { LISTED.min(candidates.len()) };
    let common = || {
        let seen = common_value(candidates).map(|mean| (mean, "no move stands out".to_owned()));
        seen.or_else(|| common_proof(candidates, side))
    };
    if listed < candidates.len()
        && let Some((value, why)) = common()
    {
        let visits = candidates.iter().map(|it| it.visits).sum();
        row(&format!("all {}", candidates.len()), visits, Some(value), &why);
        table.print(out)?;
        return Ok(true);
    }
    for (candidate, why) in candidates.iter().zip(why).take(listed) {
        row(&candidate.mv, candidate.visits, candidate.value, why);
    }
    table.highlight(1);
    table.print(out)?;
    if listed < candidates.len() {
        writeln!(out, "… and {} more (--all lists them)", candidates.len() - listed)?;
    }
    Ok(false)
}

/// Returns the value of the candidates for `side` and the words for it, if all are proven to end
/// alike and, as far as is known, after as many plies.
fn common_proof(candidates: &[Candidate<String>], side: Side) -> Option<(f64, String)> {
    let first = candidates.first()?;
    let outcome = first.proven?;
    let is_alike = |it: &Candidate<String>| (it.proven, it.plies) == (first.proven, first.plies);
    let what = match outcome {
        Outcome::Draw => "draw".to_owned(),
        Outcome::Win(winner) if winner == side => "win".to_owned(),
        Outcome::Win(_) => "loss".to_owned(),
        Outcome::Scores(_) => outcome.score(side).to_string(),
    };
    let plies = first.plies.map_or(String::new(), |plies| format!(" in {}", counted_plies(plies)));
    let value = f64::from(outcome.score(side));
    candidates.iter().all(is_alike).then(|| (value, format!("proven {what}{plies}")))
}

/// Returns the mean value of the candidates if the search saw no difference between them: it tried
/// all, proved none, and no value is below the best by more than chance explains.
fn common_value(candidates: &[Candidate<String>]) -> Option<f64> {
    /// A larger difference is shown even if it may be chance.
    const MOST: f64 = 5.0;
    /// The maximum standard deviation of a value of one visit.
    const DEVIATION: f64 = 50.0;
    let tried: Vec<(f64, f64)> = candidates
        .iter()
        .map(|it| it.value.filter(|_| it.proven.is_none()).map(|value| (value, it.visits as f64)))
        .collect::<Option<_>>()?;
    let &(best, best_visits) = tried.first()?;
    let is_like_best = |&(value, visits): &(f64, f64)| {
        let error = DEVIATION * (visits.recip() + best_visits.recip()).sqrt();
        (best - value).abs() <= MOST.min(2.0 * error)
    };
    let visits: f64 = tried.iter().map(|it| it.1).sum();
    let points: f64 = tried.iter().map(|(value, visits)| value * visits).sum();
    tried.iter().all(is_like_best).then_some(points / visits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_that_waited_for_a_core_says_so() {
        let wait =
            |elapsed, cpu_time| super::wait(Duration::from_millis(elapsed), Duration::from_millis(cpu_time));
        assert_eq!(wait(1_000, 350).as_deref(), Some("The machine was busy: the search had 35 % of a core."));
        // Several threads take more than the time by the clock, and a system may not tell.
        for (elapsed, cpu_time) in [(1_000, 800), (1_000, 1_900), (1_000, 0), (20, 1)] {
            assert_eq!(wait(elapsed, cpu_time), None);
        }
    }
}

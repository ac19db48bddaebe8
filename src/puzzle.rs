//! `quintet puzzle`

mod progress;
pub(crate) mod source;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use quintet_analysis::{win_line, win_of};
use quintet_arena::engine::{EngineSpec, Settings};
use quintet_core::game::{Outcome, Side};
use quintet_core::registry::Registry;
use quintet_core::search::Controls;
use quintet_core::session::Session;
use quintet_protocol::{Difficulty, Puzzle, WinLine};

use self::progress::Progress;
use super::flags::{GAME, RULES};
use super::interrupt::Interrupt;
use super::output::{BEST, WRONG, counted, headline, shown_win, styled, wrapped};
use super::{Status, input};

/// The engine that judges moves.
pub(crate) const ENGINE: &str = "quintet:iterations=5000,threads=1";

/// Solve puzzles: a win to find, or a trap to avoid
///
/// Draws a position and asks for your move. A right move is praised and a win shown to its end; a wrong one is
/// answered by what refutes it, and you may try again. `hint` tells what the right move does, `show` gives it away,
/// `skip` goes on, and `quit` ends. What you have solved at the first try, without a hint, is remembered, and comes
/// again only once nothing is left.
///
/// The puzzles come with the program, or are the mistakes in your own games: with --games, positions in which the
/// move that was played gave away much.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  {name} puzzle {game} --difficulty easy\n  \
                        {name} puzzle --games games.jsonl")]
pub(crate) struct Args {
    /// Only puzzles of this game; for that of a rulesheet there are those of --games alone
    #[arg(id = GAME)]
    game: Option<String>,
    /// Only puzzles of this ruleset
    #[arg(long = "rules", id = RULES)]
    rules: Option<String>,
    /// Only puzzles of this difficulty
    #[arg(long, value_name = "HOW", value_parser = difficulty)]
    difficulty: Option<Difficulty>,
    /// Make puzzles of the mistakes in these games: records of `play --record` or `arena --out`
    #[arg(long, value_name = "FILE")]
    games: Option<PathBuf>,
    /// The file that remembers which puzzles are solved [default: quintet/puzzles in the folder for data of users]
    #[arg(long, value_name = "FILE")]
    progress: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, games: &Registry, out: &mut dyn Write) -> anyhow::Result<Status> {
    let game = args.game.as_deref();
    if let Some(name) = game {
        games.find(name, args.rules.as_deref())?;
    }
    let is_asking = Arc::new(AtomicBool::new(false));
    let interrupt = Interrupt::catch_and({
        let is_asking = Arc::clone(&is_asking);
        move || {
            // A signal does not end the read of a line. What was solved before is in the file.
            if is_asking.load(Ordering::SeqCst) {
                process::exit(130);
            }
        }
    })?;
    let all = match &args.games {
        Some(path) => source::of_games(path, games, interrupt.stop())?,
        None => source::built_in(games),
    };
    let is_wanted = |it: &Puzzle| {
        game.is_none_or(|name| it.game == name)
            && args.rules.as_deref().is_none_or(|rules| it.rules == source::ruleset(games, &it.game, rules))
            && args.difficulty.is_none_or(|difficulty| it.difficulty == difficulty)
    };
    let wanted: Vec<Puzzle> = all.into_iter().filter(is_wanted).collect();
    if wanted.is_empty() {
        let of_file = game.and_then(|name| games.find(name, args.rules.as_deref()).ok()?.rulesheet);
        if of_file.is_some() && args.games.is_none() {
            anyhow::bail!(
                "no puzzles come with the game of a rulesheet: --games FILE makes some of the mistakes in games"
            );
        }
        anyhow::bail!("there are no such puzzles");
    }
    let mut progress = Progress::open(args.progress.clone())?;
    let unsolved = wanted.iter().filter(|it| !progress.is_solved(it)).count();
    writeln!(out, "{}, {} of them solved.", counted(wanted.len() as u64, "puzzle"), wanted.len() - unsolved)?;
    let mut left: Vec<&Puzzle> =
        wanted.iter().filter(|it| unsolved == 0 || !progress.is_solved(it)).collect();
    // Easy ones first; the others keep their order.
    left.sort_by_key(|it| it.difficulty);
    let mut lines = input::open(std::path::Path::new("-"))?;
    let mut next_line = || {
        is_asking.store(true, Ordering::SeqCst);
        let line = if interrupt.is_requested() { Ok(None) } else { quintet_protocol::next_line(&mut *lines) };
        is_asking.store(false, Ordering::SeqCst);
        line
    };
    for puzzle in left {
        match ask(puzzle, games, &mut next_line, &interrupt, out)? {
            Tried::Solved => progress.add(&puzzle.key)?,
            Tried::Skipped => {}
            Tried::Left => return Ok(interrupt.status(Status::Done)),
        }
    }
    writeln!(out, "That was the last one.")?;
    Ok(Status::Done)
}

fn difficulty(name: &str) -> Result<Difficulty, String> {
    let named = Difficulty::ALL.into_iter().find(|it| it.name() == name);
    named.ok_or_else(|| format!("is none of {}", Difficulty::ALL.map(Difficulty::name).join(", ")))
}

enum Tried {
    Solved,
    Skipped,
    Left,
}

/// Shows a puzzle and reads what is tried until it is solved, skipped or left.
fn ask(
    puzzle: &Puzzle,
    games: &Registry,
    next_line: &mut dyn FnMut() -> io::Result<Option<Result<Vec<u8>, String>>>,
    interrupt: &Interrupt,
    out: &mut dyn Write,
) -> anyhow::Result<Tried> {
    let variant = games.find(&puzzle.game, Some(&puzzle.rules))?;
    let mut session = variant.set_up(puzzle.position.as_deref(), puzzle.moves.iter().map(String::as_str))?;
    writeln!(out, "\n{}\n\n{}", headline(&*session), session.draw(None))?;
    writeln!(out, "{}", wrapped(&format!("{} ({})", puzzle.task, puzzle.difficulty.name())))?;
    let mut is_first_try = true;
    loop {
        write!(out, "your move (hint, show, skip, quit): ")?;
        out.flush()?;
        let Some(line) = next_line()? else {
            writeln!(out)?;
            return Ok(Tried::Left);
        };
        let line = match line {
            // Whatever is no text is no move either.
            Ok(line) => String::from_utf8_lossy(&line).into_owned(),
            Err(wrong) => {
                writeln!(out, "{wrong}")?;
                continue;
            }
        };
        let hint = || puzzle.best.iter().find_map(|mv| reason(&*session, mv));
        match line.trim() {
            "" => {}
            "quit" => return Ok(Tried::Left),
            "skip" => return Ok(Tried::Skipped),
            "hint" => {
                is_first_try = false;
                let hint =
                    hint().unwrap_or_else(|| format!("It begins with {}.", first_letter(&puzzle.best[0])));
                writeln!(out, "{}", wrapped(&hint))?;
            }
            "show" => {
                writeln!(out, "{}", styled(BEST, puzzle.best.join(" or ")))?;
                show_end(&mut *session, &puzzle.best[0], out)?;
                return Ok(Tried::Skipped);
            }
            token => match session.canonical_token(token) {
                Err(error) => writeln!(out, "{}", wrapped(&error.to_string()))?,
                Ok(mv) if puzzle.best.contains(&mv) => {
                    writeln!(out, "{}", styled(BEST, "Right."))?;
                    show_end(&mut *session, &mv, out)?;
                    return Ok(if is_first_try { Tried::Solved } else { Tried::Skipped });
                }
                Ok(mv) => {
                    let (is_right, said) = judged(&mut *session, &mv, interrupt)?;
                    writeln!(out, "{}", wrapped(&said))?;
                    if is_right {
                        return Ok(if is_first_try { Tried::Solved } else { Tried::Skipped });
                    }
                    is_first_try = false;
                }
            },
        }
    }
}

fn first_letter(token: &str) -> String {
    token.chars().take(1).collect()
}

/// How a right move wins, if it does.
fn winning(session: &dyn Session, mv: &str) -> Option<WinLine> {
    won_by(session, session.to_move()?.side, Some(mv))
}

/// How a side wins, with this move if it is to move, if it does: a line without a limit is no proof of that.
fn won_by(session: &dyn Session, side: Side, mv: Option<&str>) -> Option<WinLine> {
    let win = win_line(session, Some(Outcome::Win(side)), mv, None);
    win.filter(|it| it.plies.is_some() || it.plies_at_most.is_some())
}

/// What is known for certain about a move.
fn reason(session: &dyn Session, mv: &str) -> Option<String> {
    let known = winning(session, mv)?;
    known
        .line_why
        .into_iter()
        .next()
        .filter(|why| !why.is_empty())
        .map(|why| format!("The right move: {why}."))
}

/// Shows how a move that wins goes on, if it does.
fn show_end(session: &mut dyn Session, mv: &str, out: &mut dyn Write) -> anyhow::Result<()> {
    let winner = session.to_move().map(|role| Outcome::Win(role.side));
    if let Some(win) = winning(session, mv) {
        writeln!(out, "{}", wrapped(&shown_win(session, winner, &win)))?;
    }
    Ok(())
}

/// Whether a move that is not among the best ones wins too, and what is said about it.
fn judged(session: &mut dyn Session, mv: &str, interrupt: &Interrupt) -> anyhow::Result<(bool, String)> {
    let side = session.to_move().map(|role| role.side);
    session.play(mv)?;
    let said = after(session, mv, side, interrupt);
    session.take_back();
    said
}

fn after(
    session: &mut dyn Session,
    mv: &str,
    side: Option<Side>,
    interrupt: &Interrupt,
) -> anyhow::Result<(bool, String)> {
    let no = styled(WRONG, "No:");
    if session.outcome().is_some() {
        return Ok((false, format!("{no} after {mv} the game is over.")));
    }
    session.remove_engines();
    let engine: EngineSpec = ENGINE.parse().expect("it is an engine");
    let (config, budget) = engine.config(&Settings::default())?;
    let engine = session.add_engine(&config)?;
    let report = session.think_with(engine, budget, 0, Controls::new(interrupt.stop()))?;
    let best = &report.best().mv;
    let win = win_of(session, engine, &report);
    let win = win.map(|win| shown_win(session, report.proven, &win));
    if report.proven == side.map(Outcome::Win) {
        let shown = win.map_or_else(String::new, |win| format!(" {win}"));
        return Ok((true, format!("{} {mv} wins, too.{shown}", styled(BEST, "Right:"))));
    }
    let line = win.unwrap_or_else(|| report.principal_variation.join(" "));
    Ok((false, format!("{no} the answer to {mv} is {best}. {line}")))
}

//! `quintet check`

use std::io::Write;
use std::sync::atomic::Ordering;

use quintet_core::check::{CheckOptions, CheckReport, Fault};
use quintet_core::registry::{Registry, Variant};

use super::Status;
use super::flags::{GAME, RULESETS, variants_of};
use super::interrupt::Interrupt;
use super::output::{WRONG, bar, counted, note, styled, thousands, wrapped};

/// Play random games, and tell which promises of the library's traits a game does not keep
///
/// For those who write a game: moves and positions are read back from their texts, positions that are equal
/// or have the same string must go on alike, limits must hold, and faster ways must do what the plain ones
/// do. Every fault comes with the moves that show it; the exit status is then 1. A game without faults may
/// still have other rules than you think: compare its numbers of move sequences (perft) with some that you
/// trust.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  {name} check\n  {name} check {game} --games 2000")]
pub(crate) struct Args {
    /// Only this game
    #[arg(id = GAME)]
    game: Option<String>,
    /// The ruleset, standard for the one that people know, or both for all of them
    #[arg(long = "rules", id = RULESETS, value_name = "RULES", default_value = "both")]
    rules: String,
    /// The number of random games
    #[arg(long, value_name = "N", default_value_t = CheckOptions::default().games, value_parser = clap::value_parser!(u32).range(1..))]
    games: u32,
    /// The seed of the random games
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

pub(crate) fn run(args: &Args, games: &Registry, out: &mut dyn Write) -> anyhow::Result<Status> {
    let interrupt = Interrupt::catch(None)?;
    let bar = bar("{elapsed}  {wide_msg}", None);
    let options = CheckOptions { games: args.games, seed: args.seed };
    let mut status = Status::Done;
    for variant in variants_of(games, args.game.as_deref(), &args.rules)? {
        bar.set_message(format!("checking {variant}"));
        let report = variant.check(options, interrupt.stop());
        if !report.faults.is_empty() {
            status = Status::FoundWrong;
        }
        let is_stopped = interrupt.stop().load(Ordering::Relaxed) && report.games < args.games;
        if report.games > 0 || !is_stopped {
            bar.suspend(|| write!(out, "{}", text(&variant, &report)).and_then(|()| out.flush()))?;
        }
        if is_stopped {
            let (done, all) = (thousands(report.games.into()), counted(args.games.into(), "game"));
            bar.suspend(|| note(format!("interrupted after {done} of {all} of {variant}")));
            break;
        }
    }
    bar.finish_and_clear();
    Ok(interrupt.status(status))
}

fn text(variant: &Variant, report: &CheckReport) -> String {
    let CheckReport { games, plies: [shortest, longest], positions, most_moves, perft, faults } = report;
    let played = format!(
        "{variant}: {} of {shortest} to {longest} plies, {}, at most {} each",
        counted((*games).into(), "game"),
        counted(*positions, "position"),
        counted(*most_moves as u64, "move"),
    );
    let mut text = wrapped(&played) + "\n";
    if !perft.is_empty() {
        let counts: Vec<String> = perft.iter().map(|&it| thousands(it)).collect();
        text += &format!("  perft: {}\n", counts.join(" "));
    }
    for Fault { rule, message, moves, times } in faults {
        let head = styled(WRONG, format!("{}: {}", rule.item(), rule.promise()));
        let times = if *times == 1 { "once".to_owned() } else { format!("{} times", thousands(*times)) };
        text += &format!("  {head}\n    {times}; first after ");
        text += &if moves.is_empty() { "no move".to_owned() } else { moves.join(" ") };
        text += &format!(":\n    {}\n", message.trim_end().replace('\n', "\n    "));
    }
    if faults.is_empty() {
        text += "  no fault found\n";
    }
    for (label, slip) in variant.start().facts().into_iter().filter(|it| it.0 == "look at") {
        text += &format!("{}\n", wrapped(&format!("  {label}: {slip}")));
    }
    text
}

#[cfg(test)]
mod tests {
    use quintet_core::check::Rule;

    use super::*;

    #[test]
    fn a_fault_comes_with_the_moves_that_show_it() {
        let variant = quintet_games::registry().find("krk", Some("spec")).expect("it is there");
        let fault = |message: &str, moves: &[&str], times| Fault {
            rule: Rule::StringsRead,
            message: message.to_owned(),
            moves: moves.iter().map(ToString::to_string).collect(),
            times,
        };
        let faults = vec![fault("two\nlines\n", &["Kc1-c2", "ka4-b4"], 1_000), fault("none", &[], 1)];
        let perft = vec![7, 1_500];
        let report = CheckReport { games: 1, plies: [9, 9], positions: 10, most_moves: 12, perft, faults };
        let found = text(&variant, &report);
        let found = anstream::adapter::strip_str(&found).to_string();
        let wanted = "krk spec: 1 game of 9 to 9 plies, 10 positions, at most 12 moves each
  perft: 7 1,500
  FromStr: a position is read back from its string
    1,000 times; first after Kc1-c2 ka4-b4:
    two
    lines
  FromStr: a position is read back from its string
    once; first after no move:
    none
";
        assert_eq!(found, wanted);
        let found = text(&variant, &CheckReport { faults: Vec::new(), ..report });
        assert!(found.ends_with("\n  no fault found\n"), "{found}");
    }
}

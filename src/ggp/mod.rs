//! `quintet ggp`

mod kif;
mod matches;
mod message;
mod player;
mod rulesheet;
mod server;

use std::fs;
use std::io::Write;
use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use quintet_arena::engine::{EngineSpec, Settings};
use quintet_core::registry::Registry;
use tokio::sync::watch;

use self::kif::Kif;
use self::matches::{Games, Matches, check_roles};
use self::player::Thinking;
use self::rulesheet::Rulesheet;
use self::server::Limits;
use super::flags::{SearchFlags, concurrency, engine};
use super::interrupt::Interrupt;
use super::output::note;
use super::serve::listen;
use super::{Program, Status, WorkError};

/// Play in matches of the General Game Playing protocol, over HTTP
///
/// A game server sends the rules of a game and then the moves of all players, and gets a move for each.
/// The games with a ruleset of the General Game Playing repository are recognized by what their rules
/// say; START with other rules is answered by busy. Serves until Ctrl-C, and writes what happens on
/// standard error.
///
/// A match uses its start clock before the first move and its play clock for every move, except for the
/// margin. --time and --iterations limit searches further. The tree is kept from move to move. Matches
/// that think at the same time share the cores; each has trees and memory of its own.
///
/// docs/ggp.md has all messages with their answers.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  {name} ggp --port 9147 --listen 0.0.0.0")]
pub(crate) struct Args {
    /// The port, or 0 for any that is free
    #[arg(long, value_name = "N", default_value_t = 9147)]
    port: u16,
    /// The address of this machine to listen at, or 0.0.0.0 for all [default: 127.0.0.1]
    #[arg(long, value_name = "ADDR")]
    listen: Option<IpAddr>,
    /// What is left of a clock when the search ends, at most half of it
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = time)]
    margin: Duration,
    /// The most matches at a time, counting each role; more are answered by busy
    #[arg(long, value_name = "N", default_value = "8", value_parser = concurrency)]
    matches: NonZeroUsize,
    /// Think on the time of the other players, too
    #[arg(long)]
    ponder: bool,
    /// The engine
    #[arg(long, value_name = "ENGINE", default_value = "quintet:early_stop=off", value_parser = engine(false), hide_possible_values = true)]
    engine: EngineSpec,
    /// Also take the rules in a file as those of a game with the same roles and moves
    #[arg(long = "rulesheet", value_name = "GAME:RULES=FILE")]
    rulesheets: Vec<String>,
    #[command(flatten)]
    search: SearchFlags,
}

/// The fingerprints of the rules of a message and of the same rules in reverse order; `None` if it has
/// no rules, or they can't be read.
#[cfg(feature = "fuzzing")]
pub(crate) fn fingerprints(message: &str) -> Result<Option<[String; 2]>, String> {
    use self::message::{Message, Start, previewed};
    let mut rules = match kif::head(message).map(str::to_ascii_uppercase).as_deref() {
        Some("START") => Start::parse(message)?.rules,
        Some("PREVIEW") => previewed(message)?,
        _ => return Message::parse(message).map(|_| None),
    };
    let there = Rulesheet::new(&rules, &|| false).ok();
    rules.reverse();
    let back = Rulesheet::new(&rules, &|| false).ok();
    Ok(there.zip(back).map(|(there, back)| [there.fingerprint, back.fingerprint]))
}

/// Parses a time, which may be 0.
fn time(text: &str) -> Result<Duration, String> {
    let mut settings = Settings::default();
    settings.set("time", text)?;
    settings.time.ok_or_else(|| "is no time".to_owned())
}

pub(crate) fn run(args: &Args, program: &Program, out: &mut dyn Write) -> anyhow::Result<Status> {
    let games = games(&program.games, &args.rulesheets)?;
    let settings = args.search.settings();
    args.engine.check(&settings)?;
    let (engine, _) = args.engine.config(&settings)?;
    let limits = args.engine.settings.or(&settings);
    let thinking = Thinking {
        engine,
        iterations: limits.iterations,
        time: limits.time,
        seed: args.search.seed,
        ponder: args.ponder,
    };
    let listeners = listen(args.listen, args.port..=args.port)?;
    let address = listeners.address();
    let (stop, stopping) = watch::channel(false);
    let _interrupt = Interrupt::catch_and(move || _ = stop.send_replace(true))?;
    writeln!(out, "{} plays at {address} (Ctrl-C ends it)", program.name)?;
    out.flush()?;
    let matches = Matches::new(program.name, games, thinking, args.margin, args.matches.get());
    server::run(listeners, Arc::new(matches), Limits::default(), stopping)
        .map_err(|error| WorkError(format!("can't serve: {error}")))?;
    note(format!("{} has ended", program.name));
    Ok(Status::Done)
}

/// The games that are recognized: those with rulesheets, and those of `more`, each in the form
/// `GAME:RULES=FILE`.
fn games(registry: &Registry, more: &[String]) -> anyhow::Result<Games> {
    let known = registry.variants().iter();
    let mut games: Vec<_> =
        known.flat_map(|game| game.rulesheets.iter().map(|it| ((*it).to_owned(), *game))).collect();
    for text in more {
        let form = || anyhow!("--rulesheet: expected GAME:RULES=FILE, not {text}");
        let (names, file) = text.split_once('=').ok_or_else(form)?;
        let (game, rules) = names.split_once(':').ok_or_else(form)?;
        let game = registry.find(game, Some(rules)).context("--rulesheet")?;
        let path = PathBuf::from(file);
        let content = fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
        let sheet = Kif::parse_all(&content).and_then(|rules| Rulesheet::new(&rules, &|| false));
        let checked = sheet.and_then(|sheet| check_roles(game, &sheet).map(|()| sheet));
        match checked {
            Ok(sheet) => games.push((sheet.fingerprint, game)),
            Err(error) => bail!("{}: {error}", path.display()),
        }
    }
    if games.is_empty() {
        bail!("no game of this program has a rulesheet: name one with --rulesheet");
    }
    Ok(Games(games))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::env;
    use std::path::Path;

    use super::*;

    /// The published rulesheets with their games.
    const PUBLISHED: [(&str, &str); 6] = [
        ("quarto", "quarto"),
        ("tictactoe_3d_6player", "qubic"),
        ("gomoku_swap2_11x11", "gomoku"),
        ("pentago", "pentago"),
        ("pentago-v1", "pentago"),
        ("minichess-evilconjuncts", "krk"),
    ];

    /// Ways to change one place of a rule: a symbol in place of another, and a list without one of its
    /// parts.
    fn changes(rule: &Kif) -> Vec<Kif> {
        let mut all = Vec::new();
        match rule {
            Kif::Symbol(symbol) => all.push(Kif::Symbol(format!("{symbol}1"))),
            Kif::List(list) => {
                for (index, part) in list.iter().enumerate() {
                    let with = |new: Option<Kif>| {
                        let rest = list[index + 1..].iter().cloned();
                        Kif::List(list[..index].iter().cloned().chain(new).chain(rest).collect())
                    };
                    all.extend(changes(part).into_iter().map(|new| with(Some(new))));
                    all.push(with(None));
                }
            }
        }
        all
    }

    /// The same rules in another form: in reverse order, with other names of variables, in upper case.
    fn rewritten(rule: &Kif) -> Kif {
        match rule {
            Kif::Symbol(symbol) if symbol.starts_with('?') => Kif::Symbol(format!("?v{}", &symbol[1..])),
            Kif::Symbol(symbol) => Kif::Symbol(symbol.to_ascii_uppercase()),
            Kif::List(list) => {
                let mut list: Vec<Kif> = list.iter().map(rewritten).collect();
                if list.first().is_some_and(|it| it.is("<=")) {
                    list[2..].reverse();
                }
                Kif::List(list)
            }
        }
    }

    /// Whether a change of this rule changes the game: other rules do not depend on `base` and `input`.
    fn matters(rule: &Kif) -> bool {
        let text = rule.normal().to_string();
        !["(base", "(<= (base", "(input", "(<= (input"].iter().any(|it| text.starts_with(it))
    }

    /// Wants the published rulesheets, which are not part of this repository, in a folder that
    /// `QUINTET_RULESHEETS` names, each as `NAME.kif`.
    #[test]
    fn the_published_rulesheets_are_recognized_and_no_changed_one() {
        let Some(folder) = env::var_os("QUINTET_RULESHEETS") else {
            return note("left out: the published rulesheets; QUINTET_RULESHEETS names no folder");
        };
        let games = games(&quintet_games::registry(), &[]).expect("there are games");
        let read = |path: &Path| {
            let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            Kif::parse_all(&text).expect("a rulesheet")
        };
        for (file, name) in PUBLISHED {
            let rules = read(&Path::new(&folder).join(format!("{file}.kif")));
            let (game, sheet) =
                games.recognize(&rules, &|| false).unwrap_or_else(|error| panic!("{file}: {error}"));
            assert_eq!((game.game, game.rules), (name, "ggp"), "{file}");
            let mut other: Vec<Kif> = rules.iter().map(rewritten).collect();
            other.reverse();
            assert_eq!(
                games.recognize(&other, &|| false).map(|it| it.1.fingerprint),
                Ok(sheet.fingerprint),
                "{file}"
            );
            let (mut refused, mut same) = (0, HashSet::new());
            for (index, rule) in rules.iter().enumerate().filter(|(_, rule)| matters(rule)) {
                for change in changes(rule).into_iter().map(Some).chain([None]) {
                    let text = change.as_ref().map_or_else(String::new, ToString::to_string);
                    let mut changed = rules.clone();
                    changed.splice(index..=index, change);
                    match games.recognize(&changed, &|| false) {
                        Ok(_) => _ = same.insert(format!("{rule} -> {text}")),
                        Err(_) => refused += 1,
                    }
                }
            }
            assert!(refused > 1000, "{file}: {refused}");
            // A condition that stands twice may go, and where a variable occurs once its name may change.
            assert!(same.len() < 20, "{file}: {same:#?}");
        }
    }
}

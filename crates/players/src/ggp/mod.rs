//! The player for game servers of the General Game Playing protocol, over HTTP.
//!
//! An answer does not wait for a search: at its deadline the best move so far is sent, whatever the player's
//! thread does. It does not wait for what others send either: rules are read on threads apart, in a bounded
//! number of steps, and those of PREVIEW on one of their own. Rules of no game that is known are compiled on others; until
//! that is done, their match follows them to the letter.

mod begun;
mod board;
mod compilation;
mod deadline;
mod games;
mod letter;
mod matches;
mod message;
mod player;
mod server;
mod shared;

use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use quintet_gdl::Rulesheet;
use quintet_gdl::kif::Kif;
use quintet_web::Listeners;
use tokio::sync::watch;

pub use self::games::Games;
pub use self::player::Thinking;

use self::games::rulesheet;
use self::matches::Matches;
use self::message::{Message, Start, previewed};
use self::server::Limits;

/// Takes a line about what happens, for people.
pub type Note = fn(&str);

/// A player for game servers.
#[derive(Debug)]
pub struct Player {
    /// The name that servers are told.
    pub name: &'static str,
    /// The games that it recognizes.
    pub games: Games,
    /// How it thinks.
    pub thinking: Thinking,
    /// The time at the end of each clock that is left for the answer to arrive, at most half of it.
    pub margin: Duration,
    /// The most matches at a time.
    pub matches: NonZeroUsize,
    /// Where it says what happens.
    pub note: Note,
}

/// Answers the messages of game servers until `stopping` becomes true.
///
/// # Errors
/// The system's error if it can't serve.
pub fn serve(player: Player, listeners: Listeners, stopping: watch::Receiver<bool>) -> io::Result<()> {
    server::run(listeners, Arc::new(Matches::new(player)), Limits::default(), stopping)
}

/// The fingerprints of the rules of a message and of the same rules in reverse order; `None` if it has
/// no rules, or they can't be read.
///
/// # Errors
/// What is wrong with the message.
pub fn fingerprints(message: &str) -> Result<Option<[String; 2]>, String> {
    let mut rules = match quintet_gdl::kif::head(message).map(str::to_ascii_uppercase).as_deref() {
        Some("START") => Start::parse(message)?.rules,
        Some("PREVIEW") => previewed(message)?,
        _ => return Message::parse(message).map(|_| None),
    };
    let fingerprint = |rules: &[Kif]| Rulesheet::read(&rulesheet(rules)).ok()?.fingerprint();
    let there = fingerprint(&rules);
    rules.reverse();
    let back = fingerprint(&rules);
    Ok(there.zip(back).map(<[String; 2]>::from))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::io::Write as _;
    use std::path::Path;
    use std::{env, fs};

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
            let left_out = b"left out: the published rulesheets; QUINTET_RULESHEETS names no folder\n";
            return io::stderr().write_all(left_out).expect("standard error is open");
        };
        let games = Games::new(&quintet_games::registry());
        let read = |path: &Path| {
            let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            Kif::parse_all(&text).expect("a rulesheet")
        };
        for (file, name) in PUBLISHED {
            let rules = read(&Path::new(&folder).join(format!("{file}.kif")));
            let recognized = |rules: &[Kif]| {
                let sheet = Rulesheet::read(&rulesheet(rules)).ok()?;
                games.recognize(&sheet.fingerprint()?)
            };
            let mut other: Vec<Kif> = rules.iter().map(rewritten).collect();
            other.reverse();
            for rules in [&rules, &other] {
                let game = recognized(rules).unwrap_or_else(|| panic!("{file} is not recognized"));
                assert_eq!((&*game.game, &*game.rules), (name, "ggp"), "{file}");
            }
            let (mut refused, mut same) = (0, HashSet::new());
            for (index, rule) in rules.iter().enumerate().filter(|(_, rule)| matters(rule)) {
                for change in changes(rule).into_iter().map(Some).chain([None]) {
                    let new = change.as_ref().map_or_else(String::new, ToString::to_string);
                    let mut changed = rules.clone();
                    changed.splice(index..=index, change);
                    match recognized(&changed) {
                        Some(_) => _ = same.insert(format!("{rule} -> {new}")),
                        None => refused += 1,
                    }
                }
            }
            assert!(refused > 1000, "{file}: {refused}");
            // A condition that stands twice may go, and where a variable occurs once its name may change.
            assert!(same.len() < 20, "{file}: {same:#?}");
        }
    }
}

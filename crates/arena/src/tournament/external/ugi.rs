//! A client for the Universal Game Interface (UGI).
//!
//! UGI is UCI for any game of two sides. The engine announces its options; if it has them, the
//! arena sets `Game` and `Rules` before each game and `Seed` before each move.

use std::collections::HashMap;
use std::time::Instant;

use quintet_core::Quoted;
use quintet_core::registry::Variant;
use quintet_protocol::{Thought, rounded};

use super::super::choice::EngineMove;
use super::conversation::{Conversation, ExternalTurn, milliseconds};
use super::process::ExchangeError;
use crate::engine::Settings;

/// The state of a conversation.
#[derive(Debug, Default)]
pub(super) struct Ugi {
    /// The engine's options; `None` before it has announced them.
    options: Option<Options>,
}

/// The options by name, in lower case, each with its largest value, or `u64::MAX` if it has none.
type Options = HashMap<String, u64>;

impl Ugi {
    pub(super) fn new_game(
        &mut self,
        conversation: &Conversation<'_>,
        game: &Variant,
    ) -> Result<(), ExchangeError> {
        if self.options.is_none() {
            conversation.send("ugi");
            let mut options = Options::new();
            conversation.receive("ugiok", conversation.settings.start_timeout(), |line| {
                options.extend(option(line));
                (line.trim() == "ugiok").then_some(())
            })?;
            self.options = Some(options);
        }
        for (name, value) in [("Game", &game.game), ("Rules", &game.rules)] {
            if self.largest(name).is_some() {
                conversation.send(format!("setoption name {name} value {value}"));
            }
        }
        conversation.send("uginewgame");
        ready(conversation)
    }

    pub(super) fn choose(
        &self,
        conversation: &Conversation<'_>,
        turn: &ExternalTurn<'_>,
    ) -> Result<EngineMove, ExchangeError> {
        if let Some(largest) = self.largest("Seed") {
            let seed = largest.checked_add(1).map_or(turn.seed, |seeds| turn.seed % seeds);
            conversation.send(format!("setoption name Seed value {seed}"));
        }
        conversation.send(position(turn.start, turn.moves));
        // Lines before the answer to this belong to earlier moves.
        ready(conversation)?;
        let start = Instant::now();
        conversation.send(go(conversation.settings, turn));
        let mut thought = Thought::default();
        let (answer, at) = conversation.receive("bestmove", turn.timeout(conversation.settings), |line| {
            read_info(line, &mut thought);
            best_move(line)
        })?;
        let token = answer.map_err(|line| ExchangeError::Illegal(format!("no move in {}", Quoted(&line))))?;
        Ok(EngineMove { token, thought, elapsed: at.saturating_duration_since(start) })
    }

    /// Returns the largest value of an option; `None` if the engine does not have it.
    fn largest(&self, name: &str) -> Option<u64> {
        self.options.as_ref()?.get(&name.to_lowercase()).copied()
    }
}

fn ready(conversation: &Conversation<'_>) -> Result<(), ExchangeError> {
    let limit = conversation.settings.start_timeout();
    conversation.send("isready");
    conversation.receive("readyok", limit, |line| (line.trim() == "readyok").then_some(()))?;
    Ok(())
}

/// Returns the option that a line announces: `option name NAME type …`.
fn option(line: &str) -> Option<(String, u64)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let rest = words.strip_prefix(&["option", "name"])?;
    let end = rest.iter().position(|word| *word == "type").unwrap_or(rest.len());
    let (name, details) = rest.split_at(end);
    let largest = details.iter().skip_while(|word| **word != "max").nth(1);
    let largest = largest.and_then(|word| word.parse().ok()).unwrap_or(u64::MAX);
    Some((name.join(" ").to_lowercase(), largest))
}

fn position(start: Option<&str>, moves: &[String]) -> String {
    let start = start.map_or("startpos".to_owned(), |text| format!("fen {text}"));
    if moves.is_empty() {
        format!("position {start}")
    } else {
        format!("position {start} moves {}", moves.join(" "))
    }
}

fn go(settings: &Settings, turn: &ExternalTurn<'_>) -> String {
    let mut go = "go".to_owned();
    let mut add = |key: &str, value: u64| go += &format!(" {key} {value}");
    if let Some(nodes) = settings.iterations {
        add("nodes", nodes);
    }
    if let Some(time) = settings.time {
        add("movetime", milliseconds(time));
    }
    if turn.clock().is_some() {
        for ([time, increment], clock) in
            [["p1time", "p1inc"], ["p2time", "p2inc"]].into_iter().zip(turn.clocks)
        {
            if let Some(clock) = clock {
                add(time, milliseconds(clock.left));
                add(increment, clock.increment.as_millis() as u64);
            }
        }
    }
    go
}

/// Reads what an `info` line says of the best move: `depth`, `nodes`, and `score` as centipawns
/// (`cp`), a forced end (`mate`), which counts as proven, or `wdl`, the chances of a win, a draw and a loss
/// per mille.
fn read_info(line: &str, thought: &mut Thought) {
    let mut words = line.split_whitespace();
    // The moves after pv may be called as they like, and other lines than the first are not played.
    let words: Vec<&str> = match words.next() {
        Some("info") => words.take_while(|word| !["pv", "string"].contains(word)).collect(),
        _ => return,
    };
    let after = |key: &str| {
        let at = words.iter().position(|word| *word == key)?;
        Some(words[at + 1..].iter().map_while(|word| word.parse::<i64>().ok()).collect::<Vec<_>>())
    };
    let first = |key| after(key)?.first().copied();
    if first("multipv").is_some_and(|number| number > 1) {
        return;
    }
    if let Some(depth) = first("depth").and_then(|depth| depth.try_into().ok()) {
        thought.depth = Some(depth);
    }
    if let Some(nodes) = first("nodes").and_then(|nodes| nodes.try_into().ok()) {
        thought.iterations = Some(nodes);
    }
    let wdl = after("wdl").and_then(|numbers| match numbers[..] {
        [win, draw, loss] if win >= 0 && draw >= 0 && loss >= 0 => {
            let [win, draw, loss] = [win, draw, loss].map(|chance| chance as f64);
            let all = win + draw + loss;
            (all > 0.0).then(|| 100.0 * (win + draw / 2.0) / all)
        }
        _ => None,
    });
    let proven = first("mate").map(|plies| if plies > 0 { 100 } else { 0 });
    // A hundred centipawns are taken as a hundred Elo.
    let pawns = || first("cp").map(|cp| 100.0 / (1.0 + 10_f64.powf(cp as f64 / -400.0)));
    if let Some(value) = proven.map(f64::from).or(wdl).or_else(pawns) {
        (thought.value, thought.proven) = (Some(rounded(value, 2)), proven);
    }
}

/// Returns the move of a `bestmove` line, or the line if it has no move; `None` for other lines.
fn best_move(line: &str) -> Option<Result<String, String>> {
    let mut words = line.split_whitespace();
    (words.next() == Some("bestmove")).then(|| words.next().map(str::to_owned).ok_or_else(|| line.to_owned()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use quintet_core::game::{MAX_SIDES, Side};

    use super::super::super::choice::GameClock;
    use super::*;

    #[test]
    fn options_are_read_with_their_largest_value() {
        for (line, read) in [
            ("option name Game type combo default quarto var quarto var krk", Some(("game", u64::MAX))),
            ("option name Seed type spin default 0 min 0 max 99", Some(("seed", 99))),
            ("option name Move Overhead type spin max many", Some(("move overhead", u64::MAX))),
            ("  option  name  Quiet", Some(("quiet", u64::MAX))),
            ("id name option", None),
            ("", None),
        ] {
            assert_eq!(option(line), read.map(|(name, most)| (name.to_owned(), most)), "{line}");
        }
    }

    #[test]
    fn positions_and_budgets_are_written_as_ugi_has_them() {
        assert_eq!(position(None, &[]), "position startpos");
        assert_eq!(position(None, &["a1".into(), "b2".into()]), "position startpos moves a1 b2");
        assert_eq!(position(Some("k3/4 w 1"), &["a1".into()]), "position fen k3/4 w 1 moves a1");
        let krk = quintet_games::registry().find("krk", None).expect("there is krk");
        let ms = Duration::from_millis;
        let go = |iterations, time, of_sides: [Option<(u64, u64)>; 2]| {
            let mut clocks = [None; MAX_SIDES];
            for (clock, of_side) in clocks.iter_mut().zip(of_sides) {
                *clock = of_side.map(|(left, increment)| GameClock {
                    left: ms(left),
                    increment: ms(increment),
                    margin: ms(0),
                });
            }
            let turn =
                ExternalTurn { game: &krk, start: None, moves: &[], seed: 5, side: Side::Second, clocks };
            go(&Settings { iterations, time, ..Settings::default() }, &turn)
        };
        assert_eq!(go(Some(7), None, [None; 2]), "go nodes 7");
        assert_eq!(go(None, Some(ms(1500)), [None; 2]), "go movetime 1500");
        assert_eq!(go(Some(7), Some(Duration::from_micros(3)), [None; 2]), "go nodes 7 movetime 1");
        let both = [Some((9000, 100)), Some((50, 0))];
        assert_eq!(go(None, None, both), "go p1time 9000 p1inc 100 p2time 50 p2inc 0");
        assert_eq!(go(Some(7), None, [None, Some((0, 0))]), "go nodes 7 p2time 1 p2inc 0");
        assert_eq!(go(Some(7), None, [Some((9000, 0)), None]), "go nodes 7", "the clock of the other alone");
    }

    #[test]
    fn info_lines_tell_what_the_engine_thinks() {
        let thought = |lines: &[&str]| {
            let mut thought = Thought::default();
            for line in lines {
                read_info(line, &mut thought);
            }
            thought
        };
        let value = |line| thought(&[line]).value;
        assert_eq!(value("info score cp 0"), Some(50.0));
        assert_eq!(value("info score cp 400 pv a1"), Some(90.91));
        assert_eq!(value("info score cp -400"), Some(9.09));
        assert_eq!(value("info score mate 3"), Some(100.0));
        assert_eq!(value("info score mate -3"), Some(0.0));
        assert_eq!(value("info score cp 31 wdl 600 200 200 nodes 5"), Some(70.0));
        for line in
            ["info score wdl 0 0 0", "info score cp", "info string score cp 7", "score cp 7", "info", ""]
        {
            assert_eq!(value(line), None, "{line}");
        }
        assert_eq!(value("info multipv 2 score cp 7"), None);
        let proven = |lines: &[&str]| thought(lines).proven;
        assert_eq!(proven(&["info score mate 3 wdl 999 1 0"]), Some(100));
        assert_eq!(proven(&["info score cp 9", "info score mate -2", "info nodes 9"]), Some(0));
        assert_eq!(proven(&["info score mate -2", "info score cp 9"]), None);
        let lines =
            ["info depth 3 nodes 7 score cp 0 pv nodes 9", "info depth 4 nodes 9 nps 1", "info nodes -1"];
        let last = Thought {
            value: Some(50.0),
            proven: None,
            iterations: Some(9),
            depth: Some(4),
            ms: 0,
            cpu_ms: None,
        };
        assert_eq!(thought(&lines), last);
    }

    #[test]
    fn the_best_move_is_the_second_word() {
        assert_eq!(best_move("bestmove e4 ponder e5"), Some(Ok("e4".to_owned())));
        assert_eq!(best_move(" bestmove\t0011"), Some(Ok("0011".to_owned())));
        assert_eq!(best_move("bestmove"), Some(Err("bestmove".to_owned())));
        assert_eq!(best_move("info bestmove e4"), None);
        assert_eq!(best_move(""), None);
    }
}

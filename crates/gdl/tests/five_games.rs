//! The rulesheets of the five games are a second statement of their rules: each has to agree with the game written by
//! hand, and with games that an independent referee recorded.

use std::fs;
use std::path::PathBuf;

use quintet_core::game::{Game, Notation, Rng, Role, Rules};
use quintet_games::{Ggp, Gomoku, Krk, Pentago, Quarto, Qubic, Spec};
use quintet_gdl::{Compiled, Limits, Position, kif::Kif};
use serde_json::Value;

/// A game in the words of its rulesheets.
#[derive(Clone, Copy)]
struct Words {
    name: &'static str,
    /// The token of a move there.
    mv: fn(&str) -> String,
    /// What is true there in the position of this string after so many plies.
    facts: fn(position: &str, plies: usize) -> Vec<String>,
}

/// The characters of a token.
fn chars<const N: usize>(token: &str) -> [char; N] {
    let chars: Vec<char> = token.chars().collect();
    chars.try_into().expect("a token of this length")
}

/// The file and the rank of a cell such as `b10`, as parts of a term.
fn cell(token: &str) -> [&str; 2] {
    token.split_at(1).into()
}

/// The words of a position string.
fn words<const N: usize>(position: &str) -> [&str; N] {
    position.split(' ').collect::<Vec<_>>().try_into().expect("so many words")
}

/// The cells of a board from the last rank to the first that are not empty, each with its character.
fn board(text: &str) -> Vec<(String, char)> {
    let ranks: Vec<&str> = text.split('/').collect();
    let mut cells = Vec::new();
    for (rank, line) in (1..).zip(ranks.into_iter().rev()) {
        let (mut file, mut blanks) = (0, 0);
        for c in line.chars() {
            if let Some(digit) = c.to_digit(10) {
                blanks = 10 * blanks + digit as u8;
                continue;
            }
            file += std::mem::take(&mut blanks);
            cells.push((format!("{} {rank}", char::from(b'a' + file)), c));
            file += 1;
        }
    }
    cells
}

fn color(letter: char) -> &'static str {
    match letter {
        'w' => "white",
        'b' => "black",
        'r' => "red",
        _ => panic!("{letter} is no color"),
    }
}

const QUARTO: Words = Words {
    name: "quarto",
    mv: |token| match cell(token) {
        [file @ ("a" | "b" | "c" | "d"), rank] => format!("place-{file}-{rank}"),
        _ => format!("select-{token}"),
    },
    facts: |position, _| {
        let [board, hand, mover] = words(position);
        let mut facts = Vec::new();
        let bits = |digit: char| format!("{:04b}", digit.to_digit(16).expect("a piece"));
        let mut pool: Vec<char> = "0123456789abcdef".chars().collect();
        for (line, rank) in board.split('/').zip((1..=4).rev()) {
            for (piece, file) in line.chars().zip('a'..) {
                if piece == '.' {
                    facts.push(format!("(empty {file} {rank})"));
                    continue;
                }
                pool.retain(|it| *it != piece);
                let bits = bits(piece);
                facts.extend((1..).zip(bits.chars()).map(|(n, bit)| format!("(bit{n} {file} {rank} {bit})")));
            }
        }
        let [action, player] = [if hand == "-" { "selects" } else { "places" }, color(chars::<1>(mover)[0])];
        facts.push(format!("({action} {player})"));
        if hand != "-" {
            let [piece] = chars(hand);
            pool.retain(|it| *it != piece);
            facts.push(format!("(hand {})", bits(piece)));
        }
        facts.extend(pool.into_iter().map(|piece| format!("(pool {})", bits(piece))));
        facts
    },
};

/// The name of an axis of Qubic.
fn axis(letter: char) -> &'static str {
    match letter {
        'r' => "row",
        'c' => "column",
        'l' => "level",
        _ => panic!("{letter} is no axis"),
    }
}

const QUBIC: Words = Words {
    name: "qubic",
    mv: |token| {
        let [letter, number] = chars(token);
        format!("choose-{}-{number}", axis(letter))
    },
    facts: |position, plies| {
        let [levels, team, choices] = words(position);
        let mut facts = vec![format!("(clock {} {})", 1 + plies / 6, 1 + plies % 6)];
        for (level, text) in (1..).zip(levels.split('|')) {
            // Here the first row comes first.
            let rows: Vec<&str> = text.split('/').rev().collect();
            for (place, mark) in board(&rows.join("/")) {
                let column = u32::from(place.as_bytes()[0] - b'a') + 1;
                facts.push(format!("(level{level} {column} {} {mark})", &place[2..]));
            }
        }
        let chosen: Vec<char> = choices.chars().filter(|it| *it != '-').collect();
        facts.extend(chosen.chunks(2).map(|it| format!("(chosen {} {})", axis(it[0]), it[1])));
        assert_eq!(team, if plies / 3 % 2 == 0 { "x" } else { "o" });
        facts
    },
};

const GOMOKU: Words = Words {
    name: "gomoku",
    mv: |token| match token {
        "black" | "white" => format!("pick-{token}"),
        _ => format!("place-{}", cell(token).join("-")),
    },
    facts: |position, _| {
        let [stones, own, player, step] = words(position);
        let stones = board(stones).into_iter().map(|(cell, it)| format!("(cell {cell} {})", color(it)));
        let mut facts: Vec<String> = stones.collect();
        facts.push(format!("(control player{player})"));
        if step != "-" {
            facts.push(format!("(setup {step})"));
        }
        let owners = match own {
            "b" => ["player1", "player2"],
            "w" => ["player2", "player1"],
            _ => return facts,
        };
        facts.extend([format!("(owns {} black)", owners[0]), format!("(owns {} white)", owners[1])]);
        facts
    },
};

const PENTAGO: Words = Words {
    name: "pentago",
    mv: |token| match token.split_once('c') {
        Some((quadrant @ ("1" | "2" | "3" | "4"), "w")) => format!("rotate-{quadrant}-clockwise"),
        Some((quadrant @ ("1" | "2" | "3" | "4"), "cw")) => format!("rotate-{quadrant}-counterclockwise"),
        _ => format!("place-{}", cell(token).join("-")),
    },
    facts: |position, plies| {
        let [stones, mover, action] = words(position);
        let stones = board(stones).into_iter().map(|(cell, it)| format!("(cell {cell} {})", color(it)));
        let mover = color(chars::<1>(mover)[0]);
        stones.chain([format!("(step {})", plies + 1), format!("({action}s {mover})")]).collect()
    },
};

const KRK: Words = Words {
    name: "krk",
    mv: |token| {
        let piece = piece(chars::<6>(token)[0]);
        let cells = token[1..].split('-').flat_map(cell).collect::<Vec<_>>();
        format!("move-{piece}-{}", cells.join("-"))
    },
    facts: |position, _| {
        let [pieces, mover, step] = words(position);
        let pieces = board(pieces).into_iter().map(|(cell, it)| format!("(cell {cell} {})", piece(it)));
        let mover = color(chars::<1>(mover)[0]);
        pieces.chain([format!("(control {mover})"), format!("(step {step})")]).collect()
    },
};

fn piece(letter: char) -> &'static str {
    match letter {
        'K' => "wk",
        'R' => "wr",
        'k' => "bk",
        _ => panic!("{letter} is no piece"),
    }
}

fn compiled(words: Words, rules: &str) -> Rules<Compiled> {
    let name = format!("{}-{rules}.kif", words.name);
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "..", "rulesheets", &name].iter().collect();
    let text = fs::read_to_string(path).expect("the rulesheet is there");
    Rules::new(Compiled::new(&text, Limits::default()).unwrap_or_else(|error| panic!("{name}: {error}")))
}

/// What can be seen of a position: the role to move, its moves, whether the game is over, and the score of each role.
#[derive(Debug, PartialEq, Eq)]
struct View {
    to_move: Option<String>,
    legal: Vec<String>,
    scores: Vec<(String, u64)>,
}

impl View {
    /// The moves are written by `mv`.
    fn of<G: Notation>(position: &G, mv: impl Fn(&str) -> String) -> Self {
        let roles = position.roles();
        let is_over = position.outcome().is_some();
        let tokens = position.move_list().iter().map(ToString::to_string).collect::<Vec<_>>();
        let mut legal: Vec<String> = tokens.iter().map(|it| mv(it)).collect();
        legal.sort_unstable();
        let score = |role: &Role| (role.name.to_string(), u64::from(position.score(role.side)));
        Self {
            to_move: (!is_over).then(|| roles[position.role_to_move()].name.to_string()),
            legal,
            scores: roles.iter().map(score).collect(),
        }
    }

    fn recorded(step: &Value, mv: fn(&str) -> String) -> Self {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let legal = step["legal"].as_array().expect("a list").iter();
        let mut legal: Vec<String> = legal.map(|it| mv(it.as_str().expect("a token"))).collect();
        legal.sort_unstable();
        let scores = step["scores"].as_object().expect("scores").iter();
        let scores = scores.map(|(role, score)| (role.clone(), score.as_u64().expect("a number"))).collect();
        Self { to_move: text(&step["to_move"]), legal, scores }
    }
}

/// The position after the move with this token.
fn after(position: &Position, token: &str) -> Position {
    let mv = position.parse_move(token).unwrap_or_else(|error| panic!("{error}"));
    position.after(mv)
}

/// All that is true.
fn facts(position: &Position) -> Vec<String> {
    let all = Kif::parse_all(&position.to_string()).expect("terms");
    let mut all: Vec<String> = all.iter().map(ToString::to_string).collect();
    all.sort_unstable();
    all
}

fn check_records(words: Words, rules: &str) {
    let name = format!("{}-{rules}.jsonl", words.name);
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../../tests/data/traces", &name].iter().collect();
    let file = fs::read_to_string(path).expect("the records are there");
    let compiled = compiled(words, rules);
    assert!(file.lines().count() >= 6, "{name}");
    for (line, text) in file.lines().enumerate() {
        let record: Value = serde_json::from_str(text).expect("a record");
        let mut position = Position::start(&compiled);
        let moves = record["moves"].as_array().expect("moves");
        let steps = record["steps"].as_array().expect("steps");
        for (ply, step) in steps.iter().enumerate() {
            let expected = View::recorded(step, words.mv);
            assert_eq!(View::of(&position, str::to_owned), expected, "{name}, line {}, ply {ply}", line + 1);
            if let Some(mv) = moves.get(ply) {
                position = after(&position, &(words.mv)(mv.as_str().expect("a token")));
            }
        }
        assert!(position.outcome().is_some() || moves.len() + 1 == steps.len(), "{name}, line {}", line + 1);
    }
}

/// Plays random games with the rules written by hand and follows them by the rulesheet: this many, or as many as
/// `QUINTET_GAMES` says.
fn check_random_games<G: Notation>(words: Words, rules: &str, games: u64) {
    let wanted = std::env::var("QUINTET_GAMES").ok().map(|it| it.parse().expect("QUINTET_GAMES is a number"));
    let games = wanted.unwrap_or(games);
    let compiled = compiled(words, rules);
    for game in 0..games {
        let mut rng = Rng::stream(game, 0);
        let (mut expected, mut position) = (G::initial(), Position::start(&compiled));
        for ply in 0.. {
            let shown = || format!("{} {rules}, game {game}, ply {ply}: {expected}", words.name);
            assert_eq!(View::of(&position, str::to_owned), View::of(&expected, words.mv), "{}", shown());
            let mut known = (words.facts)(&expected.to_string(), ply);
            known.sort_unstable();
            let mut found = facts(&position);
            if words.name == QUBIC.name {
                // Whose choice it is follows from what has been compared.
                found.retain(|it| !it.starts_with("(control") && !it.starts_with("(begins"));
            }
            assert_eq!(found, known, "{}", shown());
            let moves = expected.move_list();
            if expected.outcome().is_some() {
                break;
            }
            let mv = moves[rng.below(moves.len())];
            position = after(&position, &(words.mv)(&mv.to_string()));
            expected.apply(mv);
        }
    }
}

macro_rules! tests {
    ($($name:ident: $game:ident, $words:ident, $few:literal;)+) => {
        $(mod $name {
            use super::*;

            #[test]
            fn recorded_games_are_followed() {
                check_records($words, "spec");
                check_records($words, "ggp");
            }

            #[test]
            fn random_games_go_alike() {
                check_random_games::<$game<Spec>>($words, "spec", $few);
                check_random_games::<$game<Ggp>>($words, "ggp", $few);
            }
        })+
    };
}

tests! {
    quarto: Quarto, QUARTO, 20;
    qubic: Qubic, QUBIC, 10;
    gomoku: Gomoku, GOMOKU, 5;
    pentago: Pentago, PENTAGO, 20;
    krk: Krk, KRK, 100;
}

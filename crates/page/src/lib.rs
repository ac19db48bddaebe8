//! The page in the browser on which games are played, analyzed and watched.
//!
//! [`INDEX`] and [`FILES`] are what a server sends; the modules talk to a client of `quintet-analysis` over the
//! WebSocket `analyze` beside the page. [`report()`] makes one file of those that show a tournament, with its games.
//!
//! # Invariants
//! * The page knows no rules: legal moves, pictures and results are data.
//! * It loads nothing from elsewhere, and no text from a file or an engine becomes HTML.
//! * Modules are scripts without a build step; the comment at the head of each describes its interface.
#![forbid(unsafe_code)]

mod report;

pub use report::{Record, WrongGame, report};

/// The page itself.
pub const INDEX: &str = include_str!("../files/index.html");

/// Lists files of the folder `files` and those of boards, by their paths.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[
            $((concat!("/assets/", $name), include_str!(concat!("../files/", $name))),)*
            ("/assets/board.css", quintet_board::STYLE),
            ("/assets/board.js", quintet_board::SCRIPT),
        ]
    };
}

/// What the page loads: the path of each file, and what it holds.
pub const FILES: &[(&str, &str)] = files![
    "analyze.css",
    "analyze.js",
    "beside.js",
    "blunders.js",
    "candidates.js",
    "clicks.js",
    "conditions.js",
    "drag.js",
    "errors.js",
    "findings.js",
    "game.js",
    "gamelist.js",
    "grades.js",
    "graph.js",
    "icon.svg",
    "lines.js",
    "live.js",
    "main.js",
    "moves.js",
    "newgame.js",
    "play.js",
    "playing.js",
    "pointed.js",
    "pointer.js",
    "positions.css",
    "positions.js",
    "proof.js",
    "puzzles.js",
    "recording.js",
    "records.js",
    "report.js",
    "results.js",
    "retry.js",
    "score.js",
    "seats.js",
    "settings.js",
    "setup.js",
    "share.js",
    "sheets.js",
    "shell.js",
    "socket.js",
    "sound.js",
    "spots.js",
    "style.css",
    "survey.js",
    "text.js",
    "tournament.js",
    "trial.js",
    "verdicts.js",
    "watch.css",
    "watch.js",
    "words.js",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_folder_is_in_the_table() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/files");
        let files = std::fs::read_dir(folder).expect("it is there");
        let names = files.map(|file| file.expect("a file").file_name().into_string().expect("text"));
        let names =
            names.filter(|name| name != "index.html").chain(["board.css", "board.js"].map(str::to_owned));
        let mut found: Vec<String> = names.map(|name| format!("/assets/{name}")).collect();
        found.sort_unstable();
        let mut table: Vec<&str> = FILES.iter().map(|(path, _)| *path).collect();
        table.sort_unstable();
        assert_eq!(table, found);
    }
}

/// The code of the README, compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

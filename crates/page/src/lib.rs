//! The page in the browser on which games are played, analyzed and watched.
//!
//! [`files`] is what a server sends; the page talks to a client of `quintet-analysis` over the
//! WebSocket `analyze` beside it. [`report()`] makes one file of those that show a tournament, with its games.
//!
//! # Invariants
//! * The page knows no rules: legal moves, pictures and results are data.
//! * It loads nothing from elsewhere, and no text from a file or an engine becomes HTML.
//! * Modules are scripts without a build step, sent as one; the comment at the head of each describes its interface.
#![forbid(unsafe_code)]

mod bundle;
mod report;

use std::sync::LazyLock;

pub use report::{Record, WrongGame, report};

/// The page itself.
const INDEX: &str = include_str!("../files/index.html");

const ICON: &str = include_str!("../files/icon.svg");

/// What a server sends: the path of each file, and what it holds.
#[must_use]
pub fn files() -> [(&'static str, &'static str); 4] {
    static STYLE: LazyLock<String> = LazyLock::new(bundle::style);
    static SCRIPT: LazyLock<String> = LazyLock::new(|| bundle::script("main.js"));
    [("/", INDEX), ("/assets/icon.svg", ICON), ("/assets/page.css", &STYLE), ("/assets/page.js", &SCRIPT)]
}

/// The code of the README, compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

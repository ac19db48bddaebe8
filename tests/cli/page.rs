//! The page of `quintet serve`, and of reports, in a browser: one test for each file of tests/page. Skipped where Node.js, Chromium or
//! the packages of tests/page are not there, unless `QUINTET_TESTS` is `all`.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::harness::{Run, command, lacks};

/// After this time, a file is taken to hang. On a busy machine it may need half of it.
const LONG: Duration = Duration::from_secs(600);

/// Whether there is a browser.
fn has_chromium() -> bool {
    let names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
    names.into_iter().any(|name| Command::new(name).arg("--version").output().is_ok())
}

/// Runs a file of tests/page.
fn browse(file: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/page");
    let has_node = Command::new("node").arg("--version").output().is_ok_and(|it| it.status.success());
    let has_packages = folder.join("node_modules/playwright-core").exists();
    if lacks("Node.js", has_node)
        || lacks("Chromium", has_chromium())
        || lacks("a package of tests/page (npm ci --prefix tests/page)", has_packages)
    {
        return;
    }
    let mut node = Command::new("node");
    node.arg(folder.join(file)).env("QUINTET", command().get_program());
    let name = format!("{node:?}");
    let output = assert_cmd::Command::from_std(node).timeout(LONG).output().expect("it starts");
    Run::new(name, output).exits(0);
}

#[test]
fn games_are_played_by_clicks() {
    browse("play.test.js");
}

#[test]
fn a_game_is_taken_back_linked_and_kept() {
    browse("game.test.js");
}

#[test]
fn a_game_that_is_over_is_learned_from() {
    browse("review.test.js");
}

#[test]
fn puzzles_are_solved() {
    browse("puzzles.test.js");
}

#[test]
fn what_is_found_is_understood() {
    browse("analysis.test.js");
}

#[test]
fn rulesheets_are_played() {
    browse("rulesheets.test.js");
}

#[test]
fn positions_are_searched() {
    browse("search.test.js");
}

#[test]
fn positions_are_analyzed() {
    browse("analyze.test.js");
}

#[test]
fn positions_are_set_up() {
    browse("positions.test.js");
}

#[test]
fn boards_are_edited() {
    browse("edit.test.js");
}

#[test]
fn tournaments_are_watched() {
    browse("watch.test.js");
}

#[test]
fn a_report_has_every_position_of_every_game() {
    browse("report.test.js");
}

#[test]
fn blunders_are_found() {
    browse("blunders.test.js");
}

#[test]
fn the_page_works_behind_a_proxy() {
    browse("proxy.test.js");
}

#[test]
fn keys_go_through_the_moves_after_a_click() {
    browse("keys.test.js");
}

#[test]
fn the_page_fits_into_every_window() {
    browse("layout.test.js");
}

#[test]
fn the_page_is_accessible() {
    browse("accessibility.test.js");
}

//! `board.js` in a browser. Skipped if there is no Chromium, unless `QUINTET_TESTS` is `all`.

use std::fs;
use std::process::Command;

use quintet_core::game::Rng;
use serde_json::{Value, json};

/// A script that plays on boards of every game and writes what went wrong into the page.
const USER: &str = include_str!("browser.js");

fn chromium() -> Option<&'static str> {
    // The first starts much sooner.
    let names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
    names.into_iter().find(|name| Command::new(name).arg("--version").output().is_ok())
}

/// Returns a random game of every game and ruleset: its layout, and its pictures from the start.
fn games() -> Vec<Value> {
    let games = quintet_games::registry();
    let game = |game: &quintet_core::registry::Variant| {
        let mut rng = Rng::stream(11, 0);
        let mut session = game.start();
        let mut pictures = vec![quintet_board::picture(session.picture())];
        while let Some(token) = session.random_move(&mut rng) {
            session.play(&token).expect("legal");
            pictures.push(quintet_board::picture(session.picture()));
        }
        json!({ "game": game.game, "layout": quintet_board::layout_of(&*session), "pictures": pictures })
    };
    games.variants().iter().map(game).collect()
}

/// Returns what the user says after playing in a browser with these flags.
fn played(chromium: &str, flags: &[&str]) -> String {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let file = directory.path().join("page.html");
    let games = Value::from(games()).to_string().replace('<', "\\u003c");
    let (script, style) = (quintet_board::SCRIPT, quintet_board::STYLE);
    // Nothing but its script and its style, and the pictures that it makes.
    let policy = "default-src 'none'; img-src data:; style-src 'nonce-1'; script-src 'nonce-1'";
    let page = format!(
        r#"<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">
        <style nonce="1">{style}</style><body><script type="application/json" id="games">{games}</script>
        <script type="module" nonce="1">{script}{USER}</script>"#
    );
    fs::write(&file, page).expect("it can be written");
    let mut command = Command::new(chromium);
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", "--enable-logging=stderr"]);
    command.args(["--window-size=1000,3000", "--virtual-time-budget=20000"]).args(flags);
    command.arg(format!("--user-data-dir={}", directory.path().join("profile").display()));
    command.arg(format!("file://{}", file.display()));
    let output = command.output().expect("it starts");
    let [dom, log] = [output.stdout, output.stderr].map(|it| String::from_utf8_lossy(&it).into_owned());
    assert!(!log.contains(":CONSOLE"), "{log}");
    let said =
        dom.split_once("<pre id=\"said\">").unwrap_or_else(|| panic!("the user said nothing: {log}")).1;
    said.split_once("</pre>").expect("an end").0.to_owned()
}

#[test]
#[expect(clippy::print_stderr, reason = "whoever reads the log has to know that this was not tested")]
fn boards_show_every_position_and_take_clicks_and_keys() {
    let Some(chromium) = chromium() else {
        let is_needed = std::env::var_os("QUINTET_TESTS").is_some_and(|tests| tests == "all");
        assert!(!is_needed, "there is no Chromium");
        eprintln!("skipped: there is no Chromium");
        return;
    };
    assert_eq!(played(chromium, &[]), "played, with motion");
    assert_eq!(played(chromium, &["--force-prefers-reduced-motion"]), "played, without motion");
}

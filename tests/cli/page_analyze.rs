//! The mode Analyze of the page of `quintet serve`, in a browser. Skipped if there is no Chromium, unless
//! `QUINTET_TESTS` is `all`.

use crate::in_browser::{Page, chromium};
use crate::serving::Server;

/// What the scripts below have in common.
const HELP: &str = include_str!("page_help.js");

/// White plays itself out of a proven win with the fourth of its moves.
const MATE: &str = "game=krk&rules=ggp&moves=Kc1-b2+ka4-b4+Kb2-c2+kb4-a3+Rd1-d4+ka3-a2+Kc2-c1+ka2-b3+Kc1-b1";
/// All but two of the pieces that are left complete a line.
const UNSAFE: &str =
    "game=quarto&rules=ggp&moves=0110+d2+0101+d3+0100+b3+0011+a4+1101+c1+0111+a1+0010+c4+0001+b2+1001+a3";
const START: &str = "game=gomoku&rules=ggp";

fn page(server: &Server) -> Option<Page> {
    Some(Page::open(chromium()?, server, (1280, 900)))
}

#[test]
fn what_the_modules_of_analyze_make_of_answers() {
    let server = Server::start(&[]);
    let Some(mut page) = page(&server) else { return };
    page.go(MATE);
    assert_eq!(page.run(&format!("{HELP}{}", include_str!("page_analyze_parts.js"))), "all parts work");
    page.is_silent();
}

#[test]
fn a_game_is_analyzed_with_the_keyboard() {
    let server = Server::start(&[]);
    let Some(mut page) = page(&server) else { return };
    let mut does = |place: &str, body: &str| {
        if !place.is_empty() {
            page.go(place);
        }
        assert_eq!(page.run(&format!("{HELP}{body}\nreturn 'done';")), "done");
    };
    does(MATE, include_str!("page_analyze_game.js"));
    // All of it is there after a visit to another page.
    does(
        MATE,
        "await mode('analyze'); await until(() => all('.mistake').length === 1, 'the mistake'); same(find('.start').textContent, 'Analyzed', 'the button');",
    );
    does(UNSAFE, include_str!("page_analyze_unsafe.js"));
    does(START, include_str!("page_analyze_live.js"));
    page.is_silent();
}

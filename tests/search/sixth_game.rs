//! The example of a game of one's own, and its search.

#[path = "../../examples/connect_four.rs"]
#[expect(dead_code, reason = "its main function runs as an example")]
mod connect_four;

use connect_four::ConnectFour;
use quintet::game::{Game, Outcome, Side};
use quintet::knowledge::RulesOnly;
use quintet::search::{Budget, Search, SearchConfig};

fn after(columns: &str) -> ConnectFour {
    columns.chars().fold(ConnectFour::initial(), |position, column| {
        let mv = position.parse_move(&column.to_string()).expect("legal");
        position.play(mv).expect("legal")
    })
}

fn best(position: &ConnectFour) -> String {
    let mut search = Search::new(SearchConfig::default(), RulesOnly).expect("valid");
    let report = search.run(position, Budget::iterations(30_000).expect("not 0")).expect("there are moves");
    report.best().mv.to_string()
}

#[test]
fn takes_a_win_and_blocks_one() {
    assert_eq!(best(&after("172737")), "4");
    assert_eq!(best(&after("17273")), "4");
}

#[test]
fn starts_in_the_middle() {
    assert_eq!(best(&ConnectFour::initial()), "4");
}

#[test]
fn ends_by_four_in_a_row_and_refuses_to_go_on() {
    let won = after("1727374");
    assert_eq!(won.outcome(), Some(Outcome::Win(Side::First)));
    assert!(won.parse_move("1").is_err());
    assert_eq!(won.score(Side::First), 100);
    // A full column is no move.
    let full = after("111111");
    assert!(full.parse_move("1").expect_err("full").to_string().contains("legal here: 2 3 4 5 6 7"));
}

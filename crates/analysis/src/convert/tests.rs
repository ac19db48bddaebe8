use quintet_core::game::Rng;
use quintet_core::registry::Registry;
use quintet_protocol::PlayedEnd;

use super::*;

fn games() -> Registry {
    quintet_games::registry()
}

/// What becomes of a text under a ruleset.
fn all(text: &str, rules: Option<&str>) -> Vec<Result<ReadGame, RefusedGame>> {
    let games = games();
    let variant = file_game(&games, rules).expect("there is gomoku");
    let mut reader = GameReader::new(text.as_bytes(), variant, &games).expect("memory").expect("a format");
    let mut all = Vec::new();
    while let Some(game) = reader.next_game().expect("memory can be read") {
        all.push(game);
    }
    all
}

/// The moves of the games in a text, and the errors of those refused.
fn moves(text: &str, rules: Option<&str>) -> Vec<String> {
    let told = |game: Result<ReadGame, RefusedGame>| match game {
        Ok(game) => game.record.moves.join(" "),
        Err(refused) => refused.to_string(),
    };
    all(text, rules).into_iter().map(told).collect()
}

fn only(text: &str) -> ConvertedGame {
    let mut all = all(text, None);
    assert_eq!(all.len(), 1, "{text}");
    all.remove(0).unwrap_or_else(|refused| panic!("{text}: {refused}")).record
}

/// The names of player1 and player2.
fn names(game: &ConvertedGame) -> [&str; 2] {
    ["player1", "player2"].map(|role| game.seats[role].as_str())
}

#[test]
fn the_choice_is_put_in_before_the_fourth_stone_so_that_white_moves_next() {
    for (rules, pick, seats) in [
        (None, "white", ["black", "white"]),
        (Some("standard"), "white", ["black", "white"]),
        (Some("spec"), "black", ["white", "black"]),
    ] {
        assert_eq!(moves("f6g7e6f7d6", rules), [format!("f6 g7 e6 {pick} f7 d6")]);
        let game = all("f6g7e6f7", rules).remove(0).expect("a game").record;
        assert_eq!(names(&game), seats, "{rules:?}");
        assert_eq!(moves("f6g7e6", rules), ["f6 g7 e6"], "nobody has chosen yet");
    }
}

#[test]
fn cells_may_have_blanks_commas_and_capitals() {
    assert_eq!(
        moves("\u{feff}\n f6g7\nF6, k11 a1\r\n\nf6", None),
        ["f6 g7", "f6 k11 a1", "f6"],
        "a line each, and blank lines are none"
    );
}

#[test]
fn a_game_that_is_over_has_its_scores() {
    let five = only("f6a1g6b1h6c1i6d1j6");
    assert_eq!((five.scores.expect("it is over")["player1"], five.end), (100, PlayedEnd::Rules));
    // A run of six is no five, and wins under spec.
    let six = "f6a1g6b1h6c1i6d1k6f1j6";
    assert_eq!(only(six).end, PlayedEnd::Unfinished);
    let spec = all(six, Some("spec")).remove(0).expect("a game").record;
    assert_eq!((spec.end, spec.scores.expect("it is over")["player2"]), (PlayedEnd::Rules, 100));
}

#[test]
fn psq_has_moves_from_the_upper_left_and_the_names_of_the_players() {
    let text = "Piskvorky 11x11, 11:11, 0\r\n1,1,0\r\n11,1,15\r\n6,11\r\nanna \r\npbrain-otto.zip\r\n-1\r\n1,Freestyle\r\n";
    let game = only(text);
    assert_eq!(game.moves, ["a11", "k11", "f1"]);
    assert_eq!(names(&game), ["anna", "pbrain-otto.zip"]);
    assert_eq!(
        names(&only(&text.replace(":11, 0", ":11, 1"))),
        ["pbrain-otto.zip", "anna"],
        "the second began"
    );
    let two = format!("{text}{}", text.replace("anna", "7up,x"));
    let named: Vec<String> =
        all(&two, None).into_iter().map(|it| names(&it.expect("a game").record).join(" ")).collect();
    assert_eq!(named, ["anna pbrain-otto.zip", "7up,x pbrain-otto.zip"]);
    assert_eq!(only("Piskvorky 11x11 , 0 - 0\n6,6,0\n").moves, ["f6"], "whatever the levels");
}

#[test]
fn sgf_is_read_along_its_main_line() {
    let text = r"(;FF[4]GM[4]SZ[11:11]PB[A \] \\ B]PW[Otto]C[a comment (with ;B\[aa\] in it)]RE[W+R]
        ;B[ff]LB[gg:1][hh:2];W[gg](;B[ef];Wh[fe]C[)](;B[aa])(;B[bb]))(;B[cc](;W[dd]))(;B[ee]))";
    let mut all = all(text, None);
    let game = all.remove(0).expect("a game");
    assert_eq!((game.variations, all.len()), (3, 0));
    let record = game.record;
    assert_eq!(record.moves, ["f6", "g5", "e6", "white", "f7", "a11"]);
    assert_eq!(names(&record), [r"A ] \ B", "Otto"]);
    assert_eq!((record.end, record.scores.expect("black resigned")["player2"]), (PlayedEnd::Resign, 100));
}

#[test]
fn sgf_may_have_several_games_and_stones_that_are_set_up() {
    let text = "(;SZ[11]AB[ff]\n[ee]AW[gg]PL[W];W[aa]) (;GM[4]SZ[11];B[kk]W[ak])\n\n(;SZ[11])";
    assert_eq!(moves(text, None), ["f6 g5 e7 white a11", "k1 a1", ""]);
    let lines: Vec<usize> = all(text, None).into_iter().map(|it| it.expect("a game").line).collect();
    assert_eq!(lines, [1, 2, 4]);
    assert_eq!(only("(;SZ[11]RE[B+T];B[ff])").end, PlayedEnd::Unfinished);
}

#[test]
fn what_is_refused_is_named_with_line_and_move() {
    let sgf = |properties: &str| format!("(;GM[4]SZ[11]\n{properties})");
    let psq = |moves: &str| format!("Piskvorky 11x11, 0:0, 0\n{moves}");
    for (text, error) in [
        ("f6g7f6".to_owned(), "line 1, move 3: there is a stone on f6 already"),
        ("f6\nf6l5".to_owned(), "line 2, move 2: \"l5\" is not on the board of 11x11"),
        ("f6g12".to_owned(), "line 1, move 2: \"g12\" is not on the board of 11x11"),
        ("f6 pass".to_owned(), "line 1, move 2: expected a cell such as f6, found \"pass\""),
        (
            "f6a1g6b1h6c1i6d1j6k11".to_owned(),
            "line 1, move 10: the game is over after move 9, by the rules of gomoku ggp",
        ),
        (psq("6,6,0\n12,1,0"), "line 3, move 2: column 12, row 1 is not on the board of 11x11"),
        (psq("6,6,0\n0,1,0"), "line 3, move 2: column 0, row 1 is not on the board of 11x11"),
        (psq("6,6,0\n7,"), "line 3, move 2: expected a move such as 6,6,0, found \"7,\""),
        (psq("6,6,0\n7,x,0\n-1"), "line 3, move 2: expected a move such as 6,6,0, found \"7,x,0\""),
        (psq("6,6,0\nanna\n6,7,0"), "line 4: a move, but line 3 is none, and ends the moves"),
        (
            "Piskvorky 15x15, 0:0, 0\n8,8,0".to_owned(),
            "line 1: the board is \"15x15\": only 11x11 can be converted",
        ),
        (
            "Piskvorky, 0".to_owned(),
            "line 1: expected a size such as Piskvorky 11x11, found \"Piskvorky, 0\"",
        ),
        (sgf(";B[ff];W[]"), "line 2, move 2: a pass: Gomoku has none"),
        (sgf(";B[ff];W[tt]"), "line 2, move 2: a pass: Gomoku has none"),
        (
            sgf(";B[ff]\n;B[gg]"),
            "line 3, move 2: a black stone where white is to move: colors alternate, and black begins",
        ),
        (
            sgf(";W[ff]"),
            "line 2, move 1: a white stone where black is to move: colors alternate, and black begins",
        ),
        (sgf(";B[ll]"), "line 2, move 1: column 12, row 12 is not on the board of 11x11"),
        (sgf(";B[h8]"), "line 2, move 1: expected a cell of two small letters such as ff, found \"h8\""),
        (
            sgf("AB[aa][bb];W[cc]"),
            "line 2: 2 black and 0 white stones are set up: black has as many as white or one more",
        ),
        (
            sgf("AB[aa]PL[B];B[cc]"),
            "line 2: PL has \"B\", but white is to move: colors alternate, and black begins",
        ),
        (sgf(";B[aa];AW[cc]"), "line 2, move 2: stones are set up by AW: only moves can be converted"),
        ("(;GM[1]SZ[19];B[])".to_owned(), "line 1: GM is \"1\", another game: Gomoku is GM[4]"),
        (
            "(;GM[4]SZ[15];B[oo])".to_owned(),
            "line 1: the board is \"15\": only 11x11, SZ[11], can be converted",
        ),
        ("(;GM[4];B[ff])".to_owned(), "line 1: the size of the board is missing: expected SZ[11]"),
        (
            "(;SZ[11];B[ff]\n;W[g".to_owned(),
            "line 1: the file ends within this game: a \")\" or \"]\" is missing",
        ),
        ("(;SZ[11];B)".to_owned(), "line 1: expected a value in brackets"),
        ("(SZ[11])".to_owned(), "line 1: unexpected \"S\""),
        (
            r#"{"game":"krk","moves":[]}"#.to_owned(),
            "line 1: the game is \"krk\": other programs' formats have gomoku",
        ),
    ] {
        assert_eq!(moves(&text, None).pop().as_deref(), Some(error), "{text}");
    }
}

#[test]
fn the_games_after_a_refused_one_are_read() {
    let sgf = "(;SZ[11];B[ff])(;SZ[11];B[zz])\n;B[aa]) (;SZ[11];B[gg])";
    let outside = "line 2: this is outside of a game: expected \"(;\"";
    let off = "line 1, move 1: column 26, row 26 is not on the board of 11x11";
    assert_eq!(moves(sgf, None), ["f6", off, outside, "g5"]);
    let psq = "Piskvorky 15x15, 0:0, 0\n1,1,0\n-1\nPiskvorky 11x11, 0:0, 0\n6,6,0\n";
    assert_eq!(moves(psq, None)[1], "f6");
}

#[test]
fn an_unknown_format_is_answered_with_those_that_were_tried() {
    let games = games();
    for (text, found) in [
        ("", "there is nothing in it"),
        (" \n", "there is nothing in it"),
        ("hello", "it begins with \"hello\""),
    ] {
        let variant = file_game(&games, None).expect("there is gomoku");
        let error =
            GameReader::new(text.as_bytes(), variant, &games).expect("memory").expect_err("no format");
        let error = error.to_string();
        assert!(error.starts_with(found) && error.contains("tried Piskvork's .psq"), "{error}");
    }
}

#[test]
fn what_is_written_is_read_as_the_same_stones() {
    let mut rng = Rng::stream(4, 0);
    let stones = |game: &ConvertedGame| -> Vec<String> {
        game.moves.iter().filter(|it| ![BLACK, WHITE].contains(&it.as_str())).cloned().collect()
    };
    let mut refused = 0;
    for number in 0..60 {
        let rules = ["ggp", "spec"][number % 2];
        let variant = file_game(&games(), Some(rules)).expect("there is gomoku");
        let mut session = variant.start();
        while session.moves().len() < number * 2
            && let Some(token) = session.random_move(&mut rng)
        {
            session.play(&token).expect("it is legal");
        }
        let names = ["Anna \\ ]", "Otto"].map(|name| Some(name.to_owned()));
        let seats = seats(&*session, names.clone());
        let end = if session.outcome().is_some() { PlayedEnd::Rules } else { PlayedEnd::Unfinished };
        let scores = session.outcome().map(|_| scores(&*session));
        let game = ConvertedGame {
            game: variant.game.to_string(),
            rules: rules.to_owned(),
            moves: session.moves(),
            seats,
            scores,
            end,
        };
        for format in [TextFormat::Psq, TextFormat::Sgf, TextFormat::Cells] {
            match write(&game, &variant, format) {
                Err(error) if format == TextFormat::Cells && stones(&game).is_empty() => {
                    assert_eq!(error, "a game without stones has no cells");
                }
                Err(error) => {
                    assert!(error.contains("moves where other programs have white to move"), "{error}");
                    assert_eq!(rules, "spec", "{error}");
                    refused += 1;
                }
                Ok(_) if stones(&game).is_empty() => {}
                Ok(text) => {
                    let read = all(&text, Some(rules)).remove(0).expect("it was written").record;
                    assert_eq!((stones(&read), read.end), (stones(&game), game.end), "{text}");
                    let kept =
                        read.seats.into_values().filter(|name| names.contains(&Some(name.clone()))).count();
                    assert_eq!(kept, if format == TextFormat::Cells { 0 } else { 2 }, "{text}");
                }
            }
        }
    }
    assert!(refused > 0, "black moves twice in a row after some set-ups under spec");
}

#[test]
fn records_keep_their_choice_and_become_files_with_the_names_by_color() {
    let line = r#"{"game":"gomoku","rules":"ggp","moves":["F6","g7","e6","black","f7"],"seats":{"player1":"a","player2":"b"},"scores":{"player1":100,"player2":0},"end":"resign","seed":3}"#;
    let game = only(line);
    assert_eq!(game.moves, ["f6", "g7", "e6", "black", "f7"]);
    let variant = file_game(&games(), Some("ggp")).expect("there is gomoku");
    let text = |format| write(&game, &variant, format).expect("colors alternate");
    assert_eq!(
        text(TextFormat::Sgf),
        "(;FF[4]GM[4]CA[UTF-8]SZ[11]PB[b]PW[a]RE[W+R];B[ff];W[ge];B[ef];W[fe])\n"
    );
    assert_eq!(text(TextFormat::Psq), "Piskvorky 11x11, 0:0, 0\n6,6,0\n7,5,0\n5,6,0\n6,5,0\nb\na\n-1\n");
    assert_eq!(text(TextFormat::Cells), "f6g7e6f7\n");
    // Of what would be a move or a code in a .psq, no name is made.
    let named = |name: &str| only(&line.replace("\"b\"", &format!("{name:?}")));
    for name in ["7,7,7", "-1", "Piskvorky 1x1", "7,"] {
        let psq = write(&named(name), &variant, TextFormat::Psq).expect("a text");
        assert!(psq.contains("\nblack\na\n-1\n"), "{psq}");
    }
    for (scores, reason) in [
        (r#"{"player1":100}"#, "scores: expected the roles player1, player2, as a side resigned"),
        (r#"{"player1":100,"nobody":0}"#, "scores: expected the roles player1, player2, as a side resigned"),
        (r#"{"player1":100,"player2":100}"#, "scores: expected 0 for its roles and 100 for the others"),
        (r#"{"player1":50,"player2":50}"#, "scores: expected 0 for its roles and 100 for the others"),
        ("null", "scores: expected the roles player1, player2, as a side resigned"),
    ] {
        let line = line.replace(r#"{"player1":100,"player2":0}"#, scores);
        assert!(all(&line, None)[0].as_ref().is_err_and(|it| it.to_string().contains(reason)), "{scores}");
    }
    let two_lines = write(&named("b\nc"), &variant, TextFormat::Psq).expect("a text");
    assert!(two_lines.contains("\nb c\na\n"), "{two_lines}");
}

//! Games in the formats of other programs.

use quintet_analysis::convert::{GameReader, ReadGame, RefusedGame, TextFormat, file_game, write};
use quintet_protocol::ConvertedGame;

use super::{PROGRAM, check_message};

/// Makes records of games in any format, writes them in each, and reads that back.
pub fn convert(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for game in games(data, None) {
        match game {
            Ok(game) => check(&game.record),
            Err(refused) => check_message(&refused.to_string(), &text),
        }
    }
}

/// The games of a file; none if its format is unknown.
fn games(data: &[u8], rules: Option<&str>) -> Vec<Result<ReadGame, RefusedGame>> {
    let variant = file_game(&PROGRAM.games, rules).expect("there is gomoku");
    let reader = GameReader::new(data, variant, &PROGRAM.games).expect("memory can be read");
    let Ok(mut reader) = reader else { return Vec::new() };
    let mut games = Vec::new();
    while let Some(game) = reader.next_game().expect("memory can be read") {
        games.push(game);
    }
    games
}

fn check(record: &ConvertedGame) {
    let variant = PROGRAM.games.find(&record.game, Some(&record.rules)).expect("it was converted");
    let mut session = variant.start();
    for token in &record.moves {
        session.play(token).expect("a converted game can be replayed");
    }
    for format in [TextFormat::Psq, TextFormat::Sgf, TextFormat::Cells] {
        // Colors need not alternate in records.
        let Ok(text) = write(record, &variant, format) else { continue };
        let mut read = games(text.as_bytes(), Some(&record.rules));
        if stones(record).is_empty() && format == TextFormat::Cells {
            assert!(read.is_empty(), "a blank line is no game");
            continue;
        }
        assert_eq!(read.len(), 1, "{text:?}");
        let again = read.remove(0).unwrap_or_else(|refused| panic!("{text:?}: {refused}"));
        assert_eq!(stones(&again.record), stones(record), "{text:?}");
    }
}

/// The moves without choices of colors.
fn stones(record: &ConvertedGame) -> Vec<&String> {
    record.moves.iter().filter(|token| !["black", "white"].contains(&token.as_str())).collect()
}

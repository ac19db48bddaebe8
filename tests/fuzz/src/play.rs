//! What people type.

use quintet_core::is_deceptive;

use super::{PROGRAM, check_message};

/// Reads lines as `play` does at its prompt, where a person plays all roles.
///
/// The first byte chooses the game, and the lines after it have moves or commands. Wrong lines are
/// skipped.
pub fn play(data: &[u8]) {
    let Some((&first, text)) = data.split_first() else { return };
    let variants = PROGRAM.games.variants();
    let mut session = variants[usize::from(first) % variants.len()].start();
    for line in String::from_utf8_lossy(text).lines() {
        let before = (session.position(), session.moves());
        let moves = quintet::fuzzing::moves_of(&mut *session, line);
        assert_eq!((session.position(), session.moves()), before, "{line:?} has played");
        match moves {
            Ok(None) => {}
            Ok(Some(moves)) => {
                assert!(
                    !moves.is_empty() || line.trim().is_empty() || session.to_move().is_none(),
                    "{line:?}"
                );
                for token in moves {
                    session.play(&token).expect("what it stands for is legal");
                }
            }
            Err(message) => {
                check_message(&message, line);
                assert!(!message.is_empty() && !message.contains(is_deceptive), "{message:?}");
            }
        }
    }
}

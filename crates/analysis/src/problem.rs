//! Positions with known best moves.

use quintet_core::Quoted;
use quintet_core::game::Side;
use quintet_core::registry::Registry;
use quintet_protocol::Problem;

/// Checks a problem of a suite against the rules, and writes its moves as the game does.
///
/// # Errors
/// What is wrong with it.
pub fn check_problem(problem: &mut Problem, games: &Registry) -> Result<(), String> {
    let game = games.find(&problem.game, problem.rules.as_deref()).map_err(|error| error.to_string())?;
    let moves = problem.moves.iter().map(String::as_str);
    let session = game.set_up(problem.position.as_deref(), moves).map_err(|error| error.to_string())?;
    let side = session.to_move().map_or(Side::First, |role| role.side);
    if let Some(value) = problem.value.filter(|value| !session.scores().of(side).contains(*value)) {
        return Err(format!("value: no game ends with the score {value}"));
    }
    if problem.best.is_empty() {
        return Err("best: there is no move".to_owned());
    }
    for (field, moves) in [("best", &mut problem.best), ("unknown", &mut problem.unknown)] {
        for mv in moves {
            *mv = session
                .canonical_token(mv)
                .map_err(|_| format!("{field}: {} is not legal here", Quoted(mv)))?;
        }
    }
    Ok(())
}

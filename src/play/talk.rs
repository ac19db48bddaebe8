//! What the engine says about its moves, and the help.

use std::slice;

use quintet_core::game::Side;
use quintet_core::game::text::are_binary;
use quintet_core::registry::Variant;
use quintet_core::session::Session;
use quintet_protocol::{AnswerMoves, Candidate, LevelElo};

use super::command::COMMANDS;
use super::screen::wrapped;
use super::words;
use crate::levels::Level;
use crate::output::{HEADING, counted, styled};

/// The score that the engine expects after its move and what it knows about the move, in brackets; empty if
/// it knows neither.
pub(super) fn expected(answer: &AnswerMoves) -> String {
    said(answer.candidates.first(), answer.value)
}

/// The same of any move, with its score.
fn said(candidate: Option<&Candidate>, value: Option<f64>) -> String {
    let known = candidate.map_or("", |it| &it.why);
    let score = value.map(|value| format!("expected score {value:.1} of 100"));
    let words = match (candidate.and_then(|it| it.proven), score) {
        (Some(_), _) if known.starts_with("proven") => known.to_owned(),
        (Some(_), Some(score)) if known.is_empty() => format!("proven: {score}"),
        (Some(_), _) => format!("proven: {known}"),
        (None, Some(score)) if known.is_empty() => score,
        (None, Some(score)) => format!("{score}; {known}"),
        (None, None) => known.to_owned(),
    };
    if words.is_empty() { words } else { format!(" ({words})") }
}

/// The move that the engine would play, and why.
pub(super) fn hint(answer: &AnswerMoves) -> Vec<String> {
    let mut texts = vec![format!("hint: {}{}", answer.best, expected(answer))];
    texts.extend(variation(answer));
    texts
}

/// Why the engine played a move.
pub(super) fn why(name: &str, token: &str, answer: &AnswerMoves) -> Vec<String> {
    let effort = match answer.iterations {
        0 => String::new(),
        iterations => format!(" after {} in {:.2} s", counted(iterations, "iteration"), answer.seconds),
    };
    let mut texts = vec![format!("{name} played {token}{}{effort}.", expected(answer))];
    texts.extend(variation(answer));
    texts.extend(others(answer));
    texts.extend(
        match answer.ended.as_deref() {
            Some("proven") => Some("It stopped early: the result is proven."),
            Some("safe leader") => Some("It stopped early: no other move could overtake this one."),
            Some("only move") => Some("It was the only legal move."),
            Some("terminated") => Some("You asked it to move at once."),
            _ => None,
        }
        .map(str::to_owned),
    );
    if answer.iterations == 0 && answer.value.is_none() && answer.ended.is_none() {
        texts.push("This engine does not search.".to_owned());
    }
    texts
}

/// What an adviser says of a move that an engine played, from its own answer there.
pub(super) fn judged(name: &str, adviser: &str, token: &str, answer: &AnswerMoves) -> Vec<String> {
    let played = answer.candidates.iter().find(|it| it.mv == token);
    let mut texts = vec![if answer.best == token {
        format!("{name} played {token}, as {adviser} would{}.", expected(answer))
    } else {
        let of_played = said(played, played.and_then(|it| it.value));
        let (best, of_best) = (&answer.best, expected(answer));
        format!("{name} played {token}{of_played}. {adviser} would have played {best}{of_best}.")
    }];
    texts.extend(variation(answer));
    texts.extend(others(answer));
    texts
}

/// The moves after the best one, with their scores.
fn others(answer: &AnswerMoves) -> Option<String> {
    let other = |it: &Candidate| it.value.map(|value| format!("{} {value:.1}", it.mv));
    let others: Vec<String> = answer.candidates.iter().skip(1).filter_map(other).take(4).collect();
    (!others.is_empty()).then(|| format!("Next best, with their scores: {}.", others.join(", ")))
}

fn variation(answer: &AnswerMoves) -> Option<String> {
    (answer.pv.len() > 1).then(|| format!("principal variation: {}", answer.pv.join(" ")))
}

/// How strong a level is in a game, if that is known.
pub(super) fn worth(level: &Level, variant: &Variant) -> Option<String> {
    let LevelElo { elo: [low, mid, _], bounded, .. } = level.elo(&variant.game, &variant.rules)?;
    let elo = if bounded == [true; 2] { format!("about {mid:.0}") } else { format!("at least {low:.0}") };
    Some(format!("{} is worth {elo} Elo more than random moves here.", level.name))
}

/// The help: how moves are written here, and the commands.
pub(super) fn help(session: &dyn Session) -> Vec<String> {
    let mut lines = vec![styled(HEADING, "Moves")];
    let paragraph = |text: &str| wrapped(text).into_iter();
    lines.extend(paragraph(&format!("{}.", session.variant().about.moves)));
    lines.extend(paragraph(
        "In any case, and shorter if only one legal move begins so. Several moves on one line are played \
         one after another, as long as it is your turn.",
    ));
    let mut start = session.variant().start();
    let legal = start.legal_moves();
    let mut destination = |token: &String| {
        let (from, to) = token.split_once('-')?;
        let with_piece = format!("{}{to}", from.chars().next()?);
        let mut is_taken =
            |word: &str| words::tokens(&mut *start, word).as_deref() == Ok(slice::from_ref(token));
        (is_taken(to) && is_taken(&with_piece)).then(|| (to.to_owned(), with_piece))
    };
    if let Some((to, with_piece)) = legal.iter().find_map(&mut destination) {
        lines.extend(paragraph(&format!(
            "Where a piece goes is enough if only one can go there, {to}, or with the piece, {with_piece}."
        )));
    }
    if are_binary(&legal) {
        lines.extend(paragraph("A piece may be a number too: 5 is 0101, 11 and b are 1011."));
    }
    if let Some((turn, word)) = turn_of_a_team(session) {
        lines.extend(paragraph(&format!(
            "A whole turn may be one line, in any order, {turn}, or one word of the numbers in this order, \
             {word}."
        )));
    }
    lines.extend([String::new(), styled(HEADING, "Commands")]);
    for listed in &COMMANDS {
        lines.extend(paragraph(&format!("{:<10} {}", listed.usage(), listed.what)));
    }
    lines.extend(paragraph(
        "A / or : may stand before a command. Ctrl-C while the engine thinks: it moves at once; at the \
         prompt: the game ends.",
    ));
    lines
}

/// A turn of a team with several roles, as moves in the order of the roles, and as one word.
fn turn_of_a_team(session: &dyn Session) -> Option<(String, String)> {
    let variant = session.variant();
    let team: Vec<&str> =
        variant.roles.iter().filter(|it| it.side == Side::First).map(|it| &*it.name).collect();
    let mut session = variant.start();
    let mut tokens = vec![String::new(); team.len()];
    for number in 1..=team.len() {
        let role = session.to_move()?;
        let index = team.iter().position(|it| *it == role.name)?;
        let legal = session.legal_moves();
        tokens[index].clone_from(&legal[number % legal.len()]);
        session.play(&tokens[index]).ok()?;
    }
    let word = tokens.iter().filter_map(|token| token.chars().last()).collect();
    (team.len() > 1).then(|| (tokens.join(" "), word))
}

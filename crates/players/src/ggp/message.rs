//! The messages of a server.

use std::mem;
use std::time::Duration;

use quintet_core::Quoted;

use quintet_gdl::kif::Kif;

/// The messages of a server, except for those with rules.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Message {
    Info,
    Ping,
    Play { id: String, moves: JointMove },
    Stop { id: String, moves: JointMove },
    Abort { id: String },
}

/// The moves that all roles have made at the same time, in the order of the roles and in lower case;
/// `None` before the first.
pub(super) type JointMove = Option<Vec<Kif>>;

/// A match begins.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "the protocol calls the clock so")]
pub(super) struct Start {
    pub(super) id: String,
    /// In lower case.
    pub(super) role: String,
    pub(super) rules: Vec<Kif>,
    /// The time from this message to the first move.
    pub(super) start_clock: Duration,
    /// The time for every move.
    pub(super) play_clock: Duration,
}

/// The longest name of a match, in bytes.
const LONGEST: usize = 200;
/// The longest clock; a longer one is taken for this.
const MAX_CLOCK: Duration = Duration::from_secs(24 * 60 * 60);

/// The name of a message in upper case, and its arguments.
fn parts(text: &str) -> Result<(String, Vec<Kif>), String> {
    let Kif::List(mut list) = Kif::parse(text)? else { return Err("the message is no list".to_owned()) };
    let kind = list.first().and_then(Kif::symbol).unwrap_or_default().to_ascii_uppercase();
    list.drain(..list.len().min(1));
    Ok((kind, list))
}

impl Message {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (kind, arguments) = parts(text)?;
        match (&*kind, &arguments[..]) {
            ("INFO", []) => Ok(Self::Info),
            ("PING", []) => Ok(Self::Ping),
            ("PLAY", [id, moves]) => {
                Ok(Self::Play { id: symbol("PLAY", "a match", id)?, moves: told(&kind, moves)? })
            }
            ("STOP", [id, moves]) => {
                Ok(Self::Stop { id: symbol("STOP", "a match", id)?, moves: told(&kind, moves)? })
            }
            ("ABORT", [id]) => Ok(Self::Abort { id: symbol("ABORT", "a match", id)? }),
            _ => Err(wrong(&kind, arguments.len())),
        }
    }
}

impl Start {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (kind, mut arguments) = parts(text)?;
        // Later versions of the protocol may add arguments.
        match (&*kind, &mut arguments[..]) {
            ("START", [id, role, rules, start_clock, play_clock, ..]) => Ok(Self {
                id: symbol("START", "a match", id)?,
                role: symbol("START", "a role", role)?.to_ascii_lowercase(),
                rules: rules_of("START", rules)?,
                start_clock: clock("START", start_clock)?,
                play_clock: clock("START", play_clock)?,
            }),
            _ => Err(wrong(&kind, arguments.len())),
        }
    }
}

/// The rules of a PREVIEW.
pub(super) fn previewed(text: &str) -> Result<Vec<Kif>, String> {
    let (kind, mut arguments) = parts(text)?;
    match (&*kind, &mut arguments[..]) {
        ("PREVIEW", [rules, preview_clock]) => {
            clock("PREVIEW", preview_clock)?;
            rules_of("PREVIEW", rules)
        }
        _ => Err(wrong(&kind, arguments.len())),
    }
}

/// The messages with their arguments.
const USES: [(&str, &str); 7] = [
    ("INFO", ""),
    ("PING", ""),
    ("START", " MATCH ROLE (RULES) STARTCLOCK PLAYCLOCK"),
    ("PLAY", " MATCH (MOVES)"),
    ("STOP", " MATCH (MOVES)"),
    ("ABORT", " MATCH"),
    ("PREVIEW", " (RULES) CLOCK"),
];

/// What is wrong with a message that has the wrong name or the wrong number of arguments.
fn wrong(kind: &str, arguments: usize) -> String {
    let form = USES.iter().find(|(known, _)| *known == kind).map(|(_, form)| form);
    let known = USES.map(|(known, _)| known).join(", ");
    form.map_or_else(
        || format!("unknown message {}; known: {known}", Quoted(kind)),
        |form| format!("{kind}: expected ({kind}{form}), but got {arguments} arguments"),
    )
}

fn symbol(kind: &str, what: &str, kif: &Kif) -> Result<String, String> {
    let text = kif.symbol().ok_or_else(|| format!("{kind}: {what} is a symbol, not a list"))?;
    if text.len() > LONGEST {
        return Err(format!("{kind}: {} is longer than {LONGEST} bytes", Quoted(text)));
    }
    Ok(text.to_owned())
}

fn rules_of(kind: &str, kif: &mut Kif) -> Result<Vec<Kif>, String> {
    match kif {
        Kif::List(rules) => Ok(mem::take(rules)),
        Kif::Symbol(symbol) => Err(format!("{kind}: the rules are a list, not {}", Quoted(symbol))),
    }
}

/// Reads a clock in seconds.
fn clock(kind: &str, kif: &Kif) -> Result<Duration, String> {
    let text = kif.to_string();
    let seconds: Option<f64> = text.parse().ok().filter(|it: &f64| it.is_finite() && *it >= 0.0);
    let seconds = seconds.ok_or_else(|| format!("{kind}: {} is not a clock in seconds", Quoted(&text)))?;
    Ok(Duration::try_from_secs_f64(seconds).unwrap_or(MAX_CLOCK).min(MAX_CLOCK))
}

/// Reads the moves of a step; before the first one there are none.
fn told(kind: &str, kif: &Kif) -> Result<JointMove, String> {
    match kif {
        Kif::List(moves) if moves.is_empty() => Ok(None),
        Kif::List(moves) => Ok(Some(moves.iter().map(Kif::normal).collect())),
        Kif::Symbol(symbol) if symbol.eq_ignore_ascii_case("nil") => Ok(None),
        Kif::Symbol(symbol) => Err(format!("{kind}: the moves are a list or NIL, not {}", Quoted(symbol))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintet_gdl::kif::head;

    #[test]
    fn messages_are_read_in_upper_and_lower_case() {
        let kif = |text| Kif::parse(text).expect("it is right");
        assert_eq!(Message::parse("( info )"), Ok(Message::Info));
        assert_eq!(Message::parse("(Ping)"), Ok(Message::Ping));
        assert_eq!(
            Start::parse("(START M.1 White ((role white)) 10 2.5)"),
            Ok(Start {
                id: "M.1".to_owned(),
                role: "white".to_owned(),
                rules: vec![kif("(role white)")],
                start_clock: Duration::from_secs(10),
                play_clock: Duration::from_millis(2500),
            })
        );
        let play = |moves| Ok(Message::Play { id: "m".to_owned(), moves });
        assert_eq!(Message::parse("(play m nil)"), play(None));
        assert_eq!(Message::parse("(PLAY m ())"), play(None));
        assert_eq!(
            Message::parse("(Play m (noop (mark 1)))"),
            play(Some(vec![kif("noop"), kif("(mark 1)")]))
        );
        assert_eq!(
            Message::parse("(STOP m (noop))"),
            Ok(Message::Stop { id: "m".to_owned(), moves: Some(vec![kif("noop")]) })
        );
        assert_eq!(Message::parse("(ABORT m)"), Ok(Message::Abort { id: "m".to_owned() }));
        assert_eq!(previewed("(preview ((role a)) 5)"), Ok(vec![kif("(role a)")]));
    }

    #[test]
    fn wrong_messages_are_refused_with_what_is_wrong() {
        for (text, part) in [
            ("", "empty"),
            ("info", "no list"),
            ("()", "unknown message \"\"; known: INFO, PING, START"),
            ("((info))", "unknown message"),
            ("(dance m)", "unknown message \"DANCE\""),
            ("(info now)", "INFO: expected (INFO), but got 1 arguments"),
            ("(play m)", "PLAY: expected (PLAY MATCH (MOVES)), but got 1"),
            ("(play m noop)", "PLAY: the moves are a list or NIL, not \"noop\""),
            ("(stop m noop)", "STOP: the moves are a list or NIL, not \"noop\""),
            ("(start m white ((role white)) 10)", "START: expected (START MATCH ROLE"),
            ("(start m white rules 10 5)", "START: the rules are a list, not \"rules\""),
            ("(start m white () soon 5)", "START: \"soon\" is not a clock"),
            ("(start m white () 10 -5)", "START: \"-5\" is not a clock"),
            ("(start m white () 10 nan)", "START: \"nan\" is not a clock"),
            ("(start m (white) () 10 5)", "START: a role is a symbol"),
            ("(preview ((role a)) soon)", "PREVIEW: \"soon\" is not a clock"),
            ("(preview ((role a)))", "PREVIEW: expected (PREVIEW (RULES) CLOCK), but got 1"),
            ("(abort (m))", "ABORT: a match is a symbol"),
            (&format!("(abort {})", "m".repeat(201)), "is longer than 200 bytes"),
        ] {
            let error = match head(text).map(str::to_ascii_uppercase).as_deref() {
                Some("START") => Start::parse(text).expect_err(text),
                Some("PREVIEW") => previewed(text).expect_err(text),
                _ => Message::parse(text).expect_err(text),
            };
            assert!(error.contains(part), "{text}: {error}");
        }
        let start = Start::parse("(start m a () 1e30 0)").expect("it is right");
        assert_eq!((start.start_clock, start.play_clock), (MAX_CLOCK, Duration::ZERO));
    }
}

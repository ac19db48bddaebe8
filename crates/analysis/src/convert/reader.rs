//! Games from a stream, whose format its beginning tells.

use std::fmt;
use std::io::{self, BufRead, Cursor, Read as _};

use indexmap::IndexMap;
use quintet_core::Quoted;
use quintet_core::registry::{Registry, STANDARD, UnknownName, Variant};
use quintet_core::session::Session;
use quintet_protocol::gomocup::SIZE;
use quintet_protocol::{ConvertedGame, ConvertedText, Id, PlayedEnd, RecordToConvert, next_line};

use super::{FileGame, GAME, ReadGame, RefusedGame, cells, line_ends, psq, seats, sgf};
use crate::answer::scores;

/// The bytes by which the format is known.
const HEAD: u64 = 16;

/// The content is in no format that is known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{found}: tried Piskvork's .psq (\"Piskvorky {SIZE}x{SIZE}\"), SGF (\"(;\"), cells (\"f6g7e6\") and JSON \
     lines (\"{{\")"
)]
pub struct UnknownFormat {
    found: String,
}

/// The games of a file.
pub struct GameReader<'a> {
    input: Box<dyn BufRead + 'a>,
    format: Source,
    /// The number of the last line that was read; in SGF of the line of the next byte.
    line: usize,
    /// The game of what does not name its ruleset.
    variant: Variant,
    games: &'a Registry,
}

impl fmt::Debug for GameReader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GameReader").field("line", &self.line).finish_non_exhaustive()
    }
}

enum Source {
    Psq {
        /// The first line of the next game and its number.
        next: Option<(String, usize)>,
    },
    Sgf,
    Cells,
    Records,
}

impl<'a> GameReader<'a> {
    /// Looks at the beginning of a file. `variant` is the game of what does not name its ruleset.
    ///
    /// # Errors
    /// Those of the input; an inner error if the format is unknown.
    pub fn new(
        mut input: impl BufRead + 'a,
        variant: Variant,
        games: &'a Registry,
    ) -> io::Result<Result<Self, UnknownFormat>> {
        let mut lines = skip_blanks(&mut input)?;
        let mut head = Vec::new();
        (&mut input).take(HEAD).read_to_end(&mut head)?;
        if let Some(content) = head.strip_prefix("\u{feff}".as_bytes()) {
            // A byte order mark, which some editors write.
            let blanks = content.iter().take_while(|it| it.is_ascii_whitespace()).count();
            lines += line_ends(&content[..blanks]);
            head = content[blanks..].to_vec();
        }
        let (format, line) = match &head[..] {
            head if psq::is_start(head) => (Source::Psq { next: None }, lines),
            head if sgf::is_start(head) => (Source::Sgf, lines + 1),
            head if cells::is_start(head) => (Source::Cells, lines),
            [b'{', ..] => (Source::Records, lines),
            [] => return Ok(Err(UnknownFormat { found: "there is nothing in it".to_owned() })),
            head => {
                let start = String::from_utf8_lossy(head);
                return Ok(Err(UnknownFormat { found: format!("it begins with {}", Quoted(start.trim())) }));
            }
        };
        let input = Box::new(Cursor::new(head).chain(input));
        Ok(Ok(Self { input, format, line, variant, games }))
    }

    /// The next game; `None` at the end.
    ///
    /// # Errors
    /// Those of the input; an inner error if the game can't be converted. The games after it can be read.
    pub fn next_game(&mut self) -> io::Result<Option<Result<ReadGame, RefusedGame>>> {
        let game = match &self.format {
            Source::Psq { .. } => self.next_psq()?,
            Source::Sgf => {
                let tree = sgf::next_tree(&mut self.input, &mut self.line)?;
                tree.map(|tree| tree.and_then(|(line, tree)| sgf::read(&tree, line)))
            }
            Source::Cells => {
                let text = self.next_text()?;
                text.map(|text| text.and_then(|(text, line)| cells::read(&text, line)))
            }
            Source::Records => {
                let text = self.next_text()?;
                return Ok(text.map(|text| text.and_then(|(text, line)| self.record(&text, line))));
            }
        };
        Ok(game.map(|game| game.and_then(|game| game.record(&self.variant))))
    }

    /// The next line that is not blank, without blanks around it, and its number.
    fn next_text(&mut self) -> io::Result<Option<Result<(String, usize), RefusedGame>>> {
        loop {
            let Some(line) = next_line(&mut self.input)? else { return Ok(None) };
            self.line += 1;
            let line = match line {
                Ok(line) => line,
                Err(message) => return Ok(Some(Err(RefusedGame::at(self.line, message)))),
            };
            let text = String::from_utf8_lossy(&line).trim().to_owned();
            if !text.is_empty() {
                return Ok(Some(Ok((text, self.line))));
            }
        }
    }

    fn next_psq(&mut self) -> io::Result<Option<Result<FileGame, RefusedGame>>> {
        let first = match &mut self.format {
            Source::Psq { next } => next.take().map(Ok),
            _ => None,
        };
        let first = match first {
            Some(first) => Some(first),
            None => self.next_text()?,
        };
        let (text, line) = match first {
            None => return Ok(None),
            Some(Err(wrong)) => return Ok(Some(Err(wrong))),
            Some(Ok(first)) => first,
        };
        let mut game = psq::Game::begin(&text, line);
        loop {
            match self.next_text()? {
                None => break,
                Some(Err(wrong)) => game.refuse(wrong),
                Some(Ok((text, line))) if psq::is_start(text.as_bytes()) => {
                    self.format = Source::Psq { next: Some((text, line)) };
                    break;
                }
                Some(Ok((text, line))) => game.line(&text, line),
            }
        }
        Ok(Some(game.end()))
    }

    /// Reads a record.
    fn record(&self, text: &str, line: usize) -> Result<ReadGame, RefusedGame> {
        let wrong = |message: String| RefusedGame::at(line, message);
        let object = quintet_protocol::object(text.as_bytes()).map_err(wrong)?;
        let record: RecordToConvert = quintet_protocol::read(object).map_err(wrong)?;
        if record.game != GAME {
            return Err(wrong(format!(
                "the game is {}: other programs' formats have {GAME}",
                Quoted(&record.game)
            )));
        }
        if record.position.is_some() {
            let reason = "it starts from a position, and other programs' formats from the empty board";
            return Err(wrong(reason.to_owned()));
        }
        let variant = self.games.find(&record.game, record.rules.as_deref());
        let variant = variant.map_err(|error| wrong(error.to_string()))?;
        let mut session = variant.start();
        for (index, token) in record.moves.iter().enumerate() {
            session.play(token).map_err(|error| wrong(format!("ply {}: {error}", index + 1)))?;
        }
        let known = record.seats.unwrap_or_default();
        let mut seats = seats(&*session, [None, None]);
        for (role, name) in &mut seats {
            if let Some(known) = known.get(role) {
                name.clone_from(known);
            }
        }
        let resigned = match record.end.as_deref() {
            Some("resign") => Some(resigned(&*session, record.scores.as_ref()).map_err(wrong)?),
            _ => None,
        };
        let (scores, end) = match (session.outcome(), resigned) {
            (Some(_), _) => (Some(scores(&*session)), PlayedEnd::Rules),
            (None, Some(scores)) => (Some(scores), PlayedEnd::Resign),
            (None, None) => (None, PlayedEnd::Unfinished),
        };
        let (game, rules) = (variant.game.to_string(), variant.rules.to_string());
        let record = ConvertedGame { game, rules, moves: session.moves(), seats, scores, end };
        Ok(ReadGame { record, line, variations: 0 })
    }
}

/// The scores of a game in which a side resigned, in the order of the roles.
fn resigned(
    session: &dyn Session,
    given: Option<&IndexMap<String, u8>>,
) -> Result<IndexMap<String, u8>, String> {
    let mut expected = scores(session);
    let names = expected.keys().cloned().collect::<Vec<_>>().join(", ");
    let wrong = |what: &str| format!("scores: expected {what}, as a side resigned");
    let given =
        given.filter(|it| it.len() == expected.len() && expected.keys().all(|role| it.contains_key(role)));
    let given = given.ok_or_else(|| wrong(&format!("the roles {names}")))?;
    for (role, score) in &mut expected {
        *score = given[role];
    }
    let of = |wanted: u8| expected.values().filter(|&&score| score == wanted).count();
    if of(0) == 0 || of(100) == 0 || of(0) + of(100) < expected.len() {
        return Err(wrong("0 for its roles and 100 for the others"));
    }
    Ok(expected)
}

/// Skips blanks and returns the number of line ends among them.
fn skip_blanks(input: &mut impl BufRead) -> io::Result<usize> {
    let mut lines = 0;
    loop {
        let buffer = input.fill_buf()?;
        let blanks = buffer.iter().take_while(|it| it.is_ascii_whitespace()).count();
        lines += line_ends(&buffer[..blanks]);
        let is_done = blanks < buffer.len() || buffer.is_empty();
        input.consume(blanks);
        if is_done {
            return Ok(lines);
        }
    }
}

/// The game of files that do not name its ruleset: under this one, or as people know it.
///
/// # Errors
/// [`UnknownName`] if there is no such ruleset, or no Gomoku.
pub fn file_game(games: &Registry, rules: Option<&str>) -> Result<Variant, UnknownName> {
    games.find(GAME, rules.or(Some(STANDARD)))
}

/// Makes records of the games in a text.
///
/// # Errors
/// What is wrong with the text as a whole.
pub(crate) fn converted(
    id: Id,
    text: &str,
    rules: Option<&str>,
    games: &Registry,
) -> Result<ConvertedText, String> {
    /// The most games: an answer is one line.
    const MOST: usize = 1000;
    let variant = file_game(games, rules).map_err(|error| error.to_string())?;
    let reader = GameReader::new(text.as_bytes(), variant, games).map_err(|error| error.to_string())?;
    let mut reader = reader.map_err(|error| error.to_string())?;
    let (mut records, mut errors) = (Vec::new(), Vec::new());
    while let Some(game) = reader.next_game().map_err(|error| error.to_string())? {
        if records.len() + errors.len() == MOST {
            return Err(format!("there are more than {MOST} games in this text"));
        }
        match game {
            Ok(game) => records.push(game.record),
            Err(refused) => errors.push(refused.to_string()),
        }
    }
    Ok(ConvertedText { id, records, errors })
}

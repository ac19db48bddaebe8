//! Records in the formats of other programs.

use std::fmt::Write as _;

use quintet_core::registry::Variant;
use quintet_protocol::gomocup::{Cell, SIZE};
use quintet_protocol::{ConvertedGame, PlayedEnd};

use super::psq::is_name;
use super::{BLACK, Color, WHITE, owner};

/// A format of other programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextFormat {
    /// The `.psq` of Piskvork.
    Psq,
    /// SGF.
    Sgf,
    /// Cells, one game a line.
    Cells,
}

/// A game as other programs see it.
struct Stones {
    cells: Vec<(Cell, String)>,
    /// The names of black and white.
    names: [String; 2],
    /// The result as SGF has it; `None` if the game is unfinished.
    result: Option<String>,
}

/// Returns the text of a game, with its line end.
///
/// # Errors
/// What the format can't tell, or what is wrong with the record, in words for people.
pub fn write(game: &ConvertedGame, variant: &Variant, format: TextFormat) -> Result<String, String> {
    let stones = Stones::of(game, variant)?;
    Ok(match format {
        TextFormat::Cells if stones.cells.is_empty() => {
            return Err("a game without stones has no cells".to_owned());
        }
        TextFormat::Psq => stones.psq(),
        TextFormat::Sgf => stones.sgf(),
        TextFormat::Cells => stones.cells.iter().map(|(_, token)| token.as_str()).collect::<String>() + "\n",
    })
}

impl Stones {
    fn of(game: &ConvertedGame, variant: &Variant) -> Result<Self, String> {
        let mut session = variant.start();
        let mut cells = Vec::new();
        for (index, token) in game.moves.iter().enumerate() {
            let wrong = |error: String| format!("ply {}: {error}", index + 1);
            let color = session.mover_color();
            session.play(token).map_err(|error| wrong(error.to_string()))?;
            // The others pick colors.
            let Some(cell) = Cell::named(token, SIZE) else { continue };
            let expected = Color::of(cells.len()).name();
            if let Some(color) = color.filter(|color| *color != expected) {
                let reason = format!(
                    "{color} moves where other programs have {expected} to move: colors alternate there"
                );
                return Err(wrong(reason));
            }
            cells.push((cell, token.clone()));
        }
        let black = owner(&*session, Color::Black);
        let of_side = |side| variant.roles.iter().find(|role| role.side == side).map(|role| &*role.name);
        let name = |color: Color| {
            let side = if color == Color::Black { black } else { black.opponent() };
            let name = of_side(side).and_then(|role| game.seats.get(role)).cloned();
            // A line end would begin another line.
            let one_line: Option<String> = name
                .map(|it| it.split_whitespace().collect::<Vec<_>>().join(" "))
                .filter(|it| !it.is_empty());
            one_line.unwrap_or_else(|| color.name().to_owned())
        };
        let score = of_side(black).and_then(|role| game.scores.as_ref()?.get(role));
        let how = if game.end == PlayedEnd::Resign { "R" } else { "" };
        let result = score.map(|&score| match score {
            50 => "0".to_owned(),
            0..50 => format!("W+{how}"),
            _ => format!("B+{how}"),
        });
        let names = [name(Color::Black), name(Color::White)];
        Ok(Self { cells, names, result })
    }

    fn psq(&self) -> String {
        let mut text = format!("Piskvorky {SIZE}x{SIZE}, 0:0, 0\n");
        for (cell, _) in &self.cells {
            let _ = writeln!(text, "{},{},0", cell.x + 1, cell.y + 1);
        }
        for (name, color) in self.names.iter().zip([BLACK, WHITE]) {
            // Another line would be taken for a move or a code.
            let _ = writeln!(text, "{}", if is_name(name) { name } else { color });
        }
        text + "-1\n"
    }

    fn sgf(&self) -> String {
        let escaped = |text: &str| text.replace('\\', "\\\\").replace(']', "\\]");
        let [black, white] = [&self.names[0], &self.names[1]].map(|name| escaped(name));
        let mut text = format!("(;FF[4]GM[4]CA[UTF-8]SZ[{SIZE}]PB[{black}]PW[{white}]");
        if let Some(result) = &self.result {
            let _ = write!(text, "RE[{result}]");
        }
        for (index, (cell, _)) in self.cells.iter().enumerate() {
            let letter = |at: i64| u8::try_from(at).map_or('?', |at| char::from(b'a' + at));
            let color = if Color::of(index).name() == WHITE { 'W' } else { 'B' };
            let _ = write!(text, ";{color}[{}{}]", letter(cell.x), letter(cell.y));
        }
        text + ")\n"
    }
}

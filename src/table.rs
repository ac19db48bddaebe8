//! `quintet table`

use std::collections::BTreeSet;
use std::io::Write;

use anyhow::Context as _;
use quintet_core::game::{Game, Notation, Outcome, Side};
use quintet_core::registry::{Registry, Variant};
use quintet_games::krk::knowledge::{self as krk, Histogram, RatedMove, TableValue};
use quintet_games::{Ggp, Krk, Ruleset, Spec};
use quintet_protocol::{Counted, CountedTable, LookedUp, TableMove};

use super::Status;
use super::flags::RULES;
use super::output::{BEST, HEADING, TextTable, counted_plies, styled, thousands};

/// Look up a position in the table of a solved game, or count the positions of the table
///
/// The table of krk has the plies to mate for every placement of the three pieces. With --position,
/// shows who wins and the result of each move under perfect play. Without it, counts all placements
/// by plies to mate, ignoring the step limit.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  {name} table krk\n  \
                        {name} table krk --position \"k3/4/4/2KR w 1\"")]
pub(crate) struct Args {
    /// The game
    #[arg(value_parser = ["krk"])]
    game: String,
    /// The ruleset, or standard for the one that people know; see `games krk` [default: spec]
    #[arg(long = "rules", id = RULES)]
    rules: Option<String>,
    /// The position to look up: board, side to move and step
    #[arg(long, value_name = "STRING")]
    position: Option<String>,
    /// Print the answer as one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, games: &Registry, out: &mut dyn Write) -> anyhow::Result<Status> {
    let variant = games.find(&args.game, args.rules.as_deref())?;
    match variant.rules {
        "ggp" => show::<Ggp>(args, variant, out)?,
        _ => show::<Spec>(args, variant, out)?,
    }
    Ok(Status::Done)
}

/// Shows a position of the table, or its counts.
fn show<R: Ruleset>(args: &Args, variant: Variant, out: &mut dyn Write) -> anyhow::Result<()> {
    let title = format!("{} ({})", Krk::<R>::ABOUT.title, variant.rules);
    if let Some(text) = &args.position {
        let entry = look_up::<R>(text).with_context(|| format!("{} ({})", variant.game, variant.rules))?;
        if args.json {
            writeln!(out, "{}", serde_json::to_string(&entry.line(variant))?)?;
        } else {
            entry.print(&title, out)?;
        }
    } else {
        let columns = count::<R>();
        if args.json {
            let counts = columns.iter().map(Column::line).collect();
            let line =
                CountedTable { game: variant.game.to_owned(), rules: variant.rules.to_owned(), counts };
            writeln!(out, "{}", serde_json::to_string(&line)?)?;
        } else {
            print_columns(&title, &columns, out)?;
        }
    }
    Ok(())
}

/// The entry of a position in the table.
struct Entry {
    position: String,
    drawing: String,
    white_to_move: bool,
    /// The result under all rules, including the step limit.
    end: TableValue,
    /// The plies to mate without the step limit.
    mate_in: Option<u32>,
    best: Vec<String>,
    moves: Vec<Move>,
}

/// A move; its plies are counted from the position before it.
struct Move {
    token: String,
    end: TableValue,
    mate_in: Option<u32>,
}

fn look_up<R: Ruleset>(text: &str) -> anyhow::Result<Entry> {
    let position: Krk<R> = text.parse()?;
    let best = krk::best_moves(&position);
    let moves = krk::rated_moves(&position).into_iter();
    Ok(Entry {
        position: position.to_string(),
        drawing: position.draw(best.first().copied()),
        white_to_move: position.side_to_move() == Side::First,
        end: krk::value(&position),
        mate_in: krk::mate_in(&position),
        best: best.iter().map(ToString::to_string).collect(),
        moves: moves
            .map(|RatedMove { mv, value, mate_in }| Move { token: mv.to_string(), end: value, mate_in })
            .collect(),
    })
}

/// Returns the role that wins; `None` for a draw.
const fn winner(end: TableValue) -> Option<&'static str> {
    match end.outcome {
        Outcome::Win(side) => Some(role(matches!(side, Side::First))),
        Outcome::Draw => None,
    }
}

const fn role(white: bool) -> &'static str {
    if white { "white" } else { "black" }
}

impl Entry {
    fn line(&self, variant: Variant) -> LookedUp {
        let winner = |end: TableValue| winner(end).map(str::to_owned);
        let moves = self.moves.iter().map(|Move { token, end, mate_in }| TableMove {
            mv: token.clone(),
            winner: winner(*end),
            plies: end.plies,
            mate_in: *mate_in,
        });
        LookedUp {
            game: variant.game.to_owned(),
            rules: variant.rules.to_owned(),
            position: self.position.clone(),
            to_move: role(self.white_to_move).to_owned(),
            terminal: self.moves.is_empty(),
            winner: winner(self.end),
            plies: self.end.plies,
            mate_in: self.mate_in,
            best: self.best.clone(),
            moves: moves.collect(),
        }
    }

    fn print(&self, title: &str, out: &mut dyn Write) -> anyhow::Result<()> {
        let is_over = self.moves.is_empty();
        let state = if is_over {
            "the game is over".to_owned()
        } else {
            format!("{} to move", role(self.white_to_move))
        };
        writeln!(out, "{}: {state}\n", styled(HEADING, title))?;
        writeln!(out, "{}\nposition: {}\n", self.drawing, self.position)?;
        writeln!(out, "{}", styled(BEST, self.verdict()))?;
        if self.end.outcome == Outcome::Win(Side::Second) {
            let mate = match self.mate_in {
                Some(mate) => format!("mate in {}", counted_plies(mate)),
                None => "no mate".to_owned(),
            };
            writeln!(out, "without the step limit: {mate}")?;
        }
        if is_over {
            return Ok(());
        }
        writeln!(out, "best: {}\n", self.best.join(" "))?;
        let result =
            |end: TableValue| winner(end).map_or("draw".to_owned(), |winner| format!("{winner} wins"));
        let mut table = TextTable::new(2, ["move", "result", "plies", "mate without limit"]);
        for it in &self.moves {
            table.row([
                it.token.clone(),
                result(it.end),
                it.end.plies.to_string(),
                it.mate_in.map_or_else(|| "-".to_owned(), |plies| plies.to_string()),
            ]);
        }
        table.print(out)?;
        Ok(())
    }

    fn verdict(&self) -> String {
        match (self.end.outcome, self.end.plies) {
            (Outcome::Win(Side::First), 0) => "white wins: checkmate".to_owned(),
            (Outcome::Win(Side::First), count) => format!("white wins: mate in {}", counted_plies(count)),
            (Outcome::Win(Side::Second), 0) => "black wins".to_owned(),
            (Outcome::Win(Side::Second), count) => format!("black wins in {}", counted_plies(count)),
            (Outcome::Draw, _) => "draw".to_owned(),
        }
    }
}

/// The counts of one group of placements.
struct Column {
    heading: &'static str,
    white_to_move: bool,
    /// Whether the black king is attacked; `None` for both cases.
    attacked: Option<bool>,
    histogram: Histogram,
}

fn count<R: Ruleset>() -> Vec<Column> {
    let column = |heading, white_to_move: bool, attacked: Option<bool>| Column {
        heading,
        white_to_move,
        attacked,
        histogram: krk::histogram(|position: &Krk<R>| {
            (position.side_to_move() == Side::First) == white_to_move
                && attacked.is_none_or(|attacked| position.black_king_is_attacked() == attacked)
        }),
    };
    vec![
        column("white to move", true, Some(false)),
        column("black to move", false, None),
        // Impossible in play, but a position string may have it.
        column("white to move, black attacked", true, Some(true)),
    ]
}

impl Column {
    fn line(&self) -> Counted {
        let Histogram { mate_in, stuck, escapes } = &self.histogram;
        Counted {
            to_move: role(self.white_to_move).to_owned(),
            black_king_attacked: self.attacked,
            placements: self.histogram.placements(),
            won: self.histogram.won(),
            mate_in: mate_in.iter().map(|(plies, &count)| (plies.to_string(), count)).collect(),
            stuck: *stuck,
            escapes: *escapes,
        }
    }
}

fn print_columns(title: &str, columns: &[Column], out: &mut dyn Write) -> anyhow::Result<()> {
    writeln!(out, "{}: all placements by the plies to mate\n", styled(HEADING, title))?;
    let headings = ["plies to mate"].into_iter().chain(columns.iter().map(|column| column.heading));
    let mut table = TextTable::new(1, headings);
    let mut row = |label: String, count: &dyn Fn(&Histogram) -> u32| {
        let counts = columns.iter().map(|column| thousands(count(&column.histogram).into()));
        table.row([label].into_iter().chain(counts));
    };
    let all_plies: BTreeSet<u32> =
        columns.iter().flat_map(|column| column.histogram.mate_in.keys().copied()).collect();
    for plies in all_plies {
        row(plies.to_string(), &|it| it.mate_in.get(&plies).copied().unwrap_or_default());
    }
    row("won by white".to_owned(), &Histogram::won);
    row("stuck, no check".to_owned(), &|it| it.stuck);
    row("black escapes".to_owned(), &|it| it.escapes);
    row("all".to_owned(), &Histogram::placements);
    table.print(out)?;
    Ok(())
}

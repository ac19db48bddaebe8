//! `quintet table`

use std::collections::BTreeSet;
use std::io::Write;

use anyhow::Context as _;
use clap::ValueEnum;
use quintet_core::game::{Game, Notation, Outcome, Side};
use quintet_core::registry::{Registry, STANDARD};
use quintet_games::krk::knowledge::{self as krk, Histogram, RatedMove, TableValue, chess};
use quintet_games::{Ggp, Krk, Ruleset, Spec};
use quintet_protocol::{Counted, CountedTable, LookedUp, TableMove};

use super::Status;
use super::output::{BEST, HEADING, TextTable, styled, thousands};

/// Look up a position in the table of a solved game, or count the positions of the table
///
/// The table of krk has the plies to mate for every placement of the three pieces. With --position,
/// shows who wins and the result of each move under perfect play. Without it, counts all placements
/// by plies to mate, ignoring the step limit.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  {name} table krk\n  \
                        {name} table krk --position \"k3/4/4/2KR w 1\"\n  \
                        {name} table krk --rules chess --position \"8/8/8/8/8/2k5/8/K6R w\"")]
pub(crate) struct Args {
    /// The game
    #[arg(value_enum)]
    game: SolvedGame,
    /// The rules
    #[arg(long, value_enum, default_value_t = Rules::Spec)]
    rules: Rules,
    /// The position to look up: board and side to move, and for spec and ggp the step
    #[arg(long, value_name = "STRING")]
    position: Option<String>,
    /// Print the answer as one JSON object
    #[arg(long)]
    json: bool,
}

/// A game that has a table.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum SolvedGame {
    /// King and rook against king
    Krk,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Rules {
    /// 4×4, white has to mate within 10 plies
    Spec,
    /// 4×4, white has to mate within 9 plies
    Ggp,
    /// 8×8, the rules of chess, no limit
    Chess,
    /// Those of the two on 4×4 that people know; see `games krk`
    Standard,
}

impl Rules {
    /// Returns the rules that `games` means by these.
    fn resolved(self, games: &Registry) -> anyhow::Result<Self> {
        if self != Self::Standard {
            return Ok(self);
        }
        let named = games.find("krk", Some(STANDARD))?.rules;
        let found = [Self::Spec, Self::Ggp].into_iter().find(|it| it.name() == named);
        found.with_context(|| format!("there is no table for krk under {named}"))
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Spec => "spec",
            Self::Ggp => "ggp",
            Self::Chess => "chess",
            Self::Standard => STANDARD,
        }
    }

    fn title(self) -> String {
        format!("{} ({})", Krk::<Spec>::ABOUT.title, self.name())
    }
}

pub(crate) fn run(args: &Args, games: &Registry, out: &mut dyn Write) -> anyhow::Result<Status> {
    let Args { game: SolvedGame::Krk, rules, position, json } = args;
    let rules = rules.resolved(games)?;
    if let Some(text) = position {
        let answer = match rules {
            Rules::Spec => look_up::<Spec>(text),
            Rules::Ggp => look_up::<Ggp>(text),
            Rules::Chess | Rules::Standard => look_up_chess(text),
        };
        let answer = answer.with_context(|| format!("krk ({})", rules.name()))?;
        if *json {
            writeln!(out, "{}", serde_json::to_string(&answer.line(rules))?)?;
        } else {
            answer.print(rules, out)?;
        }
    } else {
        let columns = match rules {
            Rules::Spec => count::<Spec>(),
            Rules::Ggp => count::<Ggp>(),
            Rules::Chess | Rules::Standard => count_chess(),
        };
        if *json {
            let counts = columns.iter().map(Column::line).collect();
            let line = CountedTable { game: "krk".to_owned(), rules: rules.name().to_owned(), counts };
            writeln!(out, "{}", serde_json::to_string(&line)?)?;
        } else {
            print_columns(rules, &columns, out)?;
        }
    }
    Ok(Status::Done)
}

/// The entry of a position in the table.
struct Entry {
    position: String,
    drawing: String,
    white_to_move: bool,
    /// The result under all rules, including the step limit.
    end: Ending,
    /// The plies to mate without the step limit.
    mate_in: Option<u32>,
    best: Vec<String>,
    moves: Vec<Move>,
}

/// The end of a game under perfect play.
#[derive(Clone, Copy)]
struct Ending {
    /// The side that wins; `None` for a draw.
    winner: Option<Side>,
    /// The plies to the end; `None` for a draw.
    plies: Option<u32>,
}

/// A move; its plies are counted from the position before it.
struct Move {
    token: String,
    end: Ending,
    mate_in: Option<u32>,
}

fn look_up<R: Ruleset>(text: &str) -> anyhow::Result<Entry> {
    let position: Krk<R> = text.parse()?;
    let end = |TableValue { outcome, plies }| Ending {
        winner: match outcome {
            Outcome::Win(side) => Some(side),
            Outcome::Draw => None,
        },
        plies: Some(plies),
    };
    let best = krk::best_moves(&position);
    let moves = krk::rated_moves(&position).into_iter();
    Ok(Entry {
        position: position.to_string(),
        drawing: position.draw(best.first().copied()),
        white_to_move: position.side_to_move() == Side::First,
        end: end(krk::value(&position)),
        mate_in: krk::mate_in(&position),
        best: best.iter().map(ToString::to_string).collect(),
        moves: moves
            .map(|RatedMove { mv, value, mate_in }| Move { token: mv.to_string(), end: end(value), mate_in })
            .collect(),
    })
}

fn look_up_chess(text: &str) -> anyhow::Result<Entry> {
    let position: chess::Position = text.parse()?;
    let end = |mate_in: Option<u32>| Ending { winner: mate_in.map(|_| Side::First), plies: mate_in };
    let mate_in = chess::mate_in(&position);
    let best = chess::best_moves(&position);
    let moves = chess::rated_moves(&position).into_iter();
    Ok(Entry {
        position: position.to_string(),
        drawing: position.draw(best.first().copied()),
        white_to_move: position.white_to_move(),
        end: end(mate_in),
        mate_in,
        best: best.iter().map(ToString::to_string).collect(),
        moves: moves
            .map(|it| Move { token: it.mv.to_string(), end: end(it.mate_in), mate_in: it.mate_in })
            .collect(),
    })
}

const fn role(white: bool) -> &'static str {
    if white { "white" } else { "black" }
}

fn plies(count: u32) -> String {
    if count == 1 { "1 ply".to_owned() } else { format!("{count} plies") }
}

/// Formats a number, or a dash for `None`.
fn or_dash(number: Option<u32>) -> String {
    number.map_or_else(|| "-".to_owned(), |number| number.to_string())
}

impl Ending {
    fn winner(self) -> Option<&'static str> {
        self.winner.map(|side| role(side == Side::First))
    }
}

impl Entry {
    fn line(&self, rules: Rules) -> LookedUp {
        let winner = |end: Ending| end.winner().map(str::to_owned);
        let moves = self.moves.iter().map(|Move { token, end, mate_in }| TableMove {
            mv: token.clone(),
            winner: winner(*end),
            plies: end.plies,
            mate_in: *mate_in,
        });
        LookedUp {
            game: "krk".to_owned(),
            rules: rules.name().to_owned(),
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

    fn print(&self, rules: Rules, out: &mut dyn Write) -> anyhow::Result<()> {
        let is_over = self.moves.is_empty();
        let state = if is_over {
            "the game is over".to_owned()
        } else {
            format!("{} to move", role(self.white_to_move))
        };
        writeln!(out, "{}: {state}\n", styled(HEADING, rules.title()))?;
        writeln!(out, "{}\nposition: {}\n", self.drawing, self.position)?;
        writeln!(out, "{}", styled(BEST, self.verdict()))?;
        if rules != Rules::Chess && self.end.winner == Some(Side::Second) {
            let mate = match self.mate_in {
                Some(mate) => format!("mate in {}", plies(mate)),
                None => "no mate".to_owned(),
            };
            writeln!(out, "without the step limit: {mate}")?;
        }
        if is_over {
            return Ok(());
        }
        writeln!(out, "best: {}\n", self.best.join(" "))?;
        let result = |end: Ending| end.winner().map_or("draw".to_owned(), |winner| format!("{winner} wins"));
        if rules == Rules::Chess {
            let mut table = TextTable::new(2, ["move", "result", "plies"]);
            for it in &self.moves {
                table.row([it.token.clone(), result(it.end), or_dash(it.end.plies)]);
            }
            table.print(out)?;
        } else {
            let mut table = TextTable::new(2, ["move", "result", "plies", "mate without limit"]);
            for it in &self.moves {
                table.row([it.token.clone(), result(it.end), or_dash(it.end.plies), or_dash(it.mate_in)]);
            }
            table.print(out)?;
        }
        Ok(())
    }

    fn verdict(&self) -> String {
        match (self.end.winner, self.end.plies) {
            (Some(Side::First), Some(0)) => "white wins: checkmate".to_owned(),
            (Some(Side::First), Some(count)) => format!("white wins: mate in {}", plies(count)),
            (Some(Side::Second), Some(0)) => "black wins".to_owned(),
            (Some(Side::Second), Some(count)) => format!("black wins in {}", plies(count)),
            _ => "draw".to_owned(),
        }
    }
}

/// The counts of one group of placements.
struct Column {
    heading: &'static str,
    white_to_move: bool,
    /// On the small board, whether the black king is attacked; `Some(None)` for both cases.
    #[expect(clippy::option_option, reason = "as the JSON has it: absent, null or a value")]
    attacked: Option<Option<bool>>,
    /// On the chess board, whether placements that are equal by symmetry are counted once.
    up_to_symmetry: Option<bool>,
    histogram: Histogram,
}

fn count<R: Ruleset>() -> Vec<Column> {
    let column = |heading, white_to_move: bool, attacked: Option<bool>| Column {
        heading,
        white_to_move,
        attacked: Some(attacked),
        up_to_symmetry: None,
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

fn count_chess() -> Vec<Column> {
    let column = |heading, white_to_move, up_to_symmetry| Column {
        heading,
        white_to_move,
        attacked: None,
        up_to_symmetry: Some(up_to_symmetry),
        histogram: chess::histogram(white_to_move, up_to_symmetry),
    };
    vec![
        column("white to move", true, false),
        column("up to symmetry", true, true),
        column("black to move", false, false),
        column("up to symmetry", false, true),
    ]
}

impl Column {
    fn line(&self) -> Counted {
        let Histogram { mate_in, stuck, escapes } = &self.histogram;
        Counted {
            to_move: role(self.white_to_move).to_owned(),
            black_king_attacked: self.attacked,
            up_to_symmetry: self.up_to_symmetry,
            placements: self.histogram.placements(),
            won: self.histogram.won(),
            mate_in: mate_in.iter().map(|(plies, &count)| (plies.to_string(), count)).collect(),
            stuck: *stuck,
            escapes: *escapes,
        }
    }
}

fn print_columns(rules: Rules, columns: &[Column], out: &mut dyn Write) -> anyhow::Result<()> {
    writeln!(out, "{}: all placements by the plies to mate\n", styled(HEADING, rules.title()))?;
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

//! `quintet table`

use std::collections::BTreeSet;
use std::io::Write;
use std::iter;

use anyhow::Context as _;
use quintet_core::game::{Game, Notation, Outcome, Side};
use quintet_core::registry::{Registry, Variant};
use quintet_games::krk::knowledge::{self as krk, RatedMove, TableValue};
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
        let position: Krk<R> =
            text.parse().with_context(|| format!("{} ({})", variant.game, variant.rules))?;
        let entry = look_up(&position, variant);
        if args.json {
            writeln!(out, "{}", serde_json::to_string(&entry)?)?;
        } else {
            print(&entry, &title, &position.draw(krk::best_moves(&position).first().copied()), out)?;
        }
    } else {
        let counts = count::<R>();
        if args.json {
            let line =
                CountedTable { game: variant.game.to_owned(), rules: variant.rules.to_owned(), counts };
            writeln!(out, "{}", serde_json::to_string(&line)?)?;
        } else {
            print_counts(&title, &counts, out)?;
        }
    }
    Ok(())
}

fn look_up<R: Ruleset>(position: &Krk<R>, variant: Variant) -> LookedUp {
    let of_move = |RatedMove { mv, value, mate_in }: RatedMove| TableMove {
        mv: mv.to_string(),
        winner: winner(value),
        plies: value.plies,
        mate_in,
    };
    let moves: Vec<TableMove> = krk::rated_moves(position).into_iter().map(of_move).collect();
    let end = krk::value(position);
    LookedUp {
        game: variant.game.to_owned(),
        rules: variant.rules.to_owned(),
        position: position.to_string(),
        to_move: role(position.side_to_move()),
        terminal: moves.is_empty(),
        winner: winner(end),
        plies: end.plies,
        mate_in: krk::mate_in(position),
        best: krk::best_moves(position).iter().map(ToString::to_string).collect(),
        moves,
    }
}

/// Returns the role that wins; `None` for a draw.
fn winner(end: TableValue) -> Option<String> {
    match end.outcome {
        Outcome::Win(side) => Some(role(side)),
        Outcome::Draw => None,
    }
}

fn role(side: Side) -> String {
    if side == Side::First { "white" } else { "black" }.to_owned()
}

fn print(entry: &LookedUp, title: &str, drawing: &str, out: &mut dyn Write) -> anyhow::Result<()> {
    let LookedUp { position, to_move, winner, plies, best, moves, .. } = entry;
    let state = if entry.terminal { "the game is over".to_owned() } else { format!("{to_move} to move") };
    writeln!(out, "{}: {state}\n", styled(HEADING, title))?;
    writeln!(out, "{drawing}\nposition: {position}\n")?;
    let verdict = match (winner.as_deref(), *plies) {
        (Some("white"), 0) => "white wins: checkmate".to_owned(),
        (Some("white"), count) => format!("white wins: mate in {}", counted_plies(count)),
        (Some(winner), 0) => format!("{winner} wins"),
        (Some(winner), count) => format!("{winner} wins in {}", counted_plies(count)),
        (None, _) => "draw".to_owned(),
    };
    writeln!(out, "{}", styled(BEST, verdict))?;
    if winner.as_deref() == Some("black") {
        let mate = match entry.mate_in {
            Some(mate) => format!("mate in {}", counted_plies(mate)),
            None => "no mate".to_owned(),
        };
        writeln!(out, "without the step limit: {mate}")?;
    }
    if entry.terminal {
        return Ok(());
    }
    writeln!(out, "best: {}\n", best.join(" "))?;
    let mut table = TextTable::new(2, ["move", "result", "plies", "mate without limit"]);
    for it in moves {
        table.row([
            it.mv.clone(),
            it.winner.as_ref().map_or("draw".to_owned(), |winner| format!("{winner} wins")),
            it.plies.to_string(),
            it.mate_in.map_or_else(|| "-".to_owned(), |plies| plies.to_string()),
        ]);
    }
    table.print(out)?;
    Ok(())
}

/// The kinds of placements: a heading, the side to move, and whether the black king is attacked, or either.
const KINDS: [(&str, Side, Option<bool>); 3] = [
    ("white to move", Side::First, Some(false)),
    ("black to move", Side::Second, None),
    // Impossible in play, but a position string may have it.
    ("white to move, black attacked", Side::First, Some(true)),
];

/// Counts the placements of each kind.
fn count<R: Ruleset>() -> Vec<Counted> {
    let counted = KINDS.map(|(_, side, attacked)| {
        let histogram = krk::histogram(|position: &Krk<R>| {
            position.side_to_move() == side
                && attacked.is_none_or(|attacked| position.black_king_is_attacked() == attacked)
        });
        Counted {
            to_move: role(side),
            black_king_attacked: attacked,
            placements: histogram.placements(),
            won: histogram.won(),
            mate_in: histogram.mate_in.iter().map(|(plies, &count)| (plies.to_string(), count)).collect(),
            stuck: histogram.stuck,
            escapes: histogram.escapes,
        }
    });
    counted.into()
}

fn print_counts(title: &str, counts: &[Counted], out: &mut dyn Write) -> anyhow::Result<()> {
    writeln!(out, "{}: all placements by the plies to mate\n", styled(HEADING, title))?;
    let headings = ["plies to mate"].into_iter().chain(KINDS.map(|(heading, ..)| heading));
    let mut table = TextTable::new(1, headings);
    let mut row = |label: &str, count: &dyn Fn(&Counted) -> u32| {
        table.row(iter::once(label.to_owned()).chain(counts.iter().map(|it| thousands(count(it).into()))));
    };
    let plies = counts.iter().flat_map(|it| it.mate_in.keys().filter_map(|plies| plies.parse().ok()));
    for plies in plies.collect::<BTreeSet<u32>>() {
        let plies = plies.to_string();
        row(&plies, &|it| it.mate_in.get(&plies).copied().unwrap_or_default());
    }
    row("won by white", &|it| it.won);
    row("stuck, no check", &|it| it.stuck);
    row("black escapes", &|it| it.escapes);
    row("all", &|it| it.placements);
    table.print(out)?;
    Ok(())
}

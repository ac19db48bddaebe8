//! The figures as Markdown tables.

use quintet_arena::stats::Elo;

use super::Run;
use super::ladder::{Figures, Ladder};
use super::line::mean;

/// Returns the page of all tables.
pub(super) fn page(run: &Run) -> String {
    let Run { config, short, command, revision, machine, ladders } = run;
    let short = if *short {
        "**Short mode**: few games and few iterations. The intervals are wide, and the figures say little about longer searches.\n\n"
    } else {
        ""
    };
    let has_steps = ladders.iter().any(|(ladder, _)| !ladder.is_row());
    let title = if has_steps { "What iterations and trees are worth" } else { "How strong engines are" };
    let mut page = format!(
        "# {title}\n\n    {command}\n\n{revision}; {machine}. Seed {}, {} random plies as opening, {} \
         games between any two engines that meet, with seats swapped.\n\n{short}\
         All figures are Elo with 95 % intervals, from one fit of all games of a ladder in that game. Engines search a \
         fixed number of iterations, so the games are the same on every machine. The difference to an engine that loses every \
         game may be larger than shown: the number of games limits it. A dash means that too few games differ.\n",
        config.seed, config.opening_plies, config.games_per_meeting
    );
    for (ladder, figures) in ladders {
        page += &section(ladder, figures);
    }
    page
}

fn section(ladder: &Ladder, figures: &[Figures]) -> String {
    let lists: String = figures.iter().map(|figures| ratings(ladder, figures)).collect();
    if ladder.is_row() {
        return format!("\n## {}\n{lists}", ladder.title);
    }
    steps(ladder, figures) + "\n### Rating lists\n" + &lists
}

/// Returns what the steps of a ladder bring.
fn steps(ladder: &Ladder, figures: &[Figures]) -> String {
    let Ladder { name, title, .. } = ladder;
    let axis = ladder.axis();
    let kinds: Vec<&str> = ladder.kind_names().collect();
    let headings = ladder.headings();
    let mut text = format!(
        "\n## {title}\n\n![Ratings by {axis}, game by game]({name}.svg)\n\n### What doubling the {axis} brings\n\n\
         The slope of the least-squares line through the ratings over the logarithm of the {axis}.\n\n"
    );
    text += &table(figures, &kinds, Figures::doubling);
    for (kind, name) in kinds.iter().enumerate() {
        text += &format!("\n### {name}: {axis} against {}\n\n", headings[0]);
        text += &table(figures, &headings[1..], |figures, step| figures.gain(kind, step + 1));
    }
    for (kind, name) in kinds.iter().enumerate().skip(1) {
        text += &format!("\n### {name} against {}, at equal {axis}\n\n", kinds[0]);
        text += &table(figures, &headings, |figures, step| figures.lead(kind, step));
    }
    text
}

/// Returns a table with a row for each game and one for their mean, and a column for each heading.
fn table<'a, H: AsRef<str>>(
    figures: &[Figures<'a>],
    headings: &[H],
    figure: impl Fn(&Figures<'a>, usize) -> Option<Elo>,
) -> String {
    let joined: Vec<&str> = headings.iter().map(AsRef::as_ref).collect();
    let mut text =
        format!("| game | rules | {} |\n|---|---|{}\n", joined.join(" | "), "--:|".repeat(headings.len()));
    for it in figures {
        let cells: Vec<String> = (0..headings.len()).map(|column| cell(figure(it, column))).collect();
        text += &format!("| {} | {} | {} |\n", it.game.game, it.game.rules, cells.join(" | "));
    }
    let means = (0..headings.len()).map(|column| mean(figures.iter().filter_map(|it| figure(it, column))));
    let cells: Vec<String> = means.map(cell).collect();
    text + &format!("| mean | | {} |\n", cells.join(" | "))
}

fn ratings(ladder: &Ladder, figures: &Figures) -> String {
    let game = figures.game;
    let engines = ladder.engines();
    let mut text = format!("\n| {game} | games | score | Elo | 95 % |\n|---|--:|--:|--:|--:|\n");
    for rating in &figures.list.ratings {
        let score = rating.score.map_or("–".to_owned(), |score| format!("{:.1} %", 100.0 * score));
        let Elo { low, mid, high } = rating.elo;
        let engine = &engines[rating.engine];
        let (name, settings) = (&engine.name, engine.to_string());
        let name =
            if ladder.is_row() && *name != settings { format!("{name} ({settings})") } else { name.clone() };
        let [low, mid, high] = [low, mid, high].map(signed);
        text += &format!("| {name} | {} | {score} | {mid} | {low} … {high} |\n", rating.games);
    }
    if figures.list.groups > 1 {
        text += "\nSome of these engines are not connected by games that differ; only ratings of connected engines compare.\n";
    }
    text
}

/// Formats an estimate with its error.
fn cell(elo: Option<Elo>) -> String {
    elo.map_or("–".to_owned(), |Elo { mid, high, .. }| format!("{} ± {:.0}", signed(mid), high - mid))
}

/// Formats a whole number with its sign; 0 has none.
fn signed(elo: f64) -> String {
    match elo.round() {
        whole if whole > 0.0 => format!("+{whole}"),
        whole if whole < 0.0 => format!("−{}", -whole),
        _ => "0".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_has_sign_and_error() {
        let elo = |low, mid, high| Some(Elo { low, mid, high });
        assert_eq!(cell(elo(-10.0, 12.4, 34.8)), "+12 ± 22");
        assert_eq!(cell(elo(-110.0, -60.0, -10.0)), "−60 ± 50");
        assert_eq!(cell(elo(-0.3, -0.1, 0.1)), "0 ± 0");
        assert_eq!(cell(None), "–");
    }
}

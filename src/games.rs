//! `quintet games`

use std::io::Write;

use quintet_core::registry::Variant;
use quintet_protocol::GameLine;

use super::output::{HEADING, styled};
use super::{Program, Status};

/// List the games, their rulesets, roles, notation and start positions
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print one JSON object per line, for each game and ruleset
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, program: &Program, out: &mut dyn Write) -> anyhow::Result<Status> {
    let games = &program.games;
    if args.json {
        for &variant in games.variants() {
            writeln!(out, "{}", serde_json::to_string(&line(variant))?)?;
        }
        return Ok(Status::Done);
    }
    for name in games.games() {
        let variants = games.game(name)?;
        writeln!(out, "{}", describe(variants[0]))?;
        let starts: Vec<(&str, String)> =
            variants.iter().map(|it| (it.rules, it.start().position())).collect();
        if starts.iter().all(|(_, start)| *start == starts[0].1) {
            writeln!(out, "  start     {}", starts[0].1)?;
        } else {
            for (rules, start) in starts {
                writeln!(out, "  start     {start}   ({rules})")?;
            }
        }
        writeln!(out)?;
    }
    let rulesets = games.rulesets();
    if let [default, others @ ..] = &*rulesets
        && games.games().into_iter().all(|game| games.game(game).is_ok_and(|it| it.len() == rulesets.len()))
        && !others.is_empty()
    {
        let others = others.join(" and ");
        writeln!(
            out,
            "Every game has the rulesets {default} (the default) and {others}: choose with --rules."
        )?;
    }
    writeln!(out, "{}", program.filled("Try: {name} suggest {game} --moves \"{move}\""))?;
    Ok(Status::Done)
}

fn line(variant: Variant) -> GameLine {
    let Variant { game, rules, about, roles, .. } = variant;
    GameLine {
        game: game.to_owned(),
        rules: rules.to_owned(),
        title: about.title.to_owned(),
        summary: about.summary.to_owned(),
        roles: roles.iter().map(|role| role.name.to_owned()).collect(),
        moves: about.moves.to_owned(),
        position: about.position.to_owned(),
        start: variant.start().position(),
    }
}

fn describe(variant: Variant) -> String {
    let Variant { game, about, roles, .. } = variant;
    let roles: Vec<&str> = roles.iter().map(|role| role.name).collect();
    let wrapped = |first: &'static str, others: &'static str, text: &str| {
        textwrap::fill(text, textwrap::Options::new(80).initial_indent(first).subsequent_indent(others))
    };
    let labelled = |label, text: &str| wrapped(label, "            ", text);
    [
        format!("{}  {}", styled(HEADING, game), about.title),
        wrapped("  ", "  ", about.summary),
        labelled("  roles     ", &roles.join(", ")),
        labelled("  moves     ", about.moves),
        labelled("  position  ", about.position),
    ]
    .join("\n")
}

//! `quintet completions` and `quintet man`

use std::io::Write;

use anyhow::bail;
use clap::CommandFactory as _;
use clap_complete::Shell;

use quintet_core::registry::Registry;

use super::flags::with_names;
use super::{Cli, Status};

/// Print the completion script for a shell
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  quintet completions bash > ~/.local/share/bash-completion/completions/quintet"
)]
pub(crate) struct CompletionsArgs {
    shell: Shell,
}

/// Print the manual page
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  quintet man arena | man -l -")]
pub(crate) struct ManArgs {
    /// Print the page of this command instead of the overview
    command: Option<String>,
}

pub(crate) fn completions(
    args: &CompletionsArgs,
    games: &Registry,
    out: &mut dyn Write,
) -> anyhow::Result<Status> {
    // The generator panics on a write error, so it writes to memory.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut with_names(Cli::command(), games), "quintet", &mut script);
    out.write_all(&script)?;
    Ok(Status::Done)
}

pub(crate) fn man(args: &ManArgs, games: &Registry, out: &mut dyn Write) -> anyhow::Result<Status> {
    let mut all = with_names(Cli::command(), games);
    all.build();
    let page = match &args.command {
        None => all,
        Some(name) => match all.find_subcommand(name) {
            Some(command) => command.clone().name(format!("quintet-{name}")),
            None => bail!("there is no command {name:?}"),
        },
    };
    clap_mangen::Man::new(page).render(&mut &mut *out)?;
    Ok(Status::Done)
}

//! `quintet completions` and `quintet man`

use std::io::Write;

use anyhow::bail;
use clap_complete::Shell;

use super::{Program, Status};

/// Print the completion script for a shell
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  {name} completions bash > ~/.local/share/bash-completion/completions/{name}"
)]
pub(crate) struct CompletionsArgs {
    shell: Shell,
}

/// Print the manual page
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  {name} man arena | man -l -")]
pub(crate) struct ManArgs {
    /// Print the page of this command instead of the overview
    command: Option<String>,
}

pub(crate) fn completions(
    args: &CompletionsArgs,
    program: &Program,
    out: &mut dyn Write,
) -> anyhow::Result<Status> {
    // The generator panics on a write error, so it writes to memory.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program.command_line(), program.name, &mut script);
    out.write_all(&script)?;
    Ok(Status::Done)
}

pub(crate) fn man(args: &ManArgs, program: &Program, out: &mut dyn Write) -> anyhow::Result<Status> {
    let mut all = program.command_line();
    all.build();
    let page = match &args.command {
        None => all,
        Some(name) => match all.find_subcommand(name) {
            Some(command) => command.clone().name(format!("{}-{name}", program.name)),
            None => bail!("there is no command {name:?}"),
        },
    };
    clap_mangen::Man::new(page).render(&mut &mut *out)?;
    Ok(Status::Done)
}

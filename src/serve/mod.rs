//! `quintet serve`

pub(crate) mod address;
mod assets;
mod desk;
mod door;
mod http;
mod limits;
mod outbox;
mod server;
mod service;
mod socket;
#[cfg(test)]
mod tests;

use std::io::Write;
use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use anyhow::{Context as _, ensure};
use quintet_analysis::Sources;
use quintet_arena::files;
use tokio::sync::watch;

use self::door::{Door, HostName, Token};
use self::limits::Limits;
use super::flags::{ModelFlags, SearchFlags, concurrency, memory};
use super::interrupt::Interrupt;
use super::output::note;
use super::{Program, Status, WorkError};

/// The ports to try if none is given: the first free one is taken.
const PORTS: RangeInclusive<u16> = 7777..=7876;

/// Play and analyze on a page in the browser
///
/// Prints the address of the page, and serves it until Ctrl-C. All of it is in this program; it
/// needs no network. Other programs connect to the WebSocket at /analyze of the same address: a
/// message each way is a line of `analyze`.
///
/// The page can be reached from this machine alone. With --listen it can be reached at another
/// address; whoever opens it has to know the token that is part of the printed address.
///
/// Behind a proxy, --allow-host names the host by which browsers know it, over http or https. The page
/// may be under any path there that ends with a slash, and the token is needed as well: add the printed
/// ?token=... to the address of the proxy.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  {name} serve games.jsonl --open")]
pub(crate) struct Args {
    /// Game logs of `arena --out` that the page shows; they may still grow
    files: Vec<PathBuf>,
    /// The port, or 0 for any that is free [default: 7777, or the next that is free]
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// The address of this machine to listen at, or 0.0.0.0 for all; a token is needed then
    #[arg(long, value_name = "ADDR")]
    listen: Option<IpAddr>,
    /// A host name that leads to this server, as that of a proxy, with its port if it has one; a token is
    /// needed then
    #[arg(long = "allow-host", value_name = "NAME")]
    allowed_hosts: Vec<HostName>,
    /// Open the page in the browser
    #[arg(long)]
    open: bool,
    #[command(flatten)]
    models: ModelFlags,
    /// Threads of all searches together; each has at least one [default: the number of cores]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = concurrency)]
    threads: Option<NonZeroUsize>,
    /// Memory for the trees of all clients together, such as 512MiB. A search has at most a quarter of it
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = memory)]
    memory: usize,
}

pub(crate) fn run(args: &Args, program: &Program, out: &mut dyn Write) -> anyhow::Result<Status> {
    for file in &args.files {
        ensure!(!file.is_dir(), "{} is a directory", file.display());
        files::open_regular(file).with_context(|| format!("can't open {}", file.display()))?;
    }
    let listeners = address::listen(args.listen, args.port.map_or(PORTS, |port| port..=port))?;
    let addresses = address::addresses(&listeners)?;
    let address = addresses[0];
    let no_token = |error| WorkError(format!("can't draw a token: {error}"));
    let needs_token = args.listen.is_some() || !args.allowed_hosts.is_empty();
    let token = needs_token.then(Token::new).transpose().map_err(no_token)?;
    let url = address::url(address, token.as_ref().map(Token::text));
    let door = Door::new(addresses, args.allowed_hosts.clone(), token);

    let (stop, stopping) = watch::channel(false);
    let _interrupt = Interrupt::catch_and(move || _ = stop.send_replace(true))?;
    writeln!(out, "{} is at {url} (Ctrl-C ends it)", program.name)?;
    out.flush()?;
    if args.open {
        // Other users of this machine see the command line of the browser.
        let ticket = door.ticket().map_err(no_token)?;
        if let Err(error) = open::that_detached(address::url(address, ticket.as_deref())) {
            note(format!("can't open the browser: {error}"));
        }
    }
    let threads = args.threads.or_else(|| NonZeroUsize::new(rayon::current_num_threads()));
    let threads = threads.unwrap_or(NonZeroUsize::MIN);
    let limits = desk::limits(args.memory, threads);
    let sources = Sources { files: args.files.clone(), models: args.models.models().closed() };
    let scheduler = program.scheduler(&SearchFlags::of_threads(threads), limits, sources)?;
    server::run(listeners, scheduler, door, Limits::default(), stopping)
        .map_err(|error| WorkError(format!("can't serve: {error}")))?;
    note(format!("{} has ended", program.name));
    Ok(Status::Done)
}

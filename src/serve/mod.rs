//! `quintet serve`

mod queries;

use std::io::{ErrorKind, Write};
use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use anyhow::{Context as _, anyhow, ensure};
use quintet_analysis::Sources;
use quintet_arena::engine::read_memory;
use quintet_arena::files;
use quintet_web::{AccessControl, File, HostName, ListenError, Listeners, Site};
use tokio::sync::watch;

use super::flags::{ModelFlags, SearchFlags, concurrency, cores};
use super::interrupt::Interrupt;
use super::output::note;
use super::{Program, Status, WorkError, input};

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
    #[arg(long = "allow-host", value_name = "NAME", value_parser = host_name)]
    allowed_hosts: Vec<HostName>,
    /// Open the page in the browser
    #[arg(long)]
    open: bool,
    #[command(flatten)]
    models: ModelFlags,
    /// Cores for the trees of all searches, of which each has at least one [default: all cores]
    #[arg(long, value_name = "N", value_parser = concurrency)]
    threads: Option<NonZeroUsize>,
    /// Memory for the trees of all clients together, such as 512MiB. A search has at most a quarter of it
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = read_memory)]
    memory: usize,
}

/// Parses an allowed name.
fn host_name(text: &str) -> Result<HostName, &'static str> {
    HostName::parse(text).ok_or(
        "expected a name such as quintet.example.org, or quintet.example.org:8443 with the port of the page",
    )
}

/// Listens at the address of `--listen`, or at the loopback addresses, at one of the ports of `--port`.
pub(crate) fn listen(address: Option<IpAddr>, ports: RangeInclusive<u16>) -> anyhow::Result<Listeners> {
    Listeners::bind(address, ports).map_err(|error| anyhow!("{error}{}", hint(&error, address)))
}

/// Says which flag helps if nothing listens at the address of `--listen`.
fn hint(error: &ListenError, address: Option<IpAddr>) -> &'static str {
    match error {
        ListenError::InUse(_) => ": name a free one with --port, or 0 for any that is free",
        ListenError::Refused { error, .. } if error.kind() == ErrorKind::PermissionDenied => {
            "; --port takes any from 1024 without more rights"
        }
        _ if address.is_some() => "; --listen takes an address of this machine, or 0.0.0.0 for all",
        ListenError::Refused { .. } => "",
    }
}

pub(crate) fn run(args: &Args, program: &Program, out: &mut dyn Write) -> anyhow::Result<Status> {
    for file in &args.files {
        ensure!(!file.is_dir(), "{} is a directory", file.display());
        files::open_regular(file).with_context(|| format!("can't open {}", file.display()))?;
        let start = input::first_bytes(file, 4_096).unwrap_or_default();
        let is_rulesheet = matches!(start.trim_ascii_start(), [b'(' | b';', ..]);
        ensure!(
            !is_rulesheet,
            "{} is no game log: a rulesheet is named by --rulesheet NAME=FILE",
            file.display()
        );
    }
    let least = queries::LEAST_MEMORY;
    ensure!(args.memory >= least, "--memory {} is too little: give at least {}KiB", args.memory, least >> 10);
    let listeners = listen(args.listen, args.port.map_or(PORTS, |port| port..=port))?;
    let access = AccessControl::new("quintet", "--allow-host", &listeners, args.allowed_hosts.clone())
        .map_err(|error| WorkError(format!("can't draw a token: {error}")))?;

    let (stop, stopping) = watch::channel(false);
    let _interrupt = Interrupt::catch_and(move || _ = stop.send_replace(true))?;
    writeln!(out, "{} is at {} (Ctrl-C ends it)", program.name, access.url())?;
    out.flush()?;
    // Other users of this machine see the command line of the browser.
    if args.open
        && let Err(error) = open::that_detached(access.url_for_once())
    {
        note(format!("can't open the browser: {error}"));
    }
    let threads = args.threads.unwrap_or_else(cores);
    let limits = queries::limits(args.memory, threads);
    let models = args.models.models()?.closed();
    let sources = Sources { files: args.files.clone(), models, ..Sources::default() };
    let scheduler = program.scheduler(&SearchFlags::of_threads(threads), limits, sources)?;
    let site = Site { access, files: files(), socket: "/analyze" };
    quintet_web::run(listeners, site, queries::service(scheduler), stopping)
        .map_err(|error| WorkError(format!("can't serve: {error}")))?;
    note(format!("{} has ended", program.name));
    Ok(Status::Done)
}

/// Returns the files of the page.
fn files() -> Vec<File> {
    let kind = |path: &str| match path.rsplit_once('.') {
        Some((_, "css")) => "text/css; charset=utf-8",
        Some((_, "js")) => "text/javascript; charset=utf-8",
        Some((_, "svg")) => "image/svg+xml",
        _ => "text/html; charset=utf-8",
    };
    let file = |(path, content): (_, &'static str)| File {
        path,
        content_type: kind(path),
        content: content.as_bytes(),
    };
    quintet_page::files().into_iter().map(file).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_or_an_address_that_is_refused_names_the_flag_that_helps() {
        let address: Option<IpAddr> = "192.0.2.1".parse().ok();
        let refused =
            |kind: ErrorKind| ListenError::Refused { at: ([127, 0, 0, 1], 80).into(), error: kind.into() };
        assert!(hint(&ListenError::InUse(80..=80), address).contains("--port, or 0"));
        for address in [address, None] {
            assert!(
                hint(&refused(ErrorKind::PermissionDenied), address).contains("--port takes any from 1024")
            );
        }
        assert!(hint(&refused(ErrorKind::AddrNotAvailable), address).contains("--listen"));
        assert_eq!(hint(&refused(ErrorKind::AddrNotAvailable), None), "");
    }
}

//! The `quintet-mpi` command: `quintet` in several processes that talk over MPI.
//!
//! Each process, a *rank*, has two threads that matter: the main thread makes all calls of MPI, and
//! the program's thread runs the command line (rank 0) or what rank 0 announces (the others). So MPI
//! needs to allow calls of the main thread only (`Funneled`).

#![forbid(unsafe_code)]

mod link;
mod post;
mod wire;

#[cfg(unix)]
use std::process::Command;
use std::process::ExitCode;
use std::thread;

use link::Link;
use mpi::Threading;
use mpi::traits::Communicator as _;
use post::Post;
use quintet::Program;

/// The environment variable that tells Open MPI whether to give the processor away at each look for
/// messages. By default it does if ranks share cores. Then a look takes as long as the other ranks
/// run, often several milliseconds. The main thread need not do that: it sleeps between its looks.
const YIELD: &str = "OMPI_MCA_mpi_yield_when_idle";

fn main() -> ExitCode {
    set_up_environment();
    let Some((universe, threading)) = mpi::initialize_with_threading(Threading::Funneled) else {
        return failure("MPI runs already");
    };
    if threading < Threading::Funneled {
        return failure("this MPI library allows no threads beside the one that talks");
    }
    let world = universe.world();
    let rank = usize::try_from(world.rank()).unwrap_or_default();
    let ranks = usize::try_from(world.size()).unwrap_or(1);
    let (link, requests) = Link::new(rank, ranks);
    let post = Post::new(&world, requests, link);
    let program = thread::Builder::new().name("program".to_owned()).spawn(move || run(link));
    let program = match program {
        Ok(program) => program,
        Err(error) => post.abort(&format!("can't start a thread: {error}")),
    };
    post.serve(|| program.is_finished());
    match program.join() {
        Ok(Ok(status)) => status,
        Ok(Err(error)) => post.abort(&error),
        // The panic has printed its message.
        Err(_) => post.abort("the program panicked"),
    }
}

/// Starts this program anew in this process, with [`YIELD`] set, unless the user has set it: the
/// environment of a process that runs is not to be changed.
#[cfg(unix)]
fn set_up_environment() {
    use std::os::unix::process::CommandExt as _;
    if std::env::var_os(YIELD).is_some() {
        return;
    }
    let Ok(own) = std::env::current_exe() else { return };
    let mut arguments = std::env::args_os();
    let mut command = Command::new(own);
    if let Some(name) = arguments.next() {
        command.arg0(name);
    }
    // If that is not possible, exchanges take longer.
    let _ = command.args(arguments).env(YIELD, "0").exec();
}

#[cfg(not(unix))]
fn set_up_environment() {}

/// Runs the command line, or follows the rank that does.
fn run(link: &'static Link) -> Result<ExitCode, String> {
    // Records name the engine; how many processes it ran in makes no difference to them.
    let (name, version) = ("quintet", env!("CARGO_PKG_VERSION"));
    let program = Program { name, version, games: quintet_games::registry() };
    if link.is_leader() {
        let status = program.lead(link);
        link.end();
        return Ok(status);
    }
    program.follow(&link).map(|()| ExitCode::SUCCESS)
}

fn failure(what: &str) -> ExitCode {
    report(what);
    ExitCode::FAILURE
}

/// Prints an error on standard error.
#[expect(clippy::print_stderr, reason = "there is nobody else to report it to")]
fn report(what: &str) {
    eprintln!("error: {what}");
}

//! A program that runs in several processes: the leader has the command line, and the others follow it.

use std::env;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::{Arg, ArgAction, FromArgMatches as _};
use quintet_arena::tournament::{GameSource, RemoteWorkers};
use quintet_core::follower::{Follower, Followers, Job};
use quintet_core::search::{Exchange, Ranks};

use super::{Command, Program, arena, interrupt, output, prepare_to_search, rulesheets};

/// The other processes of a program that runs in several, for the leader.
pub trait FollowerLink: Followers + RemoteWorkers {
    /// How much the processes have communicated, in one line for people.
    fn traffic(&self) -> String;
}

/// The leader of a program that runs in several processes, for each of the others.
pub trait LeaderLink: GameSource {
    /// How this process adds up numbers with the others.
    fn exchange(&self) -> &'static dyn Exchange;

    /// Says that this process is set up and waits for searches, and later that it has
    /// [prepared](Task::Prepare) an engine.
    fn report_ready(&self);

    /// Waits for the next thing to do.
    ///
    /// # Errors
    /// The text of an error in the connection.
    fn next(&self) -> Result<Task, String>;

    /// Waits, at most this long, until the leader says that the program is over; returns whether it
    /// has.
    fn ends_within(&self, time: Duration) -> bool;

    /// Becomes true when games are to stop before their end.
    fn stop_games(&self) -> &AtomicBool;
}

/// What the leader tells another process to do.
#[derive(Debug)]
pub enum Task {
    /// Make the engine of a search that will follow.
    Prepare(Box<Job>),
    /// Search together with the others.
    Search {
        /// The search.
        job: Box<Job>,
        /// The engines that will not search any more.
        forget: Vec<u64>,
        /// Becomes true when the leader stops the search.
        stop: Arc<AtomicBool>,
    },
    /// Nothing: the program is over.
    End,
}

/// The name of the flag.
const VERBOSE: &str = "verbose";

fn verbose() -> Arg {
    let arg = Arg::new(VERBOSE).long(VERBOSE).global(true).action(ArgAction::SetTrue);
    arg.help("Print how much the processes have talked, on standard error")
}

impl Program {
    /// Runs the command line as the leader of `others`: engines search together with all of them,
    /// and the games of an arena are theirs to play. Returns the exit status.
    #[must_use]
    pub fn lead(&self, others: &'static dyn FollowerLink) -> ExitCode {
        let (mut program, matches, command) = match self.asked(Some(verbose())) {
            Ok(asked) => asked,
            Err(status) => return status,
        };
        let is_arena = matches!(command, Command::Arena(_));
        if others.ranks() > 1 && !is_arena {
            program.games = program.games.with_followers(others);
        }
        let status = program.run(command, (others.ranks() > 1).then_some(others));
        if matches.get_flag(VERBOSE) {
            output::note(others.traffic());
        }
        status
    }

    /// What the other processes do, with the same command line. It prints nothing.
    ///
    /// # Errors
    /// The text of an error that the leader does not have too.
    pub fn follow(&self, leader: &dyn LeaderLink) -> Result<(), String> {
        /// How long an error waits for the leader, which has the same in most cases.
        const PATIENCE: Duration = Duration::from_secs(3);
        let followed = self.follow_command(leader);
        if followed.is_err() && leader.ends_within(PATIENCE) { Ok(()) } else { followed }
    }

    fn follow_command(&self, leader: &dyn LeaderLink) -> Result<(), String> {
        let text = |error: anyhow::Error| format!("{error:#}");
        interrupt::leave_to_the_leader().map_err(text)?;
        let (program, words) = rulesheets::taken_from(self, env::args_os().collect()).map_err(text)?;
        let parsed = program.command_line().arg(verbose()).try_get_matches_from(words).ok();
        let program = parsed.as_ref().map_or_else(|| Ok(program.clone()), |it| program.with_parameters(it));
        let program = program.map_err(text)?;
        let command = parsed.and_then(|matches| Command::from_arg_matches(&matches).ok());
        if command.as_ref().is_some_and(Command::searches) {
            prepare_to_search().map_err(text)?;
        }
        if let Some(Command::Arena(args)) = &command
            && args.plays()
        {
            return arena::follow(args, &program, leader.stop_games(), leader).map_err(text);
        }
        let ranks = Ranks::of(leader.exchange()).map_err(|error| error.to_string())?;
        let mut follower = Follower::new(program.games, ranks);
        leader.report_ready();
        loop {
            match leader.next()? {
                Task::Search { job, forget, stop } => {
                    for engine in forget {
                        follower.forget(engine);
                    }
                    follower.run(&job, &stop)?;
                }
                Task::Prepare(job) => {
                    follower.prepare(&job)?;
                    leader.report_ready();
                }
                Task::End => return Ok(()),
            }
        }
    }
}

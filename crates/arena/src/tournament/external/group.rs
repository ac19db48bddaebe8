//! Processes that end together: an engine, all that it starts, and the arena, however that ends.

use std::io;
use std::process::{Child, Command};

/// A program and the processes that it starts, in a group of its own, so that Ctrl-C in a terminal reaches only
/// the arena, which ends its engines itself. Otherwise the engines would seem to crash. If the arena ends in a
/// way that runs no code of it, such as `kill -9`, the system kills the group. On Unix those that leave their
/// process group are not in it.
pub(super) use system::Group;

#[cfg(unix)]
mod system {
    use std::os::unix::process::CommandExt as _;
    use std::process::Stdio;

    use nix::sys::signal::{Signal, killpg};
    use nix::unistd::Pid;

    use super::{Child, Command, io};

    #[derive(Debug)]
    pub(in super::super) struct Group {
        /// The number of the process group.
        number: u32,
        _watchdog: Option<Watchdog>,
    }

    /// A shell that waits until its input is closed, which the system does when the arena ends, and
    /// kills its process group then. It starts before the engine, which joins its group, so that it is
    /// watched at all times. Dropping it ends only the shell.
    #[derive(Debug)]
    struct Watchdog(Child);

    impl Watchdog {
        /// Starts a watchdog with a process group of its own; `None` where there is no shell.
        fn start() -> io::Result<Option<Self>> {
            let mut shell = Command::new("sh");
            shell.args(["-c", "read -r _; kill -9 0"]).process_group(0);
            shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
            match shell.spawn() {
                Ok(shell) => Ok(Some(Self(shell))),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(error) => Err(error),
            }
        }
    }

    impl Drop for Watchdog {
        fn drop(&mut self) {
            // An error means that it has ended already.
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    impl Group {
        pub(in super::super) fn start(program: &mut Command) -> io::Result<(Child, Self)> {
            let watchdog = Watchdog::start()?;
            let joined = watchdog.as_ref().map(|it| it.0.id());
            // 0 stands for a new group.
            program.process_group(joined.and_then(|number| i32::try_from(number).ok()).unwrap_or(0));
            let child = program.spawn()?;
            let number = joined.unwrap_or(child.id());
            Ok((child, Self { number, _watchdog: watchdog }))
        }

        pub(in super::super) fn kill(self) {
            if let Ok(number) = i32::try_from(self.number) {
                let _ = killpg(Pid::from_raw(number), Signal::SIGKILL);
            }
        }
    }
}

#[cfg(windows)]
mod system {
    use std::os::windows::io::AsRawHandle as _;
    use std::os::windows::process::CommandExt as _;

    use win32job::{ExtendedLimitInfo, Job};

    use super::{Child, Command, io};

    /// A job, which the system kills when its last handle is closed: here, or with the arena.
    #[derive(Debug)]
    pub(in super::super) struct Group(Job);

    impl Group {
        pub(in super::super) fn start(program: &mut Command) -> io::Result<(Child, Self)> {
            const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
            let job = Job::create_with_limit_info(ExtendedLimitInfo::new().limit_kill_on_job_close());
            let job = job.map_err(io::Error::other)?;
            let mut child = program.creation_flags(CREATE_NEW_PROCESS_GROUP).spawn()?;
            // What it might have started before is not in the job, but no program is that quick.
            if let Err(error) = job.assign_process(child.as_raw_handle() as isize) {
                let _ = child.kill();
                let _ = child.wait();
                return Err(io::Error::other(error));
            }
            Ok((child, Self(job)))
        }

        pub(in super::super) fn kill(self) {
            drop(self.0);
        }
    }
}

#[cfg(not(any(unix, windows)))]
mod system {
    use super::{Child, Command, io};

    #[derive(Debug)]
    pub(in super::super) struct Group;

    impl Group {
        pub(in super::super) fn start(program: &mut Command) -> io::Result<(Child, Self)> {
            Ok((program.spawn()?, Self))
        }

        pub(in super::super) fn kill(self) {}
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};
    use std::process::Stdio;
    use std::thread;
    use std::time::Duration;

    use super::*;

    /// The environment variable with the part that this program plays in a group.
    const PART: &str = "QUINTET_TEST_GROUP";

    /// This program as one of a group.
    fn own_program(part: &str) -> Command {
        let mut program = Command::new(std::env::current_exe().expect("this program has a path"));
        let name = "tournament::external::group::tests::a_part_in_a_group";
        program.args([name, "--exact", "--nocapture"]).env(PART, part);
        program
    }

    /// What the test below starts. By itself it has no part and ends at once.
    #[test]
    fn a_part_in_a_group() {
        let say = |word| writeln!(io::stdout(), "\n{word}").expect("somebody reads");
        match std::env::var(PART).as_deref() {
            Ok("engine") => _ = own_program("child").status().expect("it can be started"),
            Ok("child") => {
                say("runs");
                thread::sleep(Duration::from_secs(20));
                say("survives");
            }
            _ => {}
        }
    }

    #[test]
    fn what_an_engine_has_started_ends_with_it() {
        let mut engine = own_program("engine");
        engine.stdout(Stdio::piped()).stderr(Stdio::null());
        let (mut engine, group) = Group::start(&mut engine).expect("it can be started");
        let mut output = BufReader::new(engine.stdout.take().expect("it is piped"));
        let mut line = String::new();
        while line.trim_end() != "runs" {
            line.clear();
            assert!(output.read_line(&mut line).expect("text") > 0, "it ended");
        }
        group.kill();
        engine.wait().expect("it ends");
        // The output ends when nobody can write to it any more.
        let mut rest = String::new();
        output.read_to_string(&mut rest).expect("text");
        assert!(!rest.contains("survives"), "{rest}");
    }
}

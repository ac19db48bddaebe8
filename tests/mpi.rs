//! `quintet-mpi`, where MPI is installed.

use std::env;
use std::io::{self, Write as _};
use std::process::{Command, Stdio};

/// Its tests are those of its own package, which can't be built without MPI.
#[test]
fn the_tests_over_mpi_pass_or_are_left_out() {
    let has = |program: &&str| {
        Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
    };
    let missing: Vec<&str> = ["mpirun", "mpicc"].into_iter().filter(|program| !has(program)).collect();
    if !missing.is_empty() {
        let is_needed = env::var_os("QUINTET_TESTS").is_some_and(|tests| tests == "all");
        assert!(!is_needed, "not there: {}", missing.join(", "));
        // Whoever reads the log has to know; what `eprintln` prints is only shown of tests that fail.
        let text = format!("left out: the tests of quintet-mpi; not there: {}\n", missing.join(", "));
        io::stderr().write_all(text.as_bytes()).expect("standard error is open");
        return;
    }
    let tests = Command::new(env!("CARGO")).args(["test", "--package", "quintet-mpi"]).output();
    let tests = tests.expect("cargo is there");
    let [out, errors] = [tests.stdout, tests.stderr].map(|it| String::from_utf8_lossy(&it).into_owned());
    assert!(tests.status.success(), "{out}{errors}");
}

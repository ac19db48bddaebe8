//! `quintet-mpi`, where MPI is installed.

use std::process::{Command, Stdio};

use crate::harness::lacks;

/// Its tests are those of its own package, which can't be built without MPI.
#[test]
fn the_tests_over_mpi_pass_or_are_left_out() {
    let has = |program: &str| {
        Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
    };
    if ["mpirun", "mpicc"].into_iter().any(|program| lacks(program, has(program))) {
        return;
    }
    // A build of `quintet` by itself would compile rules and search again, with fewer features of their dependencies.
    let tests = Command::new(env!("CARGO"))
        .args(["test", "--package", "quintet-mpi"])
        .env("QUINTET", env!("CARGO_BIN_EXE_quintet"))
        .output();
    let tests = tests.expect("cargo is there");
    let [out, errors] = [tests.stdout, tests.stderr].map(|it| String::from_utf8_lossy(&it).into_owned());
    assert!(tests.status.success(), "{out}{errors}");
}

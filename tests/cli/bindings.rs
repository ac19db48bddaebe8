//! The packages that bring the commands to other worlds. They are built by their tests, which take the longest
//! and so begin early: tests run in the order of their names.

mod mpi;
mod python;

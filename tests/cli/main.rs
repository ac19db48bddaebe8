//! The behaviour of the `quintet` command that users and other programs rely on. Every test runs
//! the binary, those of the Python package and of `quintet-mpi` included: in one program, tests wait
//! beside each other.

mod analyze;
mod analyze_live;
mod analyze_wrong;
mod arena;
mod arena_clock;
mod arena_files;
mod arena_playing;
mod arena_resume;
mod arena_stopped;
mod arena_thoughts;
mod bench;
mod bindings;
mod convert;
mod determinism;
mod disk;
mod external;
mod games;
mod ggp;
mod ggp_games;
mod gomocup;
mod gomocup_arena;
mod harness;
mod interrupted;
mod manual;
mod page;
mod play;
#[cfg(unix)]
mod play_terminal;
mod puzzle;
mod readme;
mod replay;
mod replay_wrong;
mod report;
mod rulesheets;
mod running;
mod serve;
mod serve_attacks;
mod serving;
mod solve;
mod strength;
mod suggest;
mod suggest_positions;
mod suite;
mod terminal;
mod train;
#[cfg(unix)]
mod tty;
mod ugi;
mod ugi_thinking;
mod usage;
mod verify;

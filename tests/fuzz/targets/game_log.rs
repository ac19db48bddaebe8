//! The target `game_log` for libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| quintet_fuzz::game_log(data));

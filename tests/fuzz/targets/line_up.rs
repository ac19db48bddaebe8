//! The target `line_up` for libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| quintet_fuzz::line_up(data));

//! The target `kif` for libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| quintet_fuzz::kif(data));

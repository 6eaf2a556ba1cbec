#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| syclscope_fuzz::derived_file(bytes));

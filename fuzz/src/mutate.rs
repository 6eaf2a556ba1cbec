//! Fuzzing without a nightly compiler: mutates files of the corpus with tokens of the formats for a number of seconds.
//! Unlike `cargo fuzz`, it does not measure coverage.
//!
//! `mutate TARGET SECONDS CORPUS [SEED]`

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use syclscope_fuzz::TARGETS;

/// Maximum length of an input.
const MAX_BYTES: usize = 64 << 10;

/// An input that takes longer is a finding.
const SLOW: Duration = Duration::from_secs(10);

/// Tokens of the formats.
const WORDS: &[&[u8]] = &[
    b"\"ph\":\"",
    b"\"ts\":",
    b"\"dur\":",
    b"\"id\":",
    b"\"id2\":{\"local\":",
    b"\"args\":{",
    b"\"pid\":",
    b"\"tid\":",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\"",
    b"\\u",
    b"\\",
    b"-1",
    b"1e999",
    b"18446744073709551615",
    b"\"traceEvents\":[",
    b"\"stackFrames\":{",
    b"B",
    b"E",
    b"X",
    b"b",
    b"e",
    b"n",
    b"s",
    b"f",
    b"t",
    b"C",
    b"M",
    b"N",
    b"O",
    b"D",
    b"P",
    b"i",
    b"process_name",
    b"thread_sort_index",
    b"sycl.recording",
    b"sycl.flow",
    b"syclscope.derived",
    b"\x0a",
    b"\x50\x01",
    b"\x68\x01",
    b"\x68\x02",
    b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    b"\x80\x80\x80\x80\x10",
    b"\x5a",
    b"\x62",
    b"\x92\x03",
    b"\xaa\x08",
    b"\x1f\x8b\x08",
    b"\x28\xb5\x2f\xfd",
    b"PK\x03\x04",
    b"\xfa\x02",
    b"\0\0\0\0",
    b"\x7f",
];

/// Xorshift generator of random numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() >> 11) as usize % end.max(1)
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [target, seconds, corpus, rest @ ..] = arguments.as_slice() else {
        eprintln!("mutate TARGET SECONDS CORPUS [SEED]");
        return ExitCode::from(2);
    };
    let Some((_, run)) = TARGETS.iter().find(|(name, _)| name == target) else {
        eprintln!("mutate: there is no target {target}");
        return ExitCode::from(2);
    };
    let files = read_corpus(Path::new(corpus));
    if files.is_empty() {
        eprintln!("mutate: {corpus} holds no file");
        return ExitCode::from(2);
    }
    let time = Duration::from_secs(seconds.parse().unwrap_or(60));
    let seed = rest.first().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ seed);
    let (begun, mut runs) = (Instant::now(), 0_u64);
    while begun.elapsed() < time {
        let input = mutated(&files, &mut random);
        let started = Instant::now();
        let result = std::panic::catch_unwind(|| run(&input));
        let is_slow = started.elapsed() > SLOW;
        if result.is_err() || is_slow {
            let path = PathBuf::from(format!("finding-{target}-{runs}"));
            let written = std::fs::write(&path, &input);
            let what = if is_slow { "slow" } else { "panic" };
            eprintln!("mutate: {what} after {runs} runs; the input is {} ({written:?})", path.display());
            return ExitCode::FAILURE;
        }
        runs += 1;
    }
    println!("{target}: {runs} runs in {} s, no finding", begun.elapsed().as_secs());
    ExitCode::SUCCESS
}

fn read_corpus(folder: &Path) -> Vec<Vec<u8>> {
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    paths.sort();
    paths.iter().filter_map(|path| std::fs::read(path).ok()).collect()
}

/// Returns a file of the corpus with a few changes.
fn mutated(files: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut input = files[random.below(files.len())].clone();
    for _ in 0..=random.below(6) {
        let at = random.below(input.len() + 1);
        match random.below(9) {
            0 if !input.is_empty() => {
                let at = at.min(input.len() - 1);
                input[at] ^= 1 << random.below(8);
            }
            1 if !input.is_empty() => {
                let at = at.min(input.len() - 1);
                input[at] = random.next() as u8;
            }
            2 => input.truncate(at),
            3 => {
                let end = (at + random.below(64)).min(input.len());
                input.drain(at..end);
            }
            4 => {
                let end = (at + random.below(256)).min(input.len());
                let piece = input[at..end].to_vec();
                let to = random.below(input.len() + 1);
                input.splice(to..to, piece);
            }
            5 | 6 => {
                let word = WORDS[random.below(WORDS.len())];
                input.splice(at..at, word.iter().copied());
            }
            7 => {
                // The end of another file.
                let other = &files[random.below(files.len())];
                let from = random.below(other.len() + 1);
                input.truncate(at);
                input.extend_from_slice(&other[from..]);
            }
            _ => {
                let byte = random.next() as u8;
                let many = random.below(40);
                input.splice(at..at, std::iter::repeat_n(byte, many));
            }
        }
    }
    input.truncate(MAX_BYTES);
    input
}

//! The keys that a record or slice reserves for its own facts, and the escaping of recorded arguments with the same
//! key.

#[derive(Clone, Copy, Debug)]
pub(crate) struct Keys {
    all: &'static [&'static str],
    /// A bit for each length of a reserved key: most arguments' keys have another length.
    lengths: u64,
}

impl Keys {
    pub(crate) const fn new(all: &'static [&'static str]) -> Self {
        let (mut lengths, mut index) = (0, 0);
        while index < all.len() {
            assert!(all[index].len() < 64);
            lengths |= 1 << all[index].len();
            index += 1;
        }
        Self { all, lengths }
    }

    pub(crate) fn contains(self, key: &str) -> bool {
        key.len() < 64 && self.lengths >> key.len() & 1 != 0 && self.all.contains(&key)
    }
}

pub(crate) const SLICE_KEYS: Keys = Keys::new(&["node", "function", "file", "line", "column"]);

pub(crate) const EXECUTION_KEYS: Keys = Keys::new(&["node", "queue", "kind", "queued_ns", "submitted_ns"]);

pub(super) const RECORDING_KEYS: Keys = Keys::new(&[
    "format",
    "pid",
    "process_name",
    "command_line",
    "host",
    "start_unix_ns",
    "start_monotonic_ns",
    "start_ns",
    "recorder",
    "rank",
    "rank_count",
    "local_rank",
    "from_ns",
]);

/// Prefix of a recorded argument's key that would otherwise be read as a fact.
const ESCAPE: &str = "arg.";

/// Returns the key as written to a file: with the prefix if it is one of `reserved`, or starts with the prefix itself.
pub(crate) fn escape_key<'a>(key: &'a str, reserved: Keys, scratch: &'a mut String) -> &'a str {
    if !reserved.contains(key) && !key.starts_with(ESCAPE) {
        return key;
    }
    scratch.clear();
    scratch.push_str(ESCAPE);
    scratch.push_str(key);
    scratch
}

pub(crate) fn unescape_key(key: &str) -> &str {
    key.strip_prefix(ESCAPE).unwrap_or(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_round_trip() {
        let mut scratch = String::new();
        for key in ["node", "size", "arg.node", "arg.", "arg.arg.x", "", "context", &"x".repeat(70)] {
            let written = escape_key(key, SLICE_KEYS, &mut scratch);
            assert!(!SLICE_KEYS.contains(written));
            assert_eq!(unescape_key(written), key);
        }
    }
}

//! The keys that a record or slice keeps for its own facts, and what distinguishes a recorded argument
//! of the same name from them.

/// Facts of a slice or an instant.
pub(crate) const SLICE_KEYS: &[&str] = &["node", "function", "file", "line", "column"];

/// Facts of an execution.
pub(crate) const EXECUTION_KEYS: &[&str] = &["node", "queue", "kind", "queued_ns", "submitted_ns"];

pub(super) const RECORDING_KEYS: &[&str] = &[
    "format",
    "pid",
    "process_name",
    "command_line",
    "host",
    "start_unix_ns",
    "start_monotonic_ns",
    "recorder",
];

/// What a recorded argument's key gets in front when it would be taken for a fact.
const ESCAPE: &str = "arg.";

/// The key as a file has it: prefixed when it is one of `reserved`, or starts with the prefix itself.
pub(crate) fn escape_key<'a>(key: &'a str, reserved: &[&str], scratch: &'a mut String) -> &'a str {
    // Asked for every argument that is written: most keys differ in length or their first letter.
    let head = (key.len(), key.as_bytes().first());
    let is_it = |known: &&str| (known.len(), known.as_bytes().first()) == head && *known == key;
    if !reserved.iter().any(is_it) && !key.starts_with(ESCAPE) {
        return key;
    }
    scratch.clear();
    scratch.push_str(ESCAPE);
    scratch.push_str(key);
    scratch
}

/// The key as it was recorded.
pub(crate) fn unescape_key(key: &str) -> &str {
    key.strip_prefix(ESCAPE).unwrap_or(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_round_trip() {
        let mut scratch = String::new();
        for key in ["node", "size", "arg.node", "arg.", "arg.arg.x", "", "context"] {
            let written = escape_key(key, SLICE_KEYS, &mut scratch);
            assert!(!SLICE_KEYS.contains(&written));
            assert_eq!(unescape_key(written), key);
        }
    }
}

//! Version of an interpreter, from its version text.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) minor: u32,
    /// An alpha or beta: structures may still change.
    pub(super) is_early: bool,
}

impl Version {
    /// Reads the start of a text like `3.13.0rc1 (main, …)`.
    pub(super) fn read(text: &str) -> Option<Self> {
        let version = text.split_ascii_whitespace().next()?;
        let (minor, micro) = version.strip_prefix("3.")?.split_once('.')?;
        let level = micro.trim_start_matches(|letter: char| letter.is_ascii_digit());
        Some(Self { minor: minor.parse().ok()?, is_early: level.starts_with(['a', 'b']) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_with_their_level() {
        for (text, minor, is_early) in [
            ("3.10.13 (main, Aug 24 2023) [GCC 12.3.0]", 10, false),
            ("3.11.7+ (heads/3.11:0)", 11, false),
            ("3.13.0rc2 (main)", 13, false),
            ("3.12.0a4 (main)", 12, true),
            ("3.14.0b1+ (main)", 14, true),
        ] {
            assert_eq!(Version::read(text), Some(Version { minor, is_early }), "{text}");
        }
        for text in ["", "2.7.18 (default)", "3.x.1", "4.0.0"] {
            assert_eq!(Version::read(text), None, "{text}");
        }
    }
}

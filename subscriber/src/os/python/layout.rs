//! Layout of the interpreter's structures in 64-bit release builds of CPython 3.10 to 3.14.
//!
//! Versions since 3.13 publish the offsets at the start of `_PyRuntime`, for debuggers. Those of earlier versions are
//! stable within a minor version from its release candidates on.

/// The first minor version that publishes its offsets.
pub(super) const FIRST_WITH_OFFSETS: u32 = 13;
/// Maximum length of texts: no path is longer.
pub(super) const MAX_TEXT_BYTES: usize = 4096;
/// Maximum size of line tables: a function of 10,000 lines has a table of 200 kB.
pub(super) const MAX_LINE_TABLE_BYTES: u64 = 1 << 20;

/// Offset of an object's type.
pub(super) const TYPE: u64 = 8;
/// Offsets of the length and of the content of `bytes`.
pub(super) const BYTES_LENGTH: u64 = 16;
pub(super) const BYTES: u64 = 32;
/// Offsets of a text's length and of the flags of its representation.
pub(super) const TEXT_LENGTH: u64 = 16;
pub(super) const TEXT_STATE: u64 = 32;

/// Owners of a frame from this number on denote internal frames of the interpreter, without code.
pub(super) const FIRST_OWN_FRAME: u8 = 3;

/// Start of `_PyRuntime`: a word that identifies the table, the version, and offsets.
pub(super) type Table = [u64; 64];
const COOKIE: u64 = u64::from_le_bytes(*b"xdebugpy");
/// Release level of candidates in a version number. Alphas and betas have lower levels.
const CANDIDATE: u64 = 0xc;
/// Published offsets of a frame's code, previous frame and position, equal in all known versions, and the range of the
/// owner's offset.
const OF_FRAME: [u64; 3] = [0, 8, 56];
const OF_OWNER: std::ops::Range<u64> = 64..96;

/// Offsets in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) minor: u32,
    /// In the thread's state: the innermost frame, or the structure that points to it.
    pub(super) thread_frame: u64,
    /// In the thread's state: the POSIX thread id.
    pub(super) thread_pthread: u64,
    /// In that structure: the innermost frame.
    pub(super) frame_in_between: Option<u64>,
    /// In a frame.
    pub(super) previous: u64,
    pub(super) code: u64,
    pub(super) position: u64,
    /// Before 3.11 a frame is an object, without an owner.
    pub(super) owner: Option<u64>,
    /// In a code object.
    pub(super) file: u64,
    pub(super) function: u64,
    pub(super) first_line: u64,
    pub(super) line_table: u64,
    pub(super) instructions: u64,
    /// Size of an ASCII text's header, and of other texts' headers.
    pub(super) before_ascii: u64,
    pub(super) before_text: u64,
}

impl Layout {
    pub(super) fn new(version: Version, table: Option<&Table>) -> Result<Self, String> {
        let Version { minor, is_early } = version;
        if is_early {
            return Err(format!("an alpha or beta of Python 3.{minor}"));
        }
        match minor {
            10 => Ok(Self {
                minor,
                thread_frame: 24,
                thread_pthread: 176,
                frame_in_between: None,
                previous: 24,
                code: 32,
                position: 96,
                owner: None,
                file: 104,
                function: 112,
                first_line: 40,
                line_table: 120,
                instructions: 0,
                before_ascii: 48,
                before_text: 72,
            }),
            11 => Ok(Self {
                minor,
                thread_frame: 56,
                thread_pthread: 152,
                frame_in_between: Some(8),
                previous: 48,
                code: 32,
                position: 56,
                owner: Some(69),
                file: 112,
                function: 128,
                first_line: 72,
                line_table: 136,
                instructions: 184,
                before_ascii: 48,
                before_text: 72,
            }),
            12 => Ok(Self {
                minor,
                thread_frame: 56,
                thread_pthread: 136,
                frame_in_between: Some(0),
                previous: 8,
                code: 0,
                position: 56,
                owner: Some(70),
                file: 112,
                function: 128,
                first_line: 68,
                line_table: 136,
                instructions: 192,
                before_ascii: 40,
                before_text: 56,
            }),
            13 => Self::published(minor, table, [22, 23, 28, 29, 30, 32, 34, 36, 37, 38, 42]),
            14 => Self::published(minor, table, [25, 26, 31, 32, 33, 35, 39, 41, 42, 43, 47]),
            _ => Err(format!("Python 3.{minor}; known are 3.10 to 3.14")),
        }
    }

    /// Returns the layout from a table; `places` are the indices of the words with the needed offsets.
    fn published(minor: u32, table: Option<&Table>, places: [usize; 11]) -> Result<Self, String> {
        let unknown = || format!("a Python 3.{minor} that doesn't publish its layout");
        let [cookie, version, is_free_threaded, ..] = *table.ok_or_else(unknown)?;
        let is_early = version >> 4 & 0xf < CANDIDATE;
        if cookie != COOKIE || version >> 16 != 3 << 8 | u64::from(minor) || is_early {
            return Err(unknown());
        }
        if is_free_threaded != 0 {
            return Err(format!("a free-threaded build of Python 3.{minor}"));
        }
        // Words are numbered starting after the cookie.
        let offsets =
            places.map(|place| table.and_then(|table| table.get(place + 1)).copied().unwrap_or(u64::MAX));
        let [
            thread_frame,
            thread_pthread,
            previous,
            code,
            position,
            owner,
            file,
            function,
            line_table,
            first_line,
            instructions,
        ] = offsets;
        let is_known = [code, previous, position] == OF_FRAME && OF_OWNER.contains(&owner);
        if !is_known || offsets.iter().any(|offset| *offset > 1024) {
            return Err(unknown());
        }
        Ok(Self {
            minor,
            thread_frame,
            thread_pthread,
            frame_in_between: None,
            previous,
            code,
            position,
            owner: Some(owner),
            file,
            function,
            first_line,
            line_table,
            instructions,
            before_ascii: 40,
            before_text: 56,
        })
    }
}

/// Version of an interpreter.
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

    fn release(minor: u32) -> Version {
        Version { minor, is_early: false }
    }

    fn table(version: u64, places: [usize; 11], offsets: [u64; 11]) -> Table {
        let mut table = [7; 64];
        (table[0], table[1], table[2]) = (COOKIE, version, 0);
        places.iter().zip(offsets).for_each(|(place, offset)| table[place + 1] = offset);
        table
    }

    #[test]
    fn published_offsets_are_used_where_all_is_as_known() {
        let places = [22, 23, 28, 29, 30, 32, 34, 36, 37, 38, 42];
        let good = table(0x030d_00f0, places, [72, 152, 8, 0, 56, 70, 112, 128, 136, 68, 200]);
        let layout = Layout::new(release(13), Some(&good)).unwrap();
        assert_eq!((layout.thread_frame, layout.owner, layout.instructions), (72, Some(70), 200));
        assert_eq!(layout.thread_pthread, 152);
        assert_eq!((layout.function, layout.line_table, layout.first_line), (128, 136, 68));
        let refused = |minor: u32, change: &dyn Fn(&mut Table)| {
            let mut table = good;
            change(&mut table);
            Layout::new(release(minor), Some(&table)).unwrap_err()
        };
        assert!(refused(13, &|table| table[0] += 1).contains("doesn't publish"));
        assert!(refused(14, &|_| ()).contains("doesn't publish"), "another version's table");
        assert!(refused(13, &|table| table[2] = 1).contains("free-threaded"));
        assert!(refused(13, &|table| table[23] = 1 << 40).contains("doesn't publish"));
        for version in [0x030d_00a1, 0x030d_00b2] {
            assert!(refused(13, &|table| table[1] = version).contains("doesn't publish"));
        }
        for (place, offset) in [(28, 16), (29, 8), (30, 64), (32, 63), (32, 96)] {
            assert!(refused(13, &|table| table[place + 1] = offset).contains("doesn't publish"));
        }
        assert!(Layout::new(release(13), None).is_err());
    }

    #[test]
    fn unknown_versions_are_refused() {
        for minor in [9, 15] {
            assert!(Layout::new(release(minor), None).unwrap_err().contains("known are 3.10 to 3.14"));
        }
        for minor in 10..13 {
            assert_eq!(Layout::new(release(minor), None).unwrap().minor, minor);
            let early = Version { minor, is_early: true };
            assert!(Layout::new(early, None).unwrap_err().contains("alpha or beta"));
        }
    }

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

//! Source files that the user brought along, for files that the recording names and does not hold. They stay in the page
//! as long as the trace is shown; no address holds them, and no server gets them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::format;

/// A file that the user attached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attached {
    /// Its own name, which may be another one than the recorded path's.
    pub name: String,
    /// Its text.
    pub text: Arc<str>,
}

/// The attached files by the path that they are for.
pub type AttachedFiles = BTreeMap<String, Attached>;

/// What the recording knows of a file that it does not hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// Its size, where the recorder saw the file.
    pub size_bytes: Option<u64>,
    /// The last line that something happened in.
    pub last_line: u32,
}

/// How an attached text compares with what was recorded: whether it can be the same file, and why.
pub fn compare(text: &str, recorded: Recorded) -> Result<String, String> {
    let (size, lines) = (text.len() as u64, text.lines().count() as u64);
    if let Some(known) = recorded.size_bytes.filter(|known| *known != size) {
        return Err(format!(
            "It differs from the recorded file: {} bytes, not {}. Lines may not be where they were.",
            format::count(size),
            format::count(known)
        ));
    }
    if lines < recorded.last_line.into() {
        return Err(format!(
            "It can't be the recorded file: something happened in line {}, and it has {}.",
            recorded.last_line,
            format::counted(lines, "line", "lines")
        ));
    }
    Ok(match recorded.size_bytes {
        Some(_) => "It has the size that was recorded.".to_owned(),
        None => "The recording tells nothing to compare it with but line numbers, which it has.".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_compared_by_size_and_by_lines() {
        let recorded = |size_bytes, last_line| Recorded { size_bytes, last_line };
        assert!(compare("a\nb\n", recorded(Some(4), 2)).unwrap().contains("size"));
        assert!(compare("a\nb\n", recorded(None, 2)).unwrap().contains("nothing to compare"));
        let differs = compare("a\nb\n", recorded(Some(1_234), 2)).unwrap_err();
        assert!(differs.contains("4 bytes, not 1,234"), "{differs}");
        let short = compare("a\n", recorded(None, 2)).unwrap_err();
        assert!(short.contains("line 2, and it has 1 line"), "{short}");
    }
}

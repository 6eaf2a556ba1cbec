//! Source files attached by the user for recorded files without a text. The browser stores them by trace; they are not
//! part of addresses and not sent to a server.

use std::sync::Arc;

use syclscope_language::api::TraceInfo;

use crate::format;
use crate::ordered::OrderedMap;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attached {
    /// Name of the attached file, which may differ from that of the recorded path.
    pub name: String,
    /// Size of the file. The text's size differs if the browser dropped a byte order mark or replaced letters.
    pub size_bytes: u64,
    pub text: Arc<str>,
    /// True if the browser stores the text; otherwise it is lost when the page is closed.
    pub is_stored: bool,
}

pub const KEY_PREFIX: &str = "syclscope.attached.";

/// Longest text to store: a page has a few megabytes of storage.
const MAX_STORED_BYTES: usize = 1 << 20;

impl Attached {
    /// Returns the storage key of a trace's attached file. It depends only on the recording, not on where it is opened.
    pub fn key(info: &TraceInfo, path: &str) -> String {
        let process = &info.process;
        format!(
            "{KEY_PREFIX}{}.{}.{}.{}.{path}",
            process.pid, process.start_unix_ns, info.duration_ns, info.counts.slices
        )
    }

    /// Returns the reason why the file is lost when the page closes; `None` if the browser stores it.
    pub fn loss(&self) -> Option<&'static str> {
        match (self.is_stored, self.text.len() > MAX_STORED_BYTES) {
            (true, _) => None,
            (false, true) => Some("The file is too large to be stored"),
            (false, false) => Some("The browser's storage is full or blocked"),
        }
    }

    /// Returns the stored form; `None` if it is too large.
    pub fn to_stored(&self) -> Option<String> {
        (self.text.len() <= MAX_STORED_BYTES)
            .then(|| format!("{}\t{}\n{}", self.size_bytes, self.name.replace(['\n', '\t'], " "), self.text))
    }

    pub fn from_stored(text: &str) -> Option<Self> {
        let (head, text) = text.split_once('\n')?;
        // Older versions stored no size.
        let sized = head.split_once('\t').and_then(|(size, name)| Some((size.parse().ok()?, name)));
        let (size_bytes, name) = sized.unwrap_or((text.len() as u64, head));
        Some(Self { name: name.to_owned(), size_bytes, text: text.into(), is_stored: true })
    }
}

pub type AttachedFiles = OrderedMap<String, Attached>;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// Size, if the recorder saw the file.
    pub size_bytes: Option<u64>,
    /// Last line with an event.
    pub last_line: u32,
}

/// Compares an attached file with the recorded facts; the message explains whether it can be the same file.
pub fn compare(file: &Attached, recorded: Recorded) -> Result<String, String> {
    let (size, lines) = (file.size_bytes, file.text.lines().count() as u64);
    if let Some(size_bytes) = recorded.size_bytes.filter(|size_bytes| *size_bytes != size) {
        return Err(format!(
            "Differs from the recorded file: {} bytes, not {}. Line numbers may not match.",
            format::count(size),
            format::count(size_bytes)
        ));
    }
    if lines < recorded.last_line.into() {
        return Err(format!(
            "Not the recorded file: the trace refers to line {}, but the file has {}.",
            recorded.last_line,
            format::counted(lines, "line", "lines")
        ));
    }
    Ok(match recorded.size_bytes {
        Some(_) => "Same size as the recorded file.".to_owned(),
        None => "The recording has nothing to compare but line numbers, and they exist.".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attached(text: &str) -> Attached {
        let size_bytes = text.len() as u64;
        Attached { name: "heat.cpp".into(), size_bytes, text: text.into(), is_stored: false }
    }

    #[test]
    fn what_is_kept_is_read_again() {
        let file = Attached { size_bytes: 7, is_stored: true, ..attached("a\nb\n") };
        assert_eq!(Attached::from_stored(&file.to_stored().unwrap()), Some(file.clone()));
        let older = Attached { size_bytes: 4, ..file.clone() };
        assert_eq!(Attached::from_stored("heat.cpp\na\nb\n"), Some(older));
        assert_eq!(Attached::from_stored("no text"), None);
        assert_eq!(file.loss(), None);
        let unstored = Attached { is_stored: false, ..file };
        assert!(unstored.loss().unwrap().contains("full"));
        let large = Attached { text: "x".repeat(MAX_STORED_BYTES + 1).into(), ..unstored };
        assert_eq!(large.to_stored(), None);
        assert!(large.loss().unwrap().contains("too large"));
    }

    #[test]
    fn a_kept_file_is_of_one_trace_and_path() {
        let mut info = TraceInfo::default();
        info.process.pid = 7;
        let key = Attached::key(&info, "/src/a.cpp");
        assert_eq!(key, Attached::key(&info.clone(), "/src/a.cpp"));
        assert_ne!(key, Attached::key(&info, "/src/b.cpp"));
        info.duration_ns = 1;
        assert_ne!(key, Attached::key(&info, "/src/a.cpp"));
        assert!(key.starts_with(KEY_PREFIX));
    }

    #[test]
    fn a_text_is_compared_by_size_and_by_lines() {
        let recorded = |size_bytes, last_line| Recorded { size_bytes, last_line };
        let marked = Attached { size_bytes: 7, ..attached("a\nb\n") };
        assert!(super::compare(&marked, recorded(Some(7), 2)).is_ok(), "the size is that of the file");
        let compare = |text: &str, recorded| super::compare(&attached(text), recorded);
        assert!(compare("a\nb\n", recorded(Some(4), 2)).unwrap().contains("size"));
        assert!(compare("a\nb\n", recorded(None, 2)).unwrap().contains("nothing to compare"));
        let differs = compare("a\nb\n", recorded(Some(1_234), 2)).unwrap_err();
        assert!(differs.contains("4 bytes, not 1,234"), "{differs}");
        let short = compare("a\n", recorded(None, 2)).unwrap_err();
        assert!(short.contains("line 2, but the file has 1 line"), "{short}");
    }
}

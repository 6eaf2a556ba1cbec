//! The text of source files named by events.
//!
//! The writer reads a file some time after an event first names it, so that a short program isn't delayed. At the end
//! it reads the remaining files.

use std::collections::{HashSet, VecDeque};
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::PathBuf;

use sha2::{Digest as _, Sha256};
use syclscope_language::event::{Event, EventSink, SourceFile, SourceLocation, SourceState};
use syclscope_language::time::Timestamp;

use crate::config::Config;

/// Maximum size of a recorded file in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// Delay between the first naming of a file and its reading.
const AFTER_NS: u64 = 100_000_000;

pub(crate) struct Sources {
    /// Folder of relative paths: the program's working folder at the start of the recording.
    folder: PathBuf,
    left_bytes: u64,
    files: HashSet<String>,
    newest: String,
    /// Files that have not been read, and the times when they were named.
    waiting: VecDeque<(String, u64)>,
}

struct Text {
    state: SourceState,
    size_bytes: u64,
    sha256: String,
    text: String,
}

impl Sources {
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            folder: std::env::current_dir().unwrap_or_default(),
            left_bytes: config.sources_max_bytes,
            files: HashSet::new(),
            newest: String::new(),
            waiting: VecDeque::new(),
        }
    }

    fn note(&mut self, location: SourceLocation<'_>, now_ns: u64) {
        let file = location.file;
        if file.is_empty() || file == self.newest || self.left_bytes == 0 {
            return;
        }
        file.clone_into(&mut self.newest);
        if !self.files.contains(file) {
            self.files.insert(file.to_owned());
            self.waiting.push_back((file.to_owned(), now_ns));
        }
    }

    /// Reads one file that is due, or all remaining ones at the end.
    pub(crate) fn step(&mut self, now_ns: u64, at: Timestamp, is_end: bool, sink: &mut dyn EventSink) {
        while let Some((_, named_ns)) = self.waiting.front() {
            if !is_end && now_ns < named_ns + AFTER_NS {
                return;
            }
            let Some((name, _)) = self.waiting.pop_front() else { return };
            let Text { state, size_bytes, sha256, text } = self.read(&name);
            let (name, sha256, text) = (name.as_str(), sha256.as_str(), text.as_str());
            sink.event(&Event::SourceFile(SourceFile { at, name, state, sha256, size_bytes, text }));
            if !is_end {
                return;
            }
        }
    }

    fn read(&mut self, name: &str) -> Text {
        let nothing =
            |state, size_bytes| Text { state, size_bytes, sha256: String::new(), text: String::new() };
        let path = self.folder.join(name);
        // Only regular files are opened, never a pipe or the like.
        let Some(size) =
            path.metadata().ok().filter(|metadata| metadata.is_file()).map(|metadata| metadata.len())
        else {
            return nothing(SourceState::Unreadable, 0);
        };
        let limit = MAX_FILE_BYTES.min(self.left_bytes);
        if size > limit {
            return nothing(SourceState::TooLarge, size);
        }
        let mut bytes = Vec::with_capacity(size as usize);
        let read = std::fs::File::open(&path).and_then(|file| file.take(limit + 1).read_to_end(&mut bytes));
        match read {
            Ok(length) if length as u64 <= limit => {
                self.left_bytes -= length as u64;
                Text {
                    state: SourceState::Whole,
                    size_bytes: length as u64,
                    sha256: hexadecimal(&Sha256::digest(&bytes)),
                    text: String::from_utf8_lossy(&bytes).into_owned(),
                }
            }
            // The file grew while it was read.
            Ok(_) => nothing(SourceState::TooLarge, size),
            Err(_) => nothing(SourceState::Unreadable, size),
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

pub(crate) struct Noting<'a> {
    pub(crate) sources: &'a mut Sources,
    pub(crate) now_ns: u64,
    pub(crate) behind: &'a mut dyn EventSink,
}

impl EventSink for Noting<'_> {
    fn event(&mut self, event: &Event<'_>) {
        let location = match event {
            Event::SliceBegin(slice) => slice.location,
            Event::Instant(instant) => instant.location,
            Event::Node(node) => node.location,
            Event::Allocation(memory) => memory.location,
            Event::StackFrame(frame) if frame.kind.is_users() => frame.location,
            Event::MemoryObject(object) => object.location,
            Event::Accessor(accessor) => accessor.location,
            Event::CommandGraph(graph) => graph.location,
            Event::NativeHandle(handle) => handle.location,
            _ => SourceLocation::default(),
        };
        self.sources.note(location, self.now_ns);
        self.behind.event(event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Told(Vec<(String, SourceState, u64, String, String)>);

    impl EventSink for Told {
        fn event(&mut self, event: &Event<'_>) {
            if let Event::SourceFile(file) = event {
                let (name, hash) = (file.name.to_owned(), file.sha256.to_owned());
                self.0.push((name, file.state, file.size_bytes, hash, file.text.to_owned()));
            }
        }
    }

    fn sources(folder: &std::path::Path, left_bytes: u64) -> Sources {
        let mut sources = Sources::new(&Config::for_test(PathBuf::new()));
        (sources.folder, sources.left_bytes) = (folder.to_owned(), left_bytes);
        sources
    }

    fn named(file: &str) -> SourceLocation<'_> {
        SourceLocation { function: "", file, line: 1, column: 0 }
    }

    #[test]
    fn each_file_is_read_once_when_it_is_due() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.cpp"), "abc").unwrap();
        let mut sources = sources(folder.path(), 1 << 20);
        let mut told = Told::default();
        for file in ["a.cpp", "", "a.cpp", "gone.cpp", "a.cpp"] {
            sources.note(named(file), 0);
        }
        sources.step(AFTER_NS - 1, Timestamp(0), false, &mut told);
        assert!(told.0.is_empty(), "it isn't due");
        sources.step(AFTER_NS, Timestamp(0), false, &mut told);
        assert_eq!(told.0.len(), 1, "one file in each step");
        sources.step(AFTER_NS, Timestamp(0), true, &mut told);
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let whole = ("a.cpp".to_owned(), SourceState::Whole, 3, hash.to_owned(), "abc".to_owned());
        let gone = ("gone.cpp".to_owned(), SourceState::Unreadable, 0, String::new(), String::new());
        assert_eq!(told.0, [whole, gone]);
    }

    #[test]
    fn what_is_too_large_is_only_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("large"), vec![b'x'; MAX_FILE_BYTES as usize + 1]).unwrap();
        for name in ["one", "two"] {
            std::fs::write(folder.path().join(name), [b'x'; 60]).unwrap();
        }
        let mut sources = sources(folder.path(), 100);
        let mut told = Told::default();
        let path = folder.path().display().to_string();
        for file in ["large", "one", "two", path.as_str()] {
            sources.note(named(file), 0);
        }
        sources.step(0, Timestamp(0), true, &mut told);
        let states: Vec<_> = told.0.iter().map(|file| (file.1, file.2, file.4.len())).collect();
        assert_eq!(
            states,
            [
                (SourceState::TooLarge, MAX_FILE_BYTES + 1, 0),
                (SourceState::Whole, 60, 60),
                (SourceState::TooLarge, 60, 0),
                (SourceState::Unreadable, 0, 0),
            ]
        );
    }
}

//! Lines of Python as source locations of commands, waits and allocations.
//!
//! The runtime's location of such a record is in the code that binds SYCL to Python. It is kept only if it is the
//! user's: an existing file outside of packages, such as an extension under development, or a Python line given by a
//! framework.

use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use syclscope_language::event::SourceLocation;

use super::owned_location::OwnedLocation;
use crate::lines::is_installed;
use crate::record::stack::LineRecord;

#[derive(Default)]
pub(super) struct PythonLines {
    /// The last line of each thread, and the time of its record.
    last: FxHashMap<u32, (u64, OwnedLocation)>,
    current: Option<OwnedLocation>,
    /// True if a file is the user's.
    files: FxHashMap<Arc<str>, bool>,
}

impl PythonLines {
    pub(super) fn add(&mut self, thread: u32, at_ns: u64, record: &LineRecord<'_>) {
        let LineRecord { file, function, line } = record;
        let location = SourceLocation { function, file, line: *line, column: 0 };
        match self.last.get_mut(&thread) {
            Some((at, place)) if place.location() == location => *at = at_ns,
            _ => drop(self.last.insert(thread, (at_ns, OwnedLocation::at(location)))),
        }
    }

    pub(super) fn begin(&mut self, thread: u32, at_ns: u64) {
        if self.last.is_empty() {
            return;
        }
        let line = self.last.get(&thread).filter(|(at, _)| *at == at_ns);
        self.current = line.map(|(_, location)| location.clone());
    }

    /// Returns the source location of the current record, which the runtime gives as `native`.
    pub(super) fn place(&mut self, native: OwnedLocation) -> OwnedLocation {
        match &self.current {
            Some(line) if !is_users(&mut self.files, native.file()) => line.clone(),
            _ => native,
        }
    }
}

/// True if a file exists, and is not part of a package.
fn is_users(files: &mut FxHashMap<Arc<str>, bool>, file: &Arc<str>) -> bool {
    if file.is_empty() {
        return false;
    }
    *files.entry(Arc::clone(file)).or_insert_with(|| !is_installed(file) && Path::new(&**file).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(file: &str) -> OwnedLocation {
        OwnedLocation::at(SourceLocation { function: "f", file, line: 3, column: 0 })
    }

    #[test]
    fn a_line_is_for_the_record_of_its_thread_and_time() {
        let mut lines = PythonLines::default();
        let record = LineRecord { file: "a.py".into(), function: "f".into(), line: 3 };
        let file = |lines: &mut PythonLines| lines.place(place("gone/binding.cpp")).file().to_string();
        lines.begin(7, 100);
        assert_eq!(file(&mut lines), "gone/binding.cpp");
        lines.add(7, 100, &record);
        for (thread, at, want) in
            [(7, 100, "a.py"), (8, 100, "gone/binding.cpp"), (7, 101, "gone/binding.cpp")]
        {
            lines.begin(thread, at);
            assert_eq!(file(&mut lines), want, "{thread} {at}");
        }
        lines.add(7, 200, &record);
        lines.begin(7, 200);
        assert_eq!(file(&mut lines), "a.py");
    }

    #[test]
    fn the_line_of_a_lost_record_is_not_that_of_the_next() {
        let mut lines = PythonLines::default();
        let line = |line| LineRecord { file: "a.py".into(), function: "f".into(), line };
        lines.begin(7, 100);
        lines.add(7, 100, &line(3));
        // The record of this line was dropped, and the next one has no line.
        lines.begin(7, 150);
        assert_eq!(lines.place(place("gone/binding.cpp")).file().as_ref(), "gone/binding.cpp");
        lines.begin(7, 200);
        lines.add(7, 200, &line(4));
        lines.begin(7, 200);
        assert_eq!(lines.place(place("gone/binding.cpp")).location().line, 4);
    }

    #[test]
    fn a_native_place_stands_where_it_is_the_users() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "").unwrap();
            path.to_str().unwrap().to_owned()
        };
        let mut lines = PythonLines::default();
        lines.add(7, 100, &LineRecord { file: "a.py".into(), function: "f".into(), line: 3 });
        lines.begin(7, 100);
        let (own, installed) = (path("extension.cpp"), path("lib/site-packages/numpy/core.c"));
        assert_eq!(lines.place(place(&own)).file().as_ref(), own);
        for file in [installed.as_str(), "Python-3.11.7/Objects/methodobject.c", ""] {
            assert_eq!(lines.place(place(file)).file().as_ref(), "a.py", "{file}");
        }
    }
}

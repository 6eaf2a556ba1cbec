//! The driver's log, to which tests compare recordings: a line of JSON for each call, command and object.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::sync::OnceLock;

use crate::settings::Settings;

/// Returns the log file; `None` if there is none.
fn file() -> Option<&'static File> {
    static FILE: OnceLock<Option<File>> = OnceLock::new();
    let open = || {
        let path = Settings::get().log.as_ref()?;
        File::options().create(true).append(true).open(path).ok()
    };
    FILE.get_or_init(open).as_ref()
}

/// A line under construction.
pub(crate) struct Line(String);

impl Line {
    /// Begins a line of this sort.
    pub(crate) fn new(sort: &str) -> Self {
        Self(format!("{{\"sort\":\"{sort}\""))
    }

    pub(crate) fn number(mut self, name: &str, value: u64) -> Self {
        // Writing to a text can't fail.
        let _ = write!(self.0, ",\"{name}\":{value}");
        self
    }

    pub(crate) fn text(mut self, name: &str, value: &str) -> Self {
        let _ = write!(self.0, ",\"{name}\":\"");
        for character in value.chars() {
            match character {
                '"' | '\\' => self.0.extend(['\\', character]),
                control if control.is_control() => {
                    let _ = write!(self.0, "\\u{:04x}", u32::from(control));
                }
                other => self.0.push(other),
            }
        }
        self.0.push('"');
        self
    }

    /// Writes the line in one piece, so that lines of several threads don't mix and a killed program leaves whole
    /// lines.
    pub(crate) fn end(mut self) {
        if let Some(mut file) = file() {
            self.0.push_str("}\n");
            let _ = file.write_all(self.0.as_bytes());
        }
    }
}

/// True if there is a log.
pub(crate) fn is_on() -> bool {
    file().is_some()
}

/// Logs a call of the program's.
pub(crate) fn call(name: &str, begin_ns: u64, end_ns: u64, code: u32) {
    if is_on() {
        // SAFETY: has no conditions.
        let thread = unsafe { libc::gettid() };
        Line::new("call")
            .text("name", name)
            .number("begin", begin_ns)
            .number("end", end_ns)
            .number("code", code.into())
            .number("thread", thread as u64)
            .end();
    }
}

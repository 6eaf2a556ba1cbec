//! Errors with details and a remedy.

use std::fmt;
use std::path::PathBuf;

pub(crate) type Result<T> = std::result::Result<T, Failure>;

/// A failed step, with the end of its output, its log and a remedy, if it has them.
#[derive(Debug)]
pub(crate) struct Failure {
    what: String,
    output: Option<String>,
    log: Option<PathBuf>,
    remedy: Option<String>,
}

impl Failure {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Failure { what: what.into(), output: None, log: None, remedy: None }
    }

    pub(crate) fn with_output(mut self, output: impl Into<String>) -> Self {
        self.output = Some(output.into());
        self
    }

    pub(crate) fn with_log(mut self, log: impl Into<PathBuf>) -> Self {
        self.log = Some(log.into());
        self
    }

    pub(crate) fn with_remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }

    pub(crate) fn headline(&self) -> &str {
        self.what.lines().next().unwrap_or_default()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(output) = &self.output {
            writeln!(out, "{}\n", output.trim_end())?;
        }
        write!(out, "error: {}", self.what)?;
        if let Some(log) = &self.log {
            write!(out, "\n  log: {}", log.display())?;
        }
        if let Some(remedy) = &self.remedy {
            write!(out, "\n  help: {}", remedy.replace('\n', "\n        "))?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

/// Adds the file's path to an I/O error.
pub(crate) trait AtPath<T> {
    fn at(self, doing: &str, path: &std::path::Path) -> Result<T>;
}

impl<T> AtPath<T> for std::io::Result<T> {
    fn at(self, doing: &str, path: &std::path::Path) -> Result<T> {
        self.map_err(|error| Failure::new(format!("cannot {doing} {}: {error}", path.display())))
    }
}

//! A cache of recently used traces, since further queries are likely.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use syclscope_engine::store::Trace;

use crate::{CliError, reading};

const OPEN: usize = 3;

/// Open traces, the most recently used at the end.
#[derive(Default)]
pub(super) struct Traces(Vec<Opened>);

struct Opened {
    path: PathBuf,
    /// Modification time and length of the file. If they change, the trace is read again.
    state: (Option<SystemTime>, u64),
    trace: Arc<Trace>,
}

impl Traces {
    pub(super) fn open(&mut self, path: &Path) -> Result<Arc<Trace>, CliError> {
        let metadata = path.metadata().map_err(|error| reading::unreadable(path, &error))?;
        let state = (metadata.modified().ok(), metadata.len());
        let known = self.0.iter().position(|opened| opened.path == path && opened.state == state);
        let opened = match known {
            Some(place) => self.0.remove(place),
            None => {
                self.0.retain(|opened| opened.path != path);
                if self.0.len() == OPEN {
                    self.0.remove(0);
                }
                Opened { path: path.to_owned(), state, trace: Arc::new(reading::trace(path, true)?) }
            }
        };
        let trace = Arc::clone(&opened.trace);
        self.0.push(opened);
        Ok(trace)
    }
}

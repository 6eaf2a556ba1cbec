//! Errors of queries.

use syclscope_language::question::GroupName;

use super::findings::words::time;
use crate::cancel::Stopped;

/// Reason for a query without an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// The track does not exist or has another kind than required.
    #[error("the trace has no such track: {0}")]
    NoTrack(u32),
    /// The track is neither a device, a queue nor a thread.
    #[error("track {0} is not a device, queue or thread; only these have idle times")]
    NoGaps(u32),
    /// The slice does not exist.
    #[error("the trace has no such slice: {0}")]
    NoSlice(u32),
    /// The source file does not exist.
    #[error("the trace has no such source file: {0}")]
    NoSource(u32),
    /// The slice belongs to no command.
    #[error("slice {0} is not part of a command")]
    NoCommand(u32),
    /// The node does not exist.
    #[error("the trace has no such command: {0}")]
    NoNode(u64),
    /// The buffer, image or allocation does not exist.
    #[error("the trace has no such object: {0}")]
    NoObject(u32),
    /// No command has this name.
    #[error("no command of the trace is named '{name}'{}", similar_names(similar))]
    NoCommandName {
        /// Requested name.
        name: String,
        /// Similar names of commands, best first.
        similar: Vec<String>,
    },
    /// No region has this name.
    #[error("no region of the trace is named '{0}'; `regions` lists them")]
    NoRegion(String),
    /// The run lacks the requested part.
    #[error(transparent)]
    NoPart(#[from] NoPart),
    /// One of several runs has no answer.
    #[error("{run}: {error}")]
    InRun {
        /// Name of the run.
        run: String,
        /// Error of that run.
        error: Box<Self>,
    },
    /// The process does not exist.
    #[error("the trace has no such process: {0}")]
    NoProcess(u32),
    /// The group of nodes does not exist at that level.
    #[error("the graph has no group {0} at this level; the view's nodes name the groups")]
    NoGroup(GroupName),
    /// SQL is only available in the program, which has a database.
    #[error("SQL is unavailable: open the file with `syclscope open FILE`, or use `syclscope sql FILE`")]
    NoSql,
    /// An SQL statement is invalid or not allowed.
    #[error("{0}")]
    Sql(String),
    /// The query was cancelled, or exceeded a limit.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The answer can't be written as JSON.
    #[error("an answer can't be written as JSON; please report this with the file")]
    Unwritable,
}

/// Reason for the lack of the requested part in a run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoPart {
    /// The range ends before it starts.
    #[error("no time is selected: the part must begin before it ends")]
    NoTime,
    /// The run ends before the part starts.
    #[error("the run ends before the chosen time begins: after {}", time(*end_ns))]
    Ended {
        /// End of the run in nanoseconds.
        end_ns: u64,
    },
    /// The run has no loop.
    #[error("{message}; choose a part of the run by its time, or a region")]
    NoIterations {
        /// Reason for the lack of a loop.
        message: String,
    },
    /// The loop has fewer iterations.
    #[error("no such iteration: the run has {count}, numbered from 1")]
    NoSuchIteration {
        /// Number of iterations of the loop.
        count: u64,
    },
}

fn similar_names(names: &[String]) -> String {
    match names {
        [] => "; the table `kernels` has their names".to_owned(),
        names => format!("; similar: '{}'", names.join("', '")),
    }
}

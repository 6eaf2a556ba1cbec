//! Limits of a statement: it may only read tables of its trace.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::{Connection, Statement};
use syclscope_engine::cancel::{self, Stopped};

/// Maximum size of a text, a row and a function's result.
pub(crate) const VALUE_BYTES: usize = 256 << 10;
const STATEMENT_BYTES: i32 = 16 << 10;
/// SQLite's instructions between two checks of a query's limits.
const OPERATIONS: i32 = 20;
/// Steps charged to a query per instruction, which reads a value or a row.
const STEPS: u64 = 4;
/// Steps charged per part of a statement while it is prepared, such as a SELECT with its names.
const PART_STEPS: u64 = 10_000;

/// Functions that reach beyond the tables, show addresses of the process, or take minutes for two long texts.
const REFUSED: &[&str] = &["load_extension", "fts3_tokenizer", "fts5", "sqlite_log", "json_patch"];

/// Columns that a statement reads, by table.
pub(crate) type Reads = BTreeMap<String, BTreeSet<String>>;

#[derive(Clone, Debug, Default)]
pub(crate) struct Guard(Arc<Mutex<Rules>>);

#[derive(Debug, Default)]
struct Rules {
    /// True while tables are filled in. Otherwise a statement may only read.
    is_filling: bool,
    is_preparing: bool,
    reads: Reads,
    refused: Option<String>,
    stopped: Option<Stopped>,
}

impl Guard {
    pub(crate) fn set_on(&self, connection: &Connection) -> rusqlite::Result<()> {
        for (limit, most) in [
            (Limit::SQLITE_LIMIT_LENGTH, VALUE_BYTES as i32),
            (Limit::SQLITE_LIMIT_SQL_LENGTH, STATEMENT_BYTES),
            (Limit::SQLITE_LIMIT_COLUMN, 200),
            (Limit::SQLITE_LIMIT_EXPR_DEPTH, 200),
            (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 50),
            (Limit::SQLITE_LIMIT_VDBE_OP, 100_000),
            (Limit::SQLITE_LIMIT_ATTACHED, 0),
            (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000),
            (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 100),
            (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
            (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
        ] {
            connection.set_limit(limit, most)?;
        }
        let rules = self.clone();
        connection.authorizer(Some(move |context: AuthContext<'_>| rules.decide(context.action)))?;
        let rules = self.clone();
        connection.progress_handler(OPERATIONS, Some(move || rules.is_over_limit(OPERATIONS as u64)))
    }

    /// Prepares a statement that may only read.
    pub(crate) fn prepare<'a>(
        &self,
        connection: &'a Connection,
        statement: &str,
    ) -> rusqlite::Result<Statement<'a>> {
        self.rules().is_preparing = true;
        let prepared = connection.prepare(statement);
        self.rules().is_preparing = false;
        prepared
    }

    pub(crate) fn fill<T>(&self, fill: impl FnOnce() -> T) -> T {
        self.rules().is_filling = true;
        let filled = fill();
        self.rules().is_filling = false;
        filled
    }

    pub(crate) fn reads(&self) -> Reads {
        self.rules().reads.clone()
    }

    pub(crate) fn refused(&self) -> Option<String> {
        self.rules().refused.clone()
    }

    pub(crate) fn stopped(&self) -> Option<Stopped> {
        self.rules().stopped
    }

    /// Charges the query for the work; true if it exceeds its limits and SQLite must end the statement.
    fn is_over_limit(&self, operations: u64) -> bool {
        let each = if self.rules().is_preparing { PART_STEPS } else { STEPS };
        let spent = cancel::take(operations * each);
        let is_stopped = spent.is_err();
        if let Err(stopped) = spent {
            self.rules().stopped.get_or_insert(stopped);
        }
        is_stopped
    }

    fn decide(&self, action: AuthAction<'_>) -> Authorization {
        let mut rules = self.rules();
        if rules.is_filling {
            return Authorization::Allow;
        }
        match action {
            AuthAction::Select | AuthAction::Recursive => return Authorization::Allow,
            AuthAction::Read { table_name, column_name } => {
                let columns = rules.reads.entry(table_name.to_ascii_lowercase()).or_default();
                columns.insert(column_name.to_ascii_lowercase());
                return Authorization::Allow;
            }
            AuthAction::Function { function_name }
                if !REFUSED.iter().any(|name| function_name.eq_ignore_ascii_case(name)) =>
            {
                return Authorization::Allow;
            }
            _ => {}
        }
        rules.refused.get_or_insert_with(|| words(action));
        Authorization::Deny
    }

    fn rules(&self) -> MutexGuard<'_, Rules> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Describes a refused action in the words of SQL.
fn words(action: AuthAction<'_>) -> String {
    match action {
        AuthAction::Attach { .. } => "ATTACH".to_owned(),
        AuthAction::Detach { .. } => "DETACH".to_owned(),
        AuthAction::Pragma { pragma_name, .. } => format!("PRAGMA {pragma_name}"),
        AuthAction::Function { function_name } => format!("{function_name}()"),
        AuthAction::Insert { table_name } => format!("INSERT into {table_name}"),
        AuthAction::Update { table_name, .. } => format!("UPDATE of {table_name}"),
        AuthAction::Delete { table_name } => format!("DELETE from {table_name}"),
        AuthAction::Transaction { .. } | AuthAction::Savepoint { .. } => "a transaction".to_owned(),
        _ => "a statement that changes tables".to_owned(),
    }
}

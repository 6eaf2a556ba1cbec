//! The list of traces, filtered, sorted and paged by the database.
//!
//! A statement has only the requested conditions, whose texts are all in this file. It scans the index of the
//! sort order, so that a page costs as much as its rows, and a search with few results one walk through that
//! index.

use std::collections::HashMap;

use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, Row as _};
use syclscope_language::api::{Busiest, Figures, Label, ListedTrace};

use super::{Connection, DbError, found, stored};
use crate::listing::{ListQuery, Place, SortKey};

const COLUMNS: &str = "SELECT t.id, t.project, t.name, t.size_bytes, t.stored_unix_ns, t.uploaded_by, t.pinned, t.leaves_unix_ns, f.known, \
    f.program, f.devices, f.duration_ns, f.busy_ns, f.commands, f.kernels, f.findings, f.problems, f.busiest, \
    f.busiest_ns, f.busiest_ppm";

struct Statement {
    sql: String,
    values: Vec<Place>,
}

impl Statement {
    /// Adds a value and returns its placeholder.
    fn value(&mut self, value: Place) -> String {
        self.values.push(value);
        format!("${}", self.values.len())
    }

    fn text(&mut self, text: impl Into<String>) -> String {
        self.value(Place::Text(text.into()))
    }

    fn number(&mut self, number: u64) -> String {
        self.value(Place::Number(stored(number)))
    }

    async fn rows(self, connection: &mut Connection) -> Result<Vec<AnyRow>, DbError> {
        let mut query = sqlx::query(AssertSqlSafe(self.sql));
        for value in self.values {
            query = match value {
                Place::Number(number) => query.bind(number),
                Place::Text(text) => query.bind(text),
            };
        }
        Ok(query.fetch_all(connection).await?)
    }
}

pub async fn list(connection: &mut Connection, query: &ListQuery) -> Result<Vec<ListedTrace>, DbError> {
    if query.projects.as_ref().is_some_and(Vec::is_empty) {
        return Ok(Vec::new());
    }
    let rows = statement(query).rows(&mut *connection).await?;
    let mut traces = rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    add_labels(connection, &mut traces).await?;
    Ok(traces)
}

fn statement(query: &ListQuery) -> Statement {
    let (column, id, from) = leader(query.order.key);
    let mut statement =
        Statement { sql: format!("{COLUMNS} {from} AND t.deleted_unix_ns IS NULL"), values: Vec::new() };
    if let Some(id) = &query.id {
        let id = statement.text(id);
        statement.sql += &format!(" AND t.id = {id}");
    }
    if let Some(projects) = &query.projects {
        let names: Vec<String> = projects.iter().map(|project| statement.text(project.as_str())).collect();
        statement.sql += &format!(" AND t.project IN ({})", names.join(", "));
    }
    for word in &query.words {
        let pattern = statement.text(pattern(word));
        statement.sql +=
            &format!(" AND (f.words LIKE {pattern} ESCAPE '!' OR f.label_words LIKE {pattern} ESCAPE '!')");
    }
    for (key, value) in &query.labels {
        let (key, value) = (statement.text(key), statement.text(value));
        statement.sql +=
            &format!(" AND t.id IN (SELECT trace FROM labels WHERE key = {key} AND value = {value})");
    }
    if let Some(program) = &query.program {
        let program = statement.text(program);
        statement.sql += &format!(" AND f.known = 1 AND f.program = {program}");
    }
    if query.only_whole {
        statement.sql += " AND t.id NOT IN (SELECT shows FROM links WHERE shows IS NOT NULL)";
    }
    if query.from_unix_ns > 0 {
        let from = statement.number(query.from_unix_ns);
        statement.sql += &format!(" AND t.stored_unix_ns >= {from}");
    }
    if query.until_unix_ns < u64::MAX {
        let until = statement.number(query.until_unix_ns);
        statement.sql += &format!(" AND t.stored_unix_ns < {until}");
    }
    let (behind, direction) = if query.order.descends { ("<", " DESC") } else { (">", "") };
    if let Some(after) = &query.after {
        let (place, last) = (statement.value(after.place.clone()), statement.text(&after.id));
        statement.sql += &format!(" AND ({column}, {id}) {behind} ({place}, {last})");
    }
    let limit = statement.number(u64::from(query.limit));
    statement.sql += &format!(" ORDER BY {column}{direction}, {id}{direction} LIMIT {limit}");
    statement
}

/// Returns the column of an order, the id column of its index, and its tables. SQLite reads cross-joined
/// tables in this order.
fn leader(key: SortKey) -> (&'static str, &'static str, &'static str) {
    let traces = "FROM traces t CROSS JOIN figures f WHERE f.trace = t.id";
    let figures = "FROM figures f CROSS JOIN traces t WHERE t.id = f.trace";
    let of_figures = |column| (column, "f.trace", figures);
    match key {
        SortKey::Size => ("t.size_bytes", "t.id", traces),
        SortKey::Stored => ("t.stored_unix_ns", "t.id", traces),
        SortKey::Name => of_figures("f.name_order"),
        SortKey::Program => of_figures("f.program_order"),
        SortKey::Duration => of_figures("f.duration_ns"),
        SortKey::Busy => of_figures("f.busy_ns"),
        SortKey::Launches => of_figures("f.kernels"),
        SortKey::Device => of_figures("f.device_order"),
        SortKey::Busiest => of_figures("f.busiest_order"),
        SortKey::Share => of_figures("f.busiest_ppm"),
        SortKey::Findings => of_figures("f.findings"),
        SortKey::By => of_figures("f.by_order"),
    }
}

fn pattern(word: &str) -> String {
    let mut pattern = "%".to_owned();
    for letter in word.chars() {
        if matches!(letter, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(letter);
    }
    pattern + "%"
}

/// Adds the labels of each trace, sorted by key.
async fn add_labels(connection: &mut Connection, traces: &mut [ListedTrace]) -> Result<(), DbError> {
    if traces.is_empty() {
        return Ok(());
    }
    let mut statement = Statement { sql: String::new(), values: Vec::new() };
    let ids: Vec<String> = traces.iter().map(|trace| statement.text(&trace.id)).collect();
    statement.sql = format!("SELECT trace, key, value FROM labels WHERE trace IN ({})", ids.join(", "));
    let mut labels: HashMap<String, Vec<Label>> = HashMap::new();
    for row in statement.rows(connection).await? {
        let label = Label { key: row.try_get("key")?, value: row.try_get("value")? };
        labels.entry(row.try_get("trace")?).or_default().push(label);
    }
    for trace in traces {
        trace.labels = labels.remove(&trace.id).unwrap_or_default();
        trace.labels.sort();
    }
    Ok(())
}

fn read(row: &AnyRow) -> Result<ListedTrace, DbError> {
    let is_known = row.try_get::<i64, _>("known")? != 0;
    Ok(ListedTrace {
        id: row.try_get("id")?,
        name: row.try_get("name")?,
        size_bytes: found(row.try_get("size_bytes")?),
        stored_unix_ns: found(row.try_get("stored_unix_ns")?),
        project: row.try_get("project")?,
        by: row.try_get("uploaded_by")?,
        is_pinned: row.try_get::<i64, _>("pinned")? != 0,
        leaves_unix_ns: row.try_get::<Option<i64>, _>("leaves_unix_ns")?.map(found),
        labels: Vec::new(),
        figures: is_known.then(|| read_figures(row)).transpose()?,
    })
}

fn read_figures(row: &AnyRow) -> Result<Figures, DbError> {
    let devices: String = row.try_get("devices")?;
    let busiest_ppm: i64 = row.try_get("busiest_ppm")?;
    let busiest = Busiest {
        name: row.try_get("busiest")?,
        total_ns: found(row.try_get("busiest_ns")?),
        share: busiest_ppm as f64 / 1e6,
    };
    Ok(Figures {
        program: row.try_get("program")?,
        duration_ns: found(row.try_get("duration_ns")?),
        busy_ns: found(row.try_get("busy_ns")?),
        commands: found(row.try_get("commands")?),
        launches: found(row.try_get("kernels")?),
        devices: devices.lines().map(str::to_owned).collect(),
        busiest: (busiest_ppm >= 0).then_some(busiest),
        findings: found(row.try_get("findings")?),
        problems: found(row.try_get("problems")?),
    })
}

#[cfg(test)]
mod tests;

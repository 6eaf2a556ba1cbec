//! Metrics of traces for display, search and sorting in lists. Every trace has a row from the start.

use std::collections::HashMap;

use sqlx::{AssertSqlSafe, Row as _};

use super::labels::{self, Labels};
use super::traces::TraceRow;
use super::{Connection, DbError, corrupt, stored};
use crate::ingest::trace_metrics::StoredMetrics;
use crate::listing::in_memory::{label_words, words};
use crate::listing::{letters, ppm};
use syclscope_system::id::Id;

/// Kind of the job that computes the metrics of a trace.
pub const FIGURES: &str = "figures";

/// Writes the row of a trace, with its metrics if known.
///
/// # Errors
/// Returns [`DbError::Missing`] if there is no such trace.
pub async fn set(
    connection: &mut Connection,
    row: &TraceRow,
    labels: &Labels,
    metrics: Option<&StoredMetrics>,
) -> Result<(), DbError> {
    let insert = sqlx::query(
        "INSERT INTO figures (trace, known, program, devices, duration_ns, busy_ns, commands, kernels, findings, \
         problems, busiest, busiest_ns, busiest_ppm, words, label_words, name_order, by_order, program_order, \
         device_order, busiest_order, sample) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21) \
         ON CONFLICT (trace) DO UPDATE SET known = excluded.known, program = excluded.program, \
         devices = excluded.devices, duration_ns = excluded.duration_ns, busy_ns = excluded.busy_ns, \
         commands = excluded.commands, kernels = excluded.kernels, findings = excluded.findings, \
         problems = excluded.problems, busiest = excluded.busiest, busiest_ns = excluded.busiest_ns, \
         busiest_ppm = excluded.busiest_ppm, words = excluded.words, label_words = excluded.label_words, \
         name_order = excluded.name_order, by_order = excluded.by_order, program_order = excluded.program_order, \
         device_order = excluded.device_order, busiest_order = excluded.busiest_order, \
         sample = excluded.sample",
    );
    let figures = metrics.map(|metrics| &metrics.figures);
    let number = |number: Option<u64>| number.map_or(-1, stored);
    let (program, devices) =
        figures.map_or(("", &[][..]), |figures| (figures.program.as_str(), &figures.devices));
    let busiest = figures.and_then(|figures| figures.busiest.as_ref());
    let busiest_name = busiest.map_or("", |busiest| &busiest.name);
    let by = row.uploaded_by.as_ref().map(|by| by.name.as_str());
    let kernels = metrics.into_iter().flat_map(|metrics| metrics.kernels.iter().map(String::as_str));
    let insert = insert.bind(row.id.as_str()).bind(i64::from(metrics.is_some())).bind(program);
    let insert = insert.bind(devices.join("\n"));
    let insert = insert.bind(number(figures.map(|figures| figures.duration_ns)));
    let insert = insert.bind(number(figures.map(|figures| figures.busy_ns)));
    let insert = insert.bind(number(figures.map(|figures| figures.commands)));
    let insert = insert.bind(number(figures.map(|figures| figures.launches)));
    let insert = insert.bind(number(figures.map(|figures| figures.findings)));
    let insert = insert.bind(number(figures.map(|figures| figures.problems)));
    let insert = insert.bind(busiest_name).bind(number(busiest.map(|busiest| busiest.total_ns)));
    let insert = insert.bind(busiest.map_or(-1, |busiest| ppm(busiest.share)));
    let insert = insert.bind(words(&row.name, by, program, devices, kernels)).bind(of_labels(labels));
    let insert = insert.bind(letters(&row.name)).bind(letters(by.unwrap_or_default())).bind(letters(program));
    let insert = insert.bind(letters(devices.first().map_or("", String::as_str))).bind(letters(busiest_name));
    let sample = metrics.map(|metrics| serde_json::to_string(&metrics.sample)).transpose();
    let insert = insert.bind(sample.map_err(|error| corrupt(&error))?.unwrap_or_default());
    insert.execute(connection).await?;
    Ok(())
}

/// Returns stored samples for histories, as JSON by trace; only of traces that have them.
pub async fn samples(
    connection: &mut Connection,
    traces: &[String],
) -> Result<HashMap<String, String>, DbError> {
    if traces.is_empty() {
        return Ok(HashMap::new());
    }
    let places: Vec<String> = (1..=traces.len()).map(|place| format!("${place}")).collect();
    let text =
        format!("SELECT trace, sample FROM figures WHERE sample <> '' AND trace IN ({})", places.join(", "));
    let mut select = sqlx::query(AssertSqlSafe(text));
    for trace in traces {
        select = select.bind(trace);
    }
    let rows = select.fetch_all(connection).await?;
    rows.iter().map(|row| Ok((row.try_get("trace")?, row.try_get("sample")?))).collect()
}

/// True if the metrics of a trace are stored.
pub async fn are_known(connection: &mut Connection, trace: &Id) -> Result<bool, DbError> {
    let select = sqlx::query("SELECT 1 AS one FROM figures WHERE trace = $1 AND known = 1");
    Ok(select.bind(trace.as_str()).fetch_optional(connection).await?.is_some())
}

/// Locks the row of a trace until the transaction ends. Labels read under the lock are the latest.
pub async fn hold(connection: &mut Connection, trace: &Id) -> Result<(), DbError> {
    let update = sqlx::query("UPDATE figures SET known = known WHERE trace = $1");
    update.bind(trace.as_str()).execute(connection).await?;
    Ok(())
}

/// Updates the search text of a trace for its current labels. Label changes call it in the same transaction.
pub async fn follow_labels(connection: &mut Connection, trace: &Id) -> Result<(), DbError> {
    hold(connection, trace).await?;
    let labels = labels::on_trace(connection, trace).await?;
    let update = sqlx::query("UPDATE figures SET label_words = $2 WHERE trace = $1");
    update.bind(trace.as_str()).bind(of_labels(&labels)).execute(connection).await?;
    Ok(())
}

fn of_labels(labels: &Labels) -> String {
    label_words(labels.iter().map(|(key, value)| (key.as_str(), value.as_str())))
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, testing, traces};
    use super::*;

    /// Waits until a transaction of this database waits for another one.
    async fn until_one_waits(connection: &mut Connection) {
        let waiting = "SELECT count(*) AS waiting FROM pg_stat_activity \
                       WHERE datname = current_database() AND wait_event_type = 'Lock'";
        while sqlx::query(waiting).fetch_one(&mut *connection).await.unwrap().get::<i64, _>("waiting") == 0 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn labels_that_are_set_at_once_are_all_found() {
        for base in testing::databases().await {
            let row = testing::trace("labelled");
            let connection = &mut *base.db.reading().await.unwrap();
            traces::add(connection, &row).await.unwrap();
            set(connection, &row, &Labels::new(), None).await.unwrap();
            let begin = async |key: &str| {
                let mut transaction = base.db.writing().await.unwrap();
                let new = Labels::from([(key.to_owned(), "x".to_owned())]);
                labels::set(&mut transaction, &row.id, &new).await.unwrap();
                transaction
            };
            let mut first = begin("one").await;
            if base.db.kind() == Kind::Sqlite {
                // SQLite has one writer at a time.
                follow_labels(&mut first, &row.id).await.unwrap();
                first.commit().await.unwrap();
                let mut second = begin("two").await;
                follow_labels(&mut second, &row.id).await.unwrap();
                second.commit().await.unwrap();
            } else {
                let mut second = begin("two").await;
                follow_labels(&mut first, &row.id).await.unwrap();
                let follows = follow_labels(&mut second, &row.id);
                let commits = async {
                    until_one_waits(connection).await;
                    first.commit().await.unwrap();
                };
                let (followed, ()) = tokio::join!(follows, commits);
                followed.unwrap();
                second.commit().await.unwrap();
            }
            let select = sqlx::query("SELECT label_words FROM figures WHERE trace = $1");
            let select = select.bind(row.id.as_str());
            let words: String = select.fetch_one(&mut *connection).await.unwrap().get("label_words");
            assert_eq!(words, "one:x\ntwo:x");
        }
    }
}

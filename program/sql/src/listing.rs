//! The tables with their columns.

use syclscope_engine::store::Trace;
use syclscope_engine::tables::parquet::tables;
use syclscope_language::api::{SqlCell, SqlColumn, SqlKind, SqlRows};

/// Returns a row for each column of each table.
pub(crate) fn tables_with_columns(trace: &Trace) -> SqlRows {
    let text = |text: &str| SqlCell::Text(text.to_owned());
    let mut rows = Vec::new();
    for table in tables(trace) {
        let count = SqlCell::Integer(table.rows() as i64);
        rows.extend(table.columns().map(|column| {
            let type_name = text(column.type_name);
            vec![text(table.name()), count.clone(), text(column.name), type_name, text(column.about)]
        }));
    }
    let column = |(name, kind): (&str, SqlKind)| SqlColumn { name: name.to_owned(), kind };
    let columns = [
        ("table", SqlKind::Text),
        ("rows", SqlKind::Integer),
        ("column", SqlKind::Text),
        ("type", SqlKind::Text),
        ("meaning", SqlKind::Text),
    ];
    SqlRows { columns: columns.map(column).into(), rows, is_cut: false }
}

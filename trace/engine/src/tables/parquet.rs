//! Tables of a trace as Apache Parquet files, for DuckDB, pandas or a cluster's SQL engine.
//!
//! [`tables`] lists them, each with its columns and their meaning; `docs/TABLES.md` is [`describe`]'s text. Times are
//! ns since the start of the trace and sizes bytes, as the suffixes of the names show.

mod cells;
mod graph;
mod machine;
mod time;

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use syclscope_language::event::Value;

pub use self::cells::{Cell, ColumnInfo};
use crate::cancel::{self, Steps};
use crate::id::{ArgsId, LocationId, StringId};
use crate::store::Trace;

/// Number of rows written together.
const GROUP_ROWS: usize = 1 << 18;
/// Bytes of a text that count as one step.
const STEP_BYTES: usize = 64;

/// A table of a trace for export.
pub struct Table<'a> {
    name: &'static str,
    about: &'static str,
    rows: usize,
    columns: Vec<Column<'a>>,
}

struct Column<'a> {
    name: &'static str,
    about: &'static str,
    values: Values<'a>,
}

enum Values<'a> {
    Int(Box<dyn Fn(usize) -> u64 + 'a>),
    MaybeInt(Box<dyn Fn(usize) -> Option<i64> + 'a>),
    /// An address or handle, with all 64 bits.
    Address(Box<dyn Fn(usize) -> u64 + 'a>),
    Float(Box<dyn Fn(usize) -> f64 + 'a>),
    Text(Box<dyn Fn(usize) -> Cow<'a, str> + 'a>),
    Truth(Box<dyn Fn(usize) -> bool + 'a>),
}

impl std::fmt::Debug for Table<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} with {} rows", self.name, self.rows)
    }
}

/// Returns every table of a trace.
pub fn tables(trace: &Trace) -> Vec<Table<'_>> {
    let mut tables = time::tables(trace);
    tables.extend(graph::tables(trace));
    tables.extend(machine::tables(trace));
    tables
}

/// Returns the name of every table.
pub fn names() -> Vec<&'static str> {
    tables(&Trace::default()).iter().map(Table::name).collect()
}

/// Returns the documentation of the tables, as Markdown.
pub fn describe() -> String {
    let trace = Trace::default();
    let mut text = String::new();
    for table in tables(&trace) {
        text += &format!("\n## {}\n\n{}\n\n| column | type | |\n|---|---|---|\n", table.name, table.about);
        for column in &table.columns {
            text += &format!("| `{}` | {} | {} |\n", column.name, column.values.type_name(), column.about);
        }
    }
    text
}

impl<'a> Table<'a> {
    fn new(name: &'static str, about: &'static str, rows: usize) -> Self {
        Self { name, about, rows, columns: Vec::new() }
    }

    /// Returns the name of the table; the name of its file has `.parquet` appended.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    fn with(mut self, name: &'static str, about: &'static str, values: Values<'a>) -> Self {
        self.columns.push(Column { name, about, values });
        self
    }

    fn int(self, name: &'static str, about: &'static str, value: impl Fn(usize) -> u64 + 'a) -> Self {
        self.with(name, about, Values::Int(Box::new(value)))
    }

    fn maybe(
        self,
        name: &'static str,
        about: &'static str,
        value: impl Fn(usize) -> Option<u64> + 'a,
    ) -> Self {
        self.signed(name, about, move |row| value(row).map(u64::cast_signed))
    }

    fn signed(
        self,
        name: &'static str,
        about: &'static str,
        value: impl Fn(usize) -> Option<i64> + 'a,
    ) -> Self {
        self.with(name, about, Values::MaybeInt(Box::new(value)))
    }

    fn address(self, name: &'static str, about: &'static str, value: impl Fn(usize) -> u64 + 'a) -> Self {
        self.with(name, about, Values::Address(Box::new(value)))
    }

    fn float(self, name: &'static str, about: &'static str, value: impl Fn(usize) -> f64 + 'a) -> Self {
        self.with(name, about, Values::Float(Box::new(value)))
    }

    fn truth(self, name: &'static str, about: &'static str, value: impl Fn(usize) -> bool + 'a) -> Self {
        self.with(name, about, Values::Truth(Box::new(value)))
    }

    fn text(self, name: &'static str, about: &'static str, value: impl Fn(usize) -> &'a str + 'a) -> Self {
        self.with(name, about, Values::Text(Box::new(move |row| Cow::Borrowed(value(row)))))
    }

    fn string(
        self,
        name: &'static str,
        about: &'static str,
        trace: &'a Trace,
        value: impl Fn(usize) -> StringId + 'a,
    ) -> Self {
        self.text(name, about, move |row| trace.strings.get(value(row)))
    }

    fn place(self, trace: &'a Trace, location: impl Fn(usize) -> LocationId + Clone + 'a) -> Self {
        let place = move |row| trace.locations.place(location(row), &trace.strings);
        let (function, file, line) = (place.clone(), place.clone(), place.clone());
        self.text("function", "Function in the source code, empty if not known", move |row| {
            function(row).map_or("", |place| place.function)
        })
        .text("file", "Source file, empty if not known", move |row| file(row).map_or("", |place| place.file))
        .int("line", "Line, counted from 1; 0 if not known", move |row| {
            line(row).map_or(0, |place| place.line.into())
        })
        .int("column", "Column, counted from 1; 0 if not known", move |row| {
            place(row).map_or(0, |place| place.column.into())
        })
    }

    fn args(self, trace: &'a Trace, args: impl Fn(usize) -> ArgsId + 'a) -> Self {
        let text = move |row| Cow::Owned(json(trace, args(row)));
        self.with(
            "args",
            "Arguments as a JSON object; addresses are texts (`\"0x…\"`)",
            Values::Text(Box::new(text)),
        )
    }

    /// Writes the table.
    ///
    /// # Errors
    /// Returns an error if writing to `out` fails.
    pub fn write<W: io::Write + Send>(&self, out: W) -> io::Result<W> {
        self.write_groups(out).map_err(|error| match error {
            ParquetError::External(error) => match error.downcast::<io::Error>() {
                Ok(error) => *error,
                Err(error) => io::Error::other(error),
            },
            other => io::Error::other(other),
        })
    }

    fn write_groups<W: io::Write + Send>(&self, out: W) -> Result<W, ParquetError> {
        let fields = self.columns.iter().map(|column| column.values.field(column.name));
        let schema = format!("message {} {{ {} }}", self.name, fields.collect::<String>());
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_created_by(format!("syclscope {}", env!("CARGO_PKG_VERSION")))
            .build();
        let mut writer =
            SerializedFileWriter::new(out, Arc::new(parse_message_type(&schema)?), Arc::new(properties))?;
        let mut from = 0;
        while from < self.rows {
            let to = self.rows.min(from + GROUP_ROWS);
            let mut group = writer.next_row_group()?;
            for column in &self.columns {
                column.values.write(from..to, &mut group)?;
            }
            group.close()?;
            from = to;
        }
        writer.into_inner()
    }
}

impl Values<'_> {
    fn type_name(&self) -> &'static str {
        match self {
            Self::Int(_) => "BIGINT",
            Self::MaybeInt(_) => "BIGINT, may be null",
            Self::Address(_) => "UBIGINT",
            Self::Float(_) => "DOUBLE",
            Self::Text(_) => "VARCHAR",
            Self::Truth(_) => "BOOLEAN",
        }
    }

    fn field(&self, name: &str) -> String {
        match self {
            Self::Int(_) => format!("REQUIRED INT64 {name}; "),
            Self::MaybeInt(_) => format!("OPTIONAL INT64 {name}; "),
            Self::Address(_) => format!("REQUIRED INT64 {name} (INTEGER(64,false)); "),
            Self::Float(_) => format!("REQUIRED DOUBLE {name}; "),
            Self::Text(_) => format!("REQUIRED BYTE_ARRAY {name} (STRING); "),
            Self::Truth(_) => format!("REQUIRED BOOLEAN {name}; "),
        }
    }

    fn write<W: io::Write + Send>(
        &self,
        rows: std::ops::Range<usize>,
        group: &mut SerializedRowGroupWriter<'_, W>,
    ) -> Result<(), ParquetError> {
        // Short tables count, too.
        cancel::spend(1);
        let mut steps = Steps::default();
        let rows = rows.inspect(|_| steps.add(1));
        match self {
            Self::Int(value) | Self::Address(value) => put::<Int64Type, W>(
                group,
                &rows.map(|row| value(row).cast_signed()).collect::<Vec<_>>(),
                None,
            ),
            Self::MaybeInt(value) => {
                let values: Vec<Option<i64>> = rows.map(value).collect();
                let there: Vec<i16> = values.iter().map(|value| value.is_some().into()).collect();
                put::<Int64Type, W>(group, &values.into_iter().flatten().collect::<Vec<_>>(), Some(&there))
            }
            Self::Float(value) => put::<DoubleType, W>(group, &rows.map(value).collect::<Vec<_>>(), None),
            Self::Truth(value) => put::<BoolType, W>(group, &rows.map(value).collect::<Vec<_>>(), None),
            Self::Text(value) => {
                // Texts shared by many rows are written for each row.
                let mut text_steps = Steps::default();
                let texts = rows.map(|row| {
                    let text = value(row).into_owned();
                    text_steps.add(text.len() / STEP_BYTES);
                    ByteArray::from(text.into_bytes())
                });
                put::<ByteArrayType, W>(group, &texts.collect::<Vec<_>>(), None)
            }
        }
    }
}

fn put<T: DataType, W: io::Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
    there: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let mut column =
        group.next_column()?.ok_or_else(|| ParquetError::General("no such column".to_owned()))?;
    column.typed::<T>().write_batch(values, there, None)?;
    column.close()
}

/// Returns arguments as a JSON object.
fn json(trace: &Trace, args: ArgsId) -> String {
    let mut object = serde_json::Map::new();
    for (key, value) in trace.args.get(args, &trace.strings) {
        let value = match value {
            Value::Str(text) => text.into(),
            Value::Int(number) => number.into(),
            Value::Uint(number) => number.into(),
            Value::Float(number) => number.into(),
            Value::Bool(truth) => truth.into(),
            Value::Pointer(address) => format!("{address:#x}").into(),
        };
        object.insert(key.to_owned(), value);
    }
    serde_json::Value::Object(object).to_string()
}

/// Returns the number of a row in another table, if there is one.
fn row_number(row: u32) -> Option<u64> {
    crate::id::some(row).map(u64::from)
}

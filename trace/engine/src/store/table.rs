//! Tables: rows of a fixed shape, stored as one column per field.
//!
//! [`table`] declares a row and its table; [`columns`] lists the columns of other structs. A new table of a trace must
//! be listed in the `columns!` of [`super::Trace`]: then it is counted, stored in derived files and read back like the
//! others.

use super::column::{AnyColumn, Cell, Column};
use crate::cancel;

pub(crate) trait Columns {
    /// Calls `show` with every column and its name, which starts with `path`.
    fn columns<'a>(&'a self, path: &str, show: &mut dyn FnMut(&str, &'a dyn AnyColumn));

    /// Like [`Self::columns`], for filling the columns.
    fn columns_mut(&mut self, path: &str, show: &mut dyn FnMut(&str, &mut dyn AnyColumn));
}

impl<C: Cell> Columns for Column<C> {
    fn columns<'a>(&'a self, path: &str, show: &mut dyn FnMut(&str, &'a dyn AnyColumn)) {
        show(path, self);
    }

    fn columns_mut(&mut self, path: &str, show: &mut dyn FnMut(&str, &mut dyn AnyColumn)) {
        show(path, self);
    }
}

/// Returns the memory of some columns in bytes: owned, and in mapped files.
pub(crate) fn memory_bytes(columns: &impl Columns) -> (usize, usize) {
    let (mut heap, mut mapped) = (0, 0);
    columns.columns("", &mut |_, column| {
        heap += column.heap_bytes();
        mapped += column.mapped_bytes();
    });
    (heap, mapped)
}

pub(crate) trait Table: Columns + Default {
    type Row: Copy;

    fn len(&self) -> usize;

    /// Returns the values of a row; zeros if there is no such row.
    fn row(&self, row: usize) -> Self::Row;

    fn push(&mut self, row: &Self::Row);

    /// Returns the values of an existing row.
    fn get(&self, row: u32) -> Option<Self::Row> {
        ((row as usize) < self.len()).then(|| self.row(row as usize))
    }

    fn iter(&self) -> impl ExactSizeIterator<Item = Self::Row> {
        (0..self.len()).map(|row| {
            cancel::row(row);
            self.row(row)
        })
    }

    /// Returns a table of the given rows.
    fn of_rows(rows: impl ExactSizeIterator<Item = Self::Row>) -> Self {
        let mut table = Self::default();
        let count = rows.len();
        table.columns_mut("", &mut |_, column| column.reserve(count));
        rows.for_each(|row| table.push(&row));
        table
    }
}

/// Declares the columns of a struct, and its fields that have columns.
macro_rules! columns {
    ($type:ty { $($field:ident),+ $(,)? }) => {
        impl crate::store::table::Columns for $type {
            fn columns<'a>(
                &'a self,
                path: &str,
                show: &mut dyn FnMut(&str, &'a dyn crate::store::column::AnyColumn),
            ) {
                use crate::store::table::{Columns, below};
                $(Columns::columns(&self.$field, &below(path, stringify!($field)), show);)+
            }

            fn columns_mut(
                &mut self,
                path: &str,
                show: &mut dyn FnMut(&str, &mut dyn crate::store::column::AnyColumn),
            ) {
                use crate::store::table::{Columns, below};
                $(Columns::columns_mut(&mut self.$field, &below(path, stringify!($field)), show);)+
            }
        }
    };
}

/// Returns the name of a part of `path`.
pub(crate) fn below(path: &str, part: &str) -> String {
    if path.is_empty() { part.to_owned() } else { format!("{path}.{part}") }
}

/// Declares a row and its table.
macro_rules! table {
    (
        $(#[$table_doc:meta])* $table:ident,
        $(#[$row_doc:meta])* $row:ident {
            $($(#[$doc:meta])* $field:ident: $type:ty,)+
        }
    ) => {
        $(#[$row_doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub(crate) struct $row {
            $($(#[$doc])* pub(crate) $field: $type,)+
        }

        $(#[$table_doc])*
        #[derive(Clone, Debug, Default)]
        pub(crate) struct $table {
            $($(#[$doc])* pub(crate) $field: crate::store::column::Column<$type>,)+
        }

        crate::store::table::columns!($table { $($field),+ });

        impl crate::store::table::Table for $table {
            type Row = $row;

            fn len(&self) -> usize {
                [$(self.$field.len(),)+].into_iter().min().unwrap_or_default()
            }

            fn row(&self, row: usize) -> $row {
                $row { $($field: self.$field.at(row),)+ }
            }

            fn push(&mut self, row: &$row) {
                $(self.$field.push(row.$field);)+
            }
        }
    };
}

pub(crate) use {columns, table};

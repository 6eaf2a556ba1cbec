//! Source locations, each stored once.

use rustc_hash::FxHashMap;
use syclscope_language::event::SourceLocation;

use super::table::{Table as _, table};
use crate::id::{LocationId, StringId};
use crate::strings::{StringInterner, StringTable};

table! {
    /// The source locations of a trace.
    LocationTable,
    /// A source location.
    Location {
        function: StringId,
        file: StringId,
        /// Line, counted from 1.
        line: u32,
        /// Column, counted from 1.
        column: u32,
    }
}

impl LocationTable {
    /// Returns the source location with a number, `None` for the unknown one.
    pub(crate) fn place<'a>(&self, id: LocationId, strings: &'a StringTable) -> Option<SourceLocation<'a>> {
        let row = Some(id.index()).filter(|row| (1..self.len()).contains(row))?;
        let place = self.row(row);
        Some(SourceLocation {
            function: strings.get(place.function),
            file: strings.get(place.file),
            line: place.line,
            column: place.column,
        })
    }
}

#[derive(Clone, Debug)]
pub(crate) struct LocationInterner {
    table: LocationTable,
    numbers: FxHashMap<(StringId, StringId, u32, u32), u32>,
}

impl Default for LocationInterner {
    fn default() -> Self {
        let nowhere = Location { function: StringId(0), file: StringId(0), line: 0, column: 0 };
        Self { table: LocationTable::of_rows([nowhere].into_iter()), numbers: FxHashMap::default() }
    }
}

impl LocationInterner {
    pub(crate) fn intern(&mut self, place: &SourceLocation<'_>, strings: &mut StringInterner) -> LocationId {
        if *place == SourceLocation::default() {
            return LocationId(0);
        }
        let SourceLocation { function, file, line, column } = *place;
        let location =
            Location { function: strings.intern(function), file: strings.intern(file), line, column };
        let table = &mut self.table;
        let key = (location.function, location.file, line, column);
        let number = *self.numbers.entry(key).or_insert_with(|| {
            table.push(&location);
            table.len() as u32 - 1
        });
        LocationId(number)
    }

    pub(crate) fn finish(self) -> LocationTable {
        self.table
    }
}

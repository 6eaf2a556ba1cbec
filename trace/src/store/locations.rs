//! Source locations, each stored once.

use crate::event::SourceLocation;
use crate::hash::FastMap;
use crate::id::{LocationId, StringId};
use crate::strings::{StringInterner, StringTable};

/// A place in the source code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Location {
    pub(crate) function: StringId,
    pub(crate) file: StringId,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// The source locations of a trace.
#[derive(Clone, Debug)]
pub(crate) struct LocationTable(Vec<Location>);

impl Default for LocationTable {
    fn default() -> Self {
        Self(vec![Location::default()])
    }
}

impl LocationTable {
    /// The place of a number, `None` for the unknown one.
    pub(crate) fn get<'a>(&self, id: LocationId, strings: &'a StringTable) -> Option<SourceLocation<'a>> {
        let place = self.0.get(id.index()).filter(|place| **place != Location::default())?;
        Some(SourceLocation {
            function: strings.get(place.function),
            file: strings.get(place.file),
            line: place.line,
            column: place.column,
        })
    }

    /// Bytes that the table takes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.0.capacity() * size_of::<Location>()
    }
}

/// Fills a [`LocationTable`].
#[derive(Clone, Debug, Default)]
pub(crate) struct LocationInterner {
    table: LocationTable,
    numbers: FastMap<Location, u32>,
}

impl LocationInterner {
    /// The number of a place.
    pub(crate) fn intern(&mut self, place: &SourceLocation<'_>, strings: &mut StringInterner) -> LocationId {
        if *place == SourceLocation::default() {
            return LocationId(0);
        }
        let SourceLocation { function, file, line, column } = *place;
        let location =
            Location { function: strings.intern(function), file: strings.intern(file), line, column };
        let table = &mut self.table.0;
        let number = *self.numbers.entry(location).or_insert_with(|| {
            table.push(location);
            table.len() as u32 - 1
        });
        LocationId(number)
    }

    /// The filled table.
    pub(crate) fn finish(self) -> LocationTable {
        self.table
    }
}

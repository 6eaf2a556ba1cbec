//! Columns: arrays of values of one type, in memory of their own or in the bytes of a mapped file.
//!
//! A query reads both in the same way. Rows beyond the end read as the value of a zero, so that a damaged file can give
//! wrong values, but never an access outside of the file.

mod cell;

use std::ops::Deref;

pub(crate) use self::cell::{Cell, Raw};

/// A column of `C`, stored as raw numbers.
#[derive(Clone)]
pub(crate) struct Column<C: Cell> {
    values: Values<C::Raw>,
}

#[derive(Clone)]
enum Values<R: Raw> {
    Owned(Vec<R>),
    #[cfg(all(feature = "tables", not(target_arch = "wasm32")))]
    Mapped(arrow_buffer::ScalarBuffer<R>),
}

impl<C: Cell> Column<C> {
    pub(crate) fn raw(&self) -> &[C::Raw] {
        match &self.values {
            Values::Owned(values) => values,
            #[cfg(all(feature = "tables", not(target_arch = "wasm32")))]
            Values::Mapped(values) => values,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.raw().len()
    }

    pub(crate) fn at(&self, row: usize) -> C {
        C::of_raw(self.raw().get(row).copied().unwrap_or_default())
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = C> + Clone {
        self.raw().iter().map(|raw| C::of_raw(*raw))
    }

    pub(crate) fn push(&mut self, value: C) {
        self.owned().push(value.to_raw());
    }

    /// Returns the raw numbers, to be filled; a mapped column is copied first.
    pub(crate) fn owned(&mut self) -> &mut Vec<C::Raw> {
        #[cfg(all(feature = "tables", not(target_arch = "wasm32")))]
        if let Values::Mapped(values) = &self.values {
            self.values = Values::Owned(values.to_vec());
        }
        match &mut self.values {
            Values::Owned(values) => values,
            #[cfg(all(feature = "tables", not(target_arch = "wasm32")))]
            Values::Mapped(_) => unreachable!("it was just copied"),
        }
    }
}

impl<C: Cell> Default for Column<C> {
    fn default() -> Self {
        Self { values: Values::Owned(Vec::new()) }
    }
}

impl<C: Cell> std::fmt::Debug for Column<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} values", self.len())
    }
}

impl<C: Cell> From<Vec<C::Raw>> for Column<C> {
    fn from(values: Vec<C::Raw>) -> Self {
        Self { values: Values::Owned(values) }
    }
}

impl<C: Cell> FromIterator<C> for Column<C> {
    fn from_iter<I: IntoIterator<Item = C>>(values: I) -> Self {
        values.into_iter().map(Cell::to_raw).collect::<Vec<_>>().into()
    }
}

/// A column of plain numbers is a slice of them.
impl<C: Cell<Raw = C> + Raw> Deref for Column<C> {
    type Target = [C];

    fn deref(&self) -> &[C] {
        self.raw()
    }
}

/// A column of any type, for code that handles all columns of a trace.
pub(crate) trait AnyColumn {
    /// Returns the size of the owned memory in bytes.
    fn heap_bytes(&self) -> usize;

    /// Returns the size of the mapped bytes.
    fn mapped_bytes(&self) -> usize;

    fn reserve(&mut self, values: usize);

    /// Returns the raw numbers as bytes.
    #[cfg(feature = "tables")]
    fn bytes(&self) -> &[u8];

    #[cfg(feature = "tables")]
    fn data_type(&self) -> arrow_schema::DataType;

    /// Replaces the column with the bytes of a mapped file; returns `false` if their length or alignment does not fit.
    #[cfg(feature = "tables")]
    fn map(&mut self, bytes: arrow_buffer::Buffer) -> bool;
}

impl<C: Cell> AnyColumn for Column<C> {
    fn heap_bytes(&self) -> usize {
        match &self.values {
            Values::Owned(values) => values.capacity() * size_of::<C::Raw>(),
            #[cfg(all(feature = "tables", not(target_arch = "wasm32")))]
            Values::Mapped(_) => 0,
        }
    }

    fn mapped_bytes(&self) -> usize {
        match &self.values {
            Values::Owned(_) => 0,
            #[cfg(all(feature = "tables", not(target_arch = "wasm32")))]
            Values::Mapped(values) => values.len() * size_of::<C::Raw>(),
        }
    }

    fn reserve(&mut self, values: usize) {
        self.owned().reserve_exact(values);
    }

    #[cfg(feature = "tables")]
    fn bytes(&self) -> &[u8] {
        arrow_buffer::ToByteSlice::to_byte_slice(self.raw())
    }

    #[cfg(feature = "tables")]
    fn data_type(&self) -> arrow_schema::DataType {
        C::Raw::DATA_TYPE
    }

    #[cfg(feature = "tables")]
    fn map(&mut self, bytes: arrow_buffer::Buffer) -> bool {
        let size = size_of::<C::Raw>();
        let fits = bytes.len().is_multiple_of(size) && bytes.as_ptr().align_offset(align_of::<C::Raw>()) == 0;
        if fits {
            let values = bytes.len() / size;
            let values = arrow_buffer::ScalarBuffer::new(bytes, 0, values);
            #[cfg(not(target_arch = "wasm32"))]
            {
                self.values = Values::Mapped(values);
            }
            #[cfg(target_arch = "wasm32")]
            {
                self.values = Values::Owned(values.to_vec());
            }
        }
        fits
    }
}

//! Values of a column, and their representation as numbers.

use syclscope_language::event::{
    AllocationKind, EdgeReason, FactKind, FrameKind, GraphChangeKind, HandleDirection, NodeKind, ObjectKind,
    Ownership, QueueOrder, SourceState, TrackKind,
};

use crate::id::{ArgsId, LocationId, StringId};

#[cfg(not(feature = "tables"))]
pub(crate) trait Raw: Copy + Default + std::fmt::Debug + 'static {}

/// A raw number of a column.
#[cfg(feature = "tables")]
pub(crate) trait Raw:
    Copy + Default + std::fmt::Debug + 'static + arrow_buffer::ArrowNativeType
{
    const DATA_TYPE: arrow_schema::DataType;
}

/// A value that a column can store.
pub(crate) trait Cell: Copy {
    /// Its raw representation.
    type Raw: Raw;

    fn to_raw(self) -> Self::Raw;

    /// Returns the value of a raw number; defined for any number, whatever a file contains.
    fn of_raw(raw: Self::Raw) -> Self;
}

macro_rules! numbers {
    ($($number:ident $name:ident,)+) => {$(
        impl Raw for $number {
            #[cfg(feature = "tables")]
            const DATA_TYPE: arrow_schema::DataType = arrow_schema::DataType::$name;
        }

        impl Cell for $number {
            type Raw = Self;

            fn to_raw(self) -> Self {
                self
            }

            fn of_raw(raw: Self) -> Self {
                raw
            }
        }
    )+};
}

macro_rules! handles {
    ($($handle:ident,)+) => {$(
        impl Cell for $handle {
            type Raw = u32;

            fn to_raw(self) -> u32 {
                self.0
            }

            fn of_raw(raw: u32) -> Self {
                Self(raw)
            }
        }
    )+};
}

macro_rules! kinds {
    ($($kind:ident,)+) => {$(
        impl Cell for $kind {
            type Raw = u8;

            fn to_raw(self) -> u8 {
                self as u8
            }

            fn of_raw(raw: u8) -> Self {
                Self::ALL.get(usize::from(raw)).copied().unwrap_or_default()
            }
        }
    )+};
}

numbers! { u8 UInt8, u16 UInt16, u32 UInt32, u64 UInt64, i64 Int64, f64 Float64, }
handles! { StringId, LocationId, ArgsId, }
kinds! {
    AllocationKind, EdgeReason, FactKind, FrameKind, GraphChangeKind, HandleDirection, NodeKind, ObjectKind, Ownership, QueueOrder,
    SourceState, TrackKind,
}

impl Cell for bool {
    type Raw = u8;

    fn to_raw(self) -> u8 {
        self.into()
    }

    fn of_raw(raw: u8) -> Self {
        raw != 0
    }
}

/// Times and sizes that may be missing; no value of a trace is as large as the number that represents `None`.
impl Cell for Option<u64> {
    type Raw = u64;

    fn to_raw(self) -> u64 {
        self.unwrap_or(u64::MAX)
    }

    fn of_raw(raw: u64) -> Self {
        (raw != u64::MAX).then_some(raw)
    }
}

//! What questions put together and keep, so that the next one is answered at once: how much memory that takes.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::adjacency::Adjacency;
use super::blocks::MaxForest;
use super::counters::Counters;
use super::table::memory_bytes;

/// Something that is put together when somebody first asks.
pub(crate) trait Kept {
    /// Memory that it owns, in bytes, but for that of the single elements of a list.
    fn kept_bytes(&self) -> usize;
}

impl<T> Kept for Vec<T> {
    fn kept_bytes(&self) -> usize {
        self.capacity() * size_of::<T>()
    }
}

impl<K, V, S> Kept for HashMap<K, V, S> {
    fn kept_bytes(&self) -> usize {
        // A byte of the table's own for each place.
        self.capacity() * (size_of::<(K, V)>() + 1)
    }
}

impl<T: Kept> Kept for OnceLock<T> {
    fn kept_bytes(&self) -> usize {
        self.get().map_or(0, T::kept_bytes)
    }
}

impl<T: Kept> Kept for Arc<T> {
    fn kept_bytes(&self) -> usize {
        self.as_ref().kept_bytes()
    }
}

/// Sums the fields of a struct.
macro_rules! kept {
    ($name:ident { $($field:tt),+ $(,)? }) => {
        impl $crate::store::kept::Kept for $name {
            fn kept_bytes(&self) -> usize {
                [$($crate::store::kept::Kept::kept_bytes(&self.$field)),+].into_iter().sum()
            }
        }
    };
}

/// Columns know what they take.
macro_rules! kept_columns {
    ($($name:ident),+) => {
        $(impl Kept for $name {
            fn kept_bytes(&self) -> usize {
                memory_bytes(self).0
            }
        })+
    };
}

kept_columns!(Adjacency, Counters, MaxForest);

pub(crate) use kept;

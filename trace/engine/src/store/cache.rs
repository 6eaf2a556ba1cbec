//! Cache of queries' intermediate results, stored in the trace so that later queries are faster.
//!
//! The store does not know the queries: a query caches a value of its own type, and looks it up by that type.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use super::adjacency::Adjacency;
use super::blocks::MaxForest;
use super::counters::Counters;
use super::table::memory_bytes;

/// A value that is computed on first use.
pub(crate) trait Cached: Any + Send + Sync {
    /// Returns the memory that the value owns, in bytes, not counting memory that elements of a list own.
    fn cached_bytes(&self) -> usize;
}

/// At most one value of each type. Threads that request the same type wait for the first one; others don't.
#[derive(Default)]
pub(crate) struct Shelf {
    first: Link,
}

type Link = OnceLock<Box<ShelfPlace>>;

/// The slot of one type, empty until its value is computed.
struct ShelfPlace {
    value: Box<dyn Cached>,
    next: Link,
}

impl Shelf {
    pub(crate) fn slot<T: Cached>(&self) -> &OnceLock<T> {
        let mut link = &self.first;
        loop {
            let empty = || Box::new(ShelfPlace { value: Box::new(OnceLock::<T>::new()), next: Link::new() });
            let place = link.get_or_init(empty);
            let value: &dyn Any = place.value.as_ref();
            match value.downcast_ref() {
                Some(found) => return found,
                None => link = &place.next,
            }
        }
    }

    /// Returns the memory that all values own, in bytes.
    pub(crate) fn cached_bytes(&self) -> usize {
        let places = std::iter::successors(self.first.get(), |place| place.next.get());
        places.map(|place| place.value.cached_bytes()).sum()
    }
}

/// A copied trace starts with an empty cache.
impl Clone for Shelf {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl fmt::Debug for Shelf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shelf").field("kept_bytes", &self.cached_bytes()).finish_non_exhaustive()
    }
}

impl<T: Send + Sync + 'static> Cached for Vec<T> {
    fn cached_bytes(&self) -> usize {
        self.capacity() * size_of::<T>()
    }
}

impl<K, V, S> Cached for HashMap<K, V, S>
where
    HashMap<K, V, S>: Send + Sync + 'static,
{
    fn cached_bytes(&self) -> usize {
        // The table needs one more byte for each slot.
        self.capacity() * (size_of::<(K, V)>() + 1)
    }
}

impl<T: Cached> Cached for OnceLock<T> {
    fn cached_bytes(&self) -> usize {
        self.get().map_or(0, T::cached_bytes)
    }
}

impl<T: Cached> Cached for Arc<T> {
    fn cached_bytes(&self) -> usize {
        self.as_ref().cached_bytes()
    }
}

/// Sums the fields of a struct.
macro_rules! cached {
    ($name:ident { $($field:tt),+ $(,)? }) => {
        impl $crate::store::cache::Cached for $name {
            fn cached_bytes(&self) -> usize {
                [$($crate::store::cache::Cached::cached_bytes(&self.$field)),+].into_iter().sum()
            }
        }
    };
}

/// Columns count their own memory.
macro_rules! kept_columns {
    ($($name:ident),+) => {
        $(impl Cached for $name {
            fn cached_bytes(&self) -> usize {
                memory_bytes(self).0
            }
        })+
    };
}

kept_columns!(Adjacency, Counters, MaxForest);

pub(crate) use cached;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_a_place_of_its_own() {
        let shelf = Shelf::default();
        assert_eq!(shelf.slot::<Vec<u8>>().get_or_init(|| Vec::with_capacity(3)).len(), 0);
        assert_eq!(shelf.slot::<Vec<u64>>().get(), None);
        shelf.slot::<Vec<u64>>().get_or_init(|| vec![7, 8]);
        assert_eq!(shelf.slot::<Vec<u64>>().get_or_init(Vec::new), &[7, 8]);
        assert_eq!(shelf.cached_bytes(), 3 + 16);
        assert_eq!(shelf.clone().cached_bytes(), 0);
    }
}

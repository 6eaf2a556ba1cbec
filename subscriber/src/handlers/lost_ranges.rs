//! Ranges of a thread whose starts were dropped: their ends are dropped too, because they would end the enclosing
//! ranges.

use std::cell::{Cell, RefCell};
use std::hash::{Hash as _, Hasher as _};

use rustc_hash::FxHasher;

use crate::record::range::{INNERMOST, RangePlace, Scope};

/// Maximum number of dropped ranges that are open on a thread at the same time; ends of further ones are recorded.
const MAX_LOST: usize = 64;

thread_local! {
    static HAS_ANY: Cell<bool> = const { Cell::new(false) };
    /// The innermost range is the last.
    static LOST: RefCell<Vec<LostRange>> = const { RefCell::new(Vec::new()) };
}

struct LostRange {
    /// Hash of stream and domain.
    place: u64,
    key: u64,
    /// Open ranges of the same place that started inside it.
    open: u32,
    /// Ranges of the same key among `open`.
    open_of_key: u32,
}

#[inline]
pub(super) fn begins(place: RangePlace<'_>, key: u64, is_recorded: bool) {
    if (HAS_ANY.get() || !is_recorded) && place.scope == Scope::Thread {
        add(hash(place), key, is_recorded);
    }
}

/// Ends the innermost range of a place and key. Returns true if the end is to be recorded.
#[inline]
pub(super) fn ends(place: RangePlace<'_>, key: u64) -> bool {
    !HAS_ANY.get() || place.scope != Scope::Thread || is_recorded(hash(place), key)
}

fn hash(place: RangePlace<'_>) -> u64 {
    let mut hasher = FxHasher::default();
    (place.stream.0, place.domain).hash(&mut hasher);
    hasher.finish()
}

#[cold]
fn add(place: u64, key: u64, is_recorded: bool) {
    let _ = LOST.try_with(|lost| {
        let Ok(mut lost) = lost.try_borrow_mut() else { return };
        if !is_recorded && lost.len() < MAX_LOST {
            lost.push(LostRange { place, key, open: 0, open_of_key: 0 });
            HAS_ANY.set(true);
            return;
        }
        if let Some(around) = lost.iter_mut().rfind(|lost| lost.place == place) {
            around.open += 1;
        }
        if let Some(around) = lost.iter_mut().rfind(|lost| lost.place == place && lost.key == key) {
            around.open_of_key += 1;
        }
    });
}

#[cold]
fn is_recorded(place: u64, key: u64) -> bool {
    LOST.try_with(|lost| {
        let Ok(mut lost) = lost.try_borrow_mut() else { return true };
        let is_one = |lost: &LostRange| lost.place == place && (key == INNERMOST || lost.key == key);
        let Some(at) = lost.iter().rposition(is_one) else { return true };
        let open = if key == INNERMOST { &mut lost[at].open } else { &mut lost[at].open_of_key };
        if *open > 0 {
            *open -= 1;
            return true;
        }
        lost.remove(at);
        HAS_ANY.set(!lost.is_empty());
        false
    })
    .unwrap_or(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xpti::StreamId;

    fn place(domain: &[u8]) -> RangePlace<'_> {
        RangePlace { stream: StreamId::NVTX, scope: Scope::Thread, domain }
    }

    #[test]
    fn a_pop_of_a_lost_range_does_not_end_the_one_around_it() {
        let (ours, others) = (place(b"ours"), place(b"others"));
        begins(ours, 0, true);
        begins(ours, 0, false);
        begins(others, 0, true);
        begins(ours, 0, true);
        begins(ours, 0, false);
        let ends = [ours, ours, others, ours, ours].map(|place| ends(place, INNERMOST));
        assert_eq!(ends, [false, true, true, false, true]);
        assert!(!HAS_ANY.get());
    }

    #[test]
    fn an_end_with_a_key_is_that_of_its_key() {
        let place = place(b"");
        begins(place, 1, false);
        begins(place, 2, true);
        begins(place, 1, true);
        assert_eq!([1, 2, 1, 1].map(|key| ends(place, key)), [true, true, false, true]);
    }

    #[test]
    fn ranges_that_end_anywhere_are_left_alone() {
        let place = RangePlace { scope: Scope::Process, ..place(b"") };
        begins(place, 1, false);
        assert!(ends(place, 1) && !HAS_ANY.get());
    }
}

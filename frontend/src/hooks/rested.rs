//! Debounced values: a query for every step of a drag would be wasted.

use std::time::Duration;

use crate::idle::Busy;
use crate::reactive::*;

const REST: Duration = Duration::from_millis(250);

/// A part of time, or a range of durations, debounced.
pub(crate) fn use_rested(part: Memo<Option<(u64, u64)>>) -> RwSignal<Option<(u64, u64)>> {
    let rested = RwSignal::new(part.get_untracked());
    let number = StoredValue::new(0_u32);
    Effect::new(move |_| {
        let now = part.get();
        number.update_value(|number| *number += 1);
        let own = number.get_value();
        if rested.get_untracked() == now {
            return;
        }
        let busy = Busy::start();
        set_timeout(
            move || {
                // It may have changed again, and its reader may be gone.
                if number.try_get_value() == Some(own) {
                    let _gone = rested.try_set(now);
                }
                drop(busy);
            },
            REST,
        );
    });
    rested
}

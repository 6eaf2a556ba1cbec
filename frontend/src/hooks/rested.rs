//! Debounced values, because queries for every step of a drag would be wasted.

use std::time::Duration;

use crate::idle::Busy;
use crate::reactive::*;

const REST: Duration = Duration::from_millis(250);

/// Debounces a time range or a range of durations.
pub(crate) fn use_rested(part: Memo<Option<(u64, u64)>>) -> RwSignal<Option<(u64, u64)>> {
    use_late(part, REST, |_, _| true)
}

/// Follows the goal's value. If `is_late` is true for the old and the new value, it waits until the goal has been
/// unchanged for `rest`.
pub(crate) fn use_late<T>(
    goal: Memo<T>,
    rest: Duration,
    is_late: impl Fn(&T, &T) -> bool + 'static,
) -> RwSignal<T>
where
    T: Copy + PartialEq + Send + Sync + 'static,
{
    let late = RwSignal::new(goal.get_untracked());
    let number = StoredValue::new(0_u32);
    Effect::new(move |_| {
        let (old, new) = (late.get_untracked(), goal.get());
        number.update_value(|number| *number += 1);
        let own = number.get_value();
        if old == new {
            return;
        }
        if !is_late(&old, &new) {
            return late.set(new);
        }
        let busy = Busy::start();
        set_timeout(
            move || {
                // The goal may have changed again, and its reader may be disposed.
                if number.try_get_value() == Some(own) {
                    let _gone = late.try_set(new);
                }
                drop(busy);
            },
            rest,
        );
    });
    late
}

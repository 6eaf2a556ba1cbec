//! Subscriptions to streams, with their callbacks.
//!
//! A stream and its `.debug` twin carry the same events. In some pairs a subscription to the twin silences the plain
//! stream, and slows down the program: without another subscriber, the recorder never subscribes to such a twin.

use std::ffi::CStr;
use std::sync::OnceLock;

use super::framework::{Callback, Framework};
use super::streams::{self, MAX_STREAMS, STANDARD, StreamId};

/// The callback of each stream, by its number.
///
/// A callback can't see which stream called it, so each stream has its own. They are passed with the first
/// subscription, because they belong to the entry points and not to this module.
pub(crate) type Callbacks = [Callback; MAX_STREAMS];

static CALLBACKS: OnceLock<&'static Callbacks> = OnceLock::new();

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subscribed {
    /// The stream is known, and it or its twin is recorded if it is wanted.
    Yes,
    NotWanted,
    /// There are more than [`MAX_STREAMS`] streams.
    TooMany,
}

/// Subscribes to an announced stream, if it is wanted.
pub(crate) fn subscribe(
    framework: &Framework,
    stream: &CStr,
    callbacks: &'static Callbacks,
    wants: impl Fn(&str) -> bool,
) -> Subscribed {
    let callbacks = *CALLBACKS.get_or_init(|| callbacks);
    let wants = |name: &CStr| name.to_str().is_ok_and(&wants);
    let standard = STANDARD.iter().enumerate().find_map(|(number, standard)| {
        let is_twin = standard.twin.is_some_and(|twin| twin.name == stream);
        (standard.name == stream || is_twin).then_some((StreamId(number as u8), standard))
    });
    let Some((id, standard)) = standard else {
        if !wants(stream) {
            return Subscribed::NotWanted;
        }
        let Some(id) = streams::other(stream) else { return Subscribed::TooMany };
        framework.subscribe(stream, STANDARD_TYPES.chain(own_types()), callback_of(callbacks, id));
        streams::set_recorded(id);
        return Subscribed::Yes;
    };
    let callback = callback_of(callbacks, id);
    let twin = standard.twin.filter(|twin| wants(twin.name) || (twin.silences && has_company()));
    let is_doubled = twin.is_some_and(|twin| !twin.silences && wants(twin.name));
    if wants(standard.name) && !is_doubled {
        framework.subscribe(standard.name, STANDARD_TYPES, callback);
        streams::set_recorded(id);
    }
    if let Some(twin) = twin.filter(|twin| wants(twin.name) || wants(standard.name)) {
        framework.subscribe(twin.name, STANDARD_TYPES, callback);
        streams::set_recorded(id);
    }
    Subscribed::Yes
}

/// Follows other subscribers to the `.debug` streams, which have the events of silenced streams. They may appear at any
/// time.
pub(crate) fn follow_debug_streams(wants: impl Fn(&str) -> bool) {
    let (Some(framework), Some(callbacks)) = (Framework::get(), CALLBACKS.get()) else { return };
    for (number, standard) in STANDARD.iter().enumerate() {
        let Some(twin) = standard.twin.filter(|twin| twin.silences) else { continue };
        let is_wanted = standard.name.to_str().is_ok_and(&wants);
        if is_wanted && twin.signs.iter().any(|sign| framework.is_subscribed(twin.name, *sign)) {
            framework.subscribe(twin.name, STANDARD_TYPES, callbacks[number]);
        }
    }
}

pub(super) fn callback_of_recorded(stream: StreamId) -> Option<Callback> {
    let callbacks = CALLBACKS.get().filter(|_| streams::is_recorded(stream))?;
    Some(callback_of(callbacks, stream))
}

fn callback_of(callbacks: &Callbacks, stream: StreamId) -> Callback {
    callbacks[usize::from(stream.0)]
}

/// Range of XPTI's standard trace types.
pub(crate) const STANDARD_TYPES: std::ops::RangeInclusive<u16> = 1..=255;

/// Returns the trace types that the first tools of a program may register.
fn own_types() -> impl Iterator<Item = u16> {
    const TOOLS: u16 = 8;
    (0..=TOOLS)
        .flat_map(|tool| (128..=255).map(move |number| tool << 8 | number))
        .filter(|number| *number > 255)
}

/// True if another subscriber is loaded: it may silence plain streams a moment later, when the recorder can no longer
/// switch without a gap.
fn has_company() -> bool {
    let subscribers = std::env::var_os("XPTI_SUBSCRIBERS").unwrap_or_default();
    subscribers.as_encoded_bytes().split(|byte| *byte == b',').filter(|path| !path.is_empty()).count() > 1
}

//! Intel: calls of Level Zero, from the tracing layer of its loader.
//!
//! Current adapters of the Unified Runtime don't report their calls of Level Zero. The loader has a layer for tools: it
//! calls our functions before and after each call to a driver, on the calling thread.
//!
//! - The layer slows down every call, so it is enabled only if these calls were requested: the environment variable
//!   must be set before a loader reads it ([`crate::os::trace_level_zero`]).
//! - Adapters since 2025.2 contain a loader of their own, which opens the system's: only the layer is shared by all, so
//!   its functions are called, not those of a loader.
//! - If an adapter does report its calls to XPTI, those are recorded, and nothing is written here.
//! - Calls with which the adapter finds its driver are not seen, nor those through addresses that it got from a driver,
//!   nor those of system management.

mod calls;
mod layer;

use std::ffi::CStr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Host;
use crate::buffer::without_notifications;
use crate::xpti::loaded;

const LOADER: &CStr = c"libze_loader.so.1";
const LAYER: &CStr = c"libze_tracing_layer.so.1";
/// Set by the recorder unless it was set ([`crate::os::trace_level_zero`]).
const LAYER_VARIABLE: &str = "ZE_ENABLE_TRACING_LAYER";

/// Result of loading the layer: our tracer in it, or its error.
static TRACED: OnceLock<Result<Host, String>> = OnceLock::new();
static IS_BEGINNING: AtomicBool = AtomicBool::new(false);
/// True if there was a loader when these calls were requested.
static HAS_LOADER: AtomicBool = AtomicBool::new(false);
/// True if an adapter reports its calls to XPTI.
static IS_SENT: AtomicBool = AtomicBool::new(false);

/// Searches for the layer, which is loaded with the first call of a loader, and registers our functions.
pub(super) fn begin(host: Host) {
    if !host.wants_level_zero || TRACED.get().is_some() || loaded(LOADER).is_null() {
        return;
    }
    HAS_LOADER.store(true, Ordering::Relaxed);
    let layer = loaded(LAYER);
    if layer.is_null() || IS_BEGINNING.swap(true, Ordering::AcqRel) {
        return;
    }
    // Calls made meanwhile are not the program's.
    let traced = without_notifications(|| layer::trace(layer, &calls::functions())).map(|()| host);
    let _ = TRACED.set(traced);
}

/// Notes a stream that XPTI announces: a stream of these calls shows that an adapter reports them.
pub(super) fn announced(stream: &CStr) {
    if stream.to_bytes().starts_with(b"sycl.experimental.level_zero.") {
        IS_SENT.store(true, Ordering::Relaxed);
    }
}

/// Returns the reason why there are no calls of Level Zero although there is a loader and they were requested.
pub(super) fn lacks() -> Option<String> {
    if !HAS_LOADER.load(Ordering::Relaxed) || IS_SENT.load(Ordering::Relaxed) {
        return None;
    }
    let why = match TRACED.get() {
        // With another value, the loader accepts the functions but calls none of them.
        _ if std::env::var_os(LAYER_VARIABLE).is_some_and(|value| value != "1") => {
            "ZE_ENABLE_TRACING_LAYER is set to a value other than 1; unset it"
        }
        Some(Ok(_)) => return None,
        Some(Err(refusal)) => refusal,
        None => "the loader has not loaded libze_tracing_layer.so.1, which belongs beside libze_loader.so.1",
    };
    Some(format!("calls of Level Zero are not recorded: {why}"))
}

/// Returns the receiver of the layer's calls; `None` if they are not to be recorded.
#[inline]
fn host() -> Option<&'static Host> {
    if IS_SENT.load(Ordering::Relaxed) {
        return None;
    }
    TRACED.get()?.as_ref().ok()
}

//! The CUPTI functions that are used, looked up in the library at run time.
#![expect(unsafe_code, reason = "CUPTI's functions and structures")]

use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;

use super::activity::BufferCallbacks;
use super::calls::OnCall;
use crate::os;
use crate::xpti::symbol;

/// `CUptiResult`; 0 is success.
type Result32 = i32;

/// Values of `CUpti_ActivityKind`: subjects of CUPTI's records.
pub(super) mod kind {
    pub(in super::super) const MEMCPY: u32 = 1;
    pub(in super::super) const MEMSET: u32 = 2;
    pub(in super::super) const DRIVER: u32 = 4;
    pub(in super::super) const CONCURRENT_KERNEL: u32 = 10;
    /// From one device to another.
    pub(in super::super) const MEMCPY2: u32 = 22;
    pub(in super::super) const EXTERNAL_CORRELATION: u32 = 39;
    /// An execution of a command graph; if enabled, there are no records of its nodes.
    pub(in super::super) const GRAPH_TRACE: u32 = 51;
}

/// `CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1`: other tools use the earlier ones.
pub(super) const OUR_IDS: u32 = 4;
/// `CUPTI_CB_DOMAIN_DRIVER_API`
const DRIVER_CALLS: u32 = 1;
/// `CUPTI_ACTIVITY_FLAG_FLUSH_FORCED`
const FORCED: u32 = 1;

macro_rules! functions {
    ($($field:ident $name:literal: fn($($argument:ty),*);)+) => {
        #[derive(Clone, Copy)]
        pub(super) struct Api {
            $($field: unsafe extern "C" fn($($argument),*) -> Result32,)+
        }

        impl Api {
            pub(super) fn load(path: &CStr) -> Option<Self> {
                // SAFETY: a NUL-terminated path; the loaded library is CUPTI, which the user has installed for this
                // purpose.
                let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
                if library.is_null() {
                    return None;
                }
                // SAFETY: each symbol has the type that CUPTI's headers of versions 17 to 130500 declare for it.
                unsafe {
                    Some(Self {
                        $($field: std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($argument),*) -> Result32>(
                            symbol(library, $name)?,
                        ),)+
                    })
                }
            }
        }
    };
}

functions! {
    get_version c"cuptiGetVersion": fn(*mut u32);
    result_string c"cuptiGetResultString": fn(Result32, *mut *const c_char);
    subscribe c"cuptiSubscribe": fn(*mut *mut c_void, OnCall, *mut c_void);
    unsubscribe c"cuptiUnsubscribe": fn(*mut c_void);
    callback_name c"cuptiGetCallbackName": fn(u32, u32, *mut *const c_char);
    enable_callback c"cuptiEnableCallback": fn(u32, *mut c_void, u32, u32);
    register_timestamps c"cuptiActivityRegisterTimestampCallback": fn(extern "C" fn() -> u64);
    register_buffers c"cuptiActivityRegisterCallbacks": fn(super::activity::OnRequest, super::activity::OnComplete);
    enable c"cuptiActivityEnable": fn(u32);
    disable c"cuptiActivityDisable": fn(u32);
    flush_all c"cuptiActivityFlushAll": fn(u32);
    next_record c"cuptiActivityGetNextRecord": fn(*mut u8, usize, *mut *mut u8);
    push_id c"cuptiActivityPushExternalCorrelationId": fn(u32, u64);
    pop_id c"cuptiActivityPopExternalCorrelationId": fn(u32, *mut u64);
}

/// The subscription: a process can have one.
static SUBSCRIBER: std::sync::atomic::AtomicPtr<c_void> = std::sync::atomic::AtomicPtr::new(null_mut());

extern "C" fn now() -> u64 {
    os::monotonic_ns()
}

impl Api {
    pub(super) fn version(&self) -> u32 {
        let mut version = 0;
        // SAFETY: a valid place.
        unsafe { (self.get_version)(&mut version) };
        version
    }

    /// Returns an error with CUPTI's own message if a result is a failure.
    fn check(&self, what: &str, result: Result32) -> Result<(), String> {
        if result == 0 {
            return Ok(());
        }
        let mut text = std::ptr::null();
        // SAFETY: a valid place, and if the call succeeds a NUL-terminated literal.
        let text = unsafe {
            match (self.result_string)(result, &mut text) {
                0 if !text.is_null() => CStr::from_ptr(text).to_string_lossy().into_owned(),
                _ => format!("error {result}"),
            }
        };
        Err(format!("{what}: {text}"))
    }

    /// Becomes the process's subscriber, if there is none yet.
    pub(super) fn subscribe(&self, on_call: OnCall) -> Result<(), String> {
        let mut subscriber = null_mut();
        // SAFETY: a valid place, and a function that lives as long as this library, which is pinned.
        let result = unsafe { (self.subscribe)(&mut subscriber, on_call, null_mut()) };
        self.check("cuptiSubscribe", result)?;
        SUBSCRIBER.store(subscriber, std::sync::atomic::Ordering::Release);
        Ok(())
    }

    pub(super) fn unsubscribe(&self) {
        let subscriber = SUBSCRIBER.swap(null_mut(), std::sync::atomic::Ordering::AcqRel);
        if !subscriber.is_null() {
            // SAFETY: our own subscription.
            unsafe { (self.unsubscribe)(subscriber) };
        }
    }

    /// Enables callbacks for the wanted driver functions, selected by number and name: each costs the program two calls
    /// of ours, and CUPTI's own work.
    pub(super) fn see_calls(&self, wants: impl Fn(u32, &CStr) -> bool) -> Result<(), String> {
        let subscriber = SUBSCRIBER.load(std::sync::atomic::Ordering::Acquire);
        for id in 0..super::calls::FUNCTIONS_AT_MOST {
            let mut name = std::ptr::null();
            // SAFETY: a valid place, and if the call succeeds a NUL-terminated literal.
            let name = unsafe {
                if (self.callback_name)(DRIVER_CALLS, id, &mut name) != 0 || name.is_null() {
                    continue;
                }
                CStr::from_ptr(name)
            };
            if wants(id, name) {
                // SAFETY: our own subscription, and a function's number.
                let result = unsafe { (self.enable_callback)(1, subscriber, DRIVER_CALLS, id) };
                self.check("cuptiEnableCallback", result)?;
            }
        }
        Ok(())
    }

    /// Enables records of the ids that are pushed around calls, if CUPTI accepts any.
    pub(super) fn record_ids(&self) -> Result<(), String> {
        // SAFETY: numbers.
        let pushed = unsafe { (self.push_id)(OUR_IDS, 0) };
        self.check("cuptiActivityPushExternalCorrelationId", pushed)?;
        self.pop();
        [kind::DRIVER, kind::EXTERNAL_CORRELATION].into_iter().try_for_each(|kind| self.begin_kind(kind))
    }

    pub(super) fn record_calls(&self) -> Result<(), String> {
        self.begin_kind(kind::DRIVER)
    }

    /// Enables one record for each execution of a command graph, instead of one for each of its nodes (since CUDA
    /// 11.7).
    pub(super) fn record_graphs_whole(&self) -> Result<(), String> {
        self.begin_kind(kind::GRAPH_TRACE)
    }

    fn begin_kind(&self, kind: u32) -> Result<(), String> {
        // SAFETY: a number.
        self.check("cuptiActivityEnable", unsafe { (self.enable)(kind) })
    }

    /// Enables records of device work, with times of `CLOCK_MONOTONIC`. After an error, none stays enabled.
    pub(super) fn begin_records(&self, callbacks: BufferCallbacks) -> Result<(), String> {
        // SAFETY: functions that live as long as this library, which is pinned.
        let result = unsafe { (self.register_timestamps)(now) };
        self.check("cuptiActivityRegisterTimestampCallback", result)?;
        // SAFETY: as above.
        let result = unsafe { (self.register_buffers)(callbacks.0, callbacks.1) };
        self.check("cuptiActivityRegisterCallbacks", result)?;
        let kinds = [kind::CONCURRENT_KERNEL, kind::MEMCPY, kind::MEMSET, kind::MEMCPY2];
        for (begun, kind) in kinds.into_iter().enumerate() {
            if let Err(refusal) = self.begin_kind(kind) {
                // SAFETY: numbers.
                kinds[..begun].iter().for_each(|kind| unsafe {
                    (self.disable)(*kind);
                });
                return Err(refusal);
            }
        }
        Ok(())
    }

    /// Requests delivery of buffers: those with finished records only, or all.
    pub(super) fn flush(&self, is_end: bool) {
        // SAFETY: a number.
        unsafe { (self.flush_all)(if is_end { FORCED } else { 0 }) };
    }

    /// Returns the record after `record` in a buffer, or the first; `None` at the end.
    pub(super) fn next_record(&self, buffer: *mut u8, bytes: usize, record: *mut u8) -> Option<*mut u8> {
        let mut next = record;
        // SAFETY: the buffer and its length are CUPTI's, which returns positions in it.
        let result = unsafe { (self.next_record)(buffer, bytes, &mut next) };
        (result == 0 && !next.is_null()).then_some(next)
    }

    #[inline]
    pub(super) fn push(&self, id: u64) {
        // SAFETY: numbers.
        unsafe { (self.push_id)(OUR_IDS, id) };
    }

    #[inline]
    pub(super) fn pop(&self) {
        let mut last = 0;
        // SAFETY: a valid place.
        unsafe { (self.pop_id)(OUR_IDS, &mut last) };
    }
}

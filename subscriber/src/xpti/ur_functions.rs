//! What is known of the Unified Runtime's functions: roles and positions of parameters, keyed by name.
//!
//! Function numbers change between versions, names do not; numbers only index a cache of this process.

mod older;
mod table;

use std::ffi::{CStr, c_char};
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use syclscope_trace::event::{AllocationKind, NodeKind};

/// Position of a parameter in a call's row of parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot(pub(crate) u8);

impl Slot {
    /// The function has no such parameter.
    pub(crate) const NONE: Self = Self(u8::MAX);

    /// Whether the function has the parameter.
    #[inline]
    pub(crate) fn exists(self) -> bool {
        self != Self::NONE
    }
}

/// What a function does, as far as a recording cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Nothing more than a call.
    Plain,
    /// Puts a command on a queue.
    Enqueue(NodeKind),
    QueueCreate,
    QueueCreateNative,
    /// Asks a device for a property.
    DeviceInfo,
    KernelCreate,
    /// Asks a kernel for a property.
    KernelInfo,
    Allocate(AllocationKind),
    Free,
    BufferCreate,
    MemoryRetain,
    MemoryRelease,
    /// Takes the runtime apart: no event can be read afterwards.
    TearDown,
}

/// A function of the Unified Runtime.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UrFunction {
    pub(crate) name: &'static str,
    pub(crate) role: Role,
    /// `hQueue`
    pub(crate) queue: Slot,
    /// What the call makes: a queue, a kernel, memory; where it puts a property.
    pub(crate) out: Slot,
    /// `numEventsInWaitList`; the list follows.
    pub(crate) wait_list: Slot,
    /// `phEvent`
    pub(crate) event: Slot,
    /// Size in bytes (of a row where there is a `height`).
    pub(crate) bytes: Slot,
    /// `width`; the height follows.
    pub(crate) width: Slot,
    /// `hKernel`
    pub(crate) kernel: Slot,
    /// `workDim`; offset, global and local size follow.
    pub(crate) work: Slot,
    /// A kernel's name.
    pub(crate) kernel_name: Slot,
    /// Handle or pointer that is given back.
    pub(crate) handle: Slot,
    /// `pProperties` of a queue.
    pub(crate) properties: Slot,
    /// Flags of a buffer; which property is asked for.
    pub(crate) flags: Slot,
    /// `hDevice`
    pub(crate) device: Slot,
    /// `hContext`
    pub(crate) context: Slot,
}

impl UrFunction {
    const fn named(name: &'static str) -> Self {
        let none = Slot::NONE;
        Self {
            name,
            role: Role::Plain,
            queue: none,
            out: none,
            wait_list: none,
            event: none,
            bytes: none,
            width: none,
            kernel: none,
            work: none,
            kernel_name: none,
            handle: none,
            properties: none,
            flags: none,
            device: none,
            context: none,
        }
    }
}

/// Functions that the table doesn't list, in the order in which they were first called; numbered after them. Without a lock,
/// because a forked child would find it as another thread of its parent had left it.
static OTHERS: [AtomicPtr<UrFunction>; 1024] = [const { AtomicPtr::new(std::ptr::null_mut()) }; 1024];

/// By function number: address of the name, shifted left by 16, and our own number.
static CACHE: [AtomicU64; 1024] = [const { AtomicU64::new(0) }; 1024];

/// How many functions are listed; others are numbered after them.
const LISTED: usize = table::TABLE.len() + older::TABLE.len();

/// A listed function by our own number.
#[inline]
fn listed(number: usize) -> Option<&'static UrFunction> {
    table::TABLE
        .get(number)
        .or_else(|| older::TABLE.get(number.wrapping_sub(table::TABLE.len())).map(|row| &row.1))
}

/// A function by our own number, as [`resolve`] gave it.
pub(crate) fn function_at(number: u16) -> Option<&'static UrFunction> {
    let number = usize::from(number);
    match listed(number) {
        Some(function) => Some(function),
        // SAFETY: null, or a leaked function that nobody writes again.
        None => unsafe { OTHERS.get(number - LISTED)?.load(Ordering::Acquire).as_ref() },
    }
}

/// Our own number of a function, and its description where the table lists it.
///
/// # Safety
/// `name` is null or a terminated string.
#[inline]
pub(super) unsafe fn resolve(id: u32, name: *const c_char) -> (u16, Option<&'static UrFunction>) {
    let cell = &CACHE[id as usize % CACHE.len()];
    let cached = cell.load(Ordering::Relaxed);
    // Addresses of a process fit in 48 bits.
    let number = if cached != 0 && cached >> 16 == name as u64 {
        cached as u16
    } else {
        // SAFETY: the caller's promise.
        let number = unsafe { look_up(name) };
        cell.store((name as u64) << 16 | u64::from(number), Ordering::Relaxed);
        number
    };
    (number, listed(usize::from(number)))
}

/// # Safety
/// As for [`resolve`].
#[cold]
unsafe fn look_up(name: *const c_char) -> u16 {
    // SAFETY: the caller's promise.
    let name = if name.is_null() { c"unknown call" } else { unsafe { CStr::from_ptr(name) } };
    let name = name.to_string_lossy();
    if let Some(position) = older::position(&name) {
        return (table::TABLE.len() + position) as u16;
    }
    if let Ok(number) = table::TABLE.binary_search_by(|function| function.name.cmp(&name)) {
        return number as u16;
    }
    let name: &'static str = Box::leak(name.into_owned().into_boxed_str());
    let new: *mut UrFunction = Box::leak(Box::new(UrFunction::named(name)));
    for (position, place) in OTHERS.iter().enumerate() {
        let known = place.compare_exchange(std::ptr::null_mut(), new, Ordering::AcqRel, Ordering::Acquire);
        // SAFETY: ours, or another leaked function.
        if known.map_or_else(|known| unsafe { (*known).name == name }, |_| true) {
            return (LISTED + position) as u16;
        }
    }
    u16::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_consistent() {
        assert!(table::TABLE.is_sorted_by(|left, right| left.name < right.name));
        for function in table::TABLE {
            if let Role::Enqueue(_) = function.role {
                assert!(function.queue.exists() && function.event.exists(), "{}", function.name);
            }
            if function.wait_list.exists() {
                assert!(function.event.0 >= function.wait_list.0 + 2, "{}", function.name);
            }
        }
    }

    #[test]
    fn names_are_found_listed_or_not() {
        // SAFETY: terminated literals.
        unsafe {
            let (number, known) = resolve(33, c"urEnqueueUSMMemcpy".as_ptr());
            assert_eq!(known.unwrap().name, "urEnqueueUSMMemcpy");
            assert_eq!(function_at(number).unwrap().role, Role::Enqueue(NodeKind::Copy));
            let (number, known) = resolve(1, c"urFromTheFuture".as_ptr());
            assert!(known.is_none());
            assert_eq!(function_at(number).unwrap().name, "urFromTheFuture");
            assert_eq!(resolve(1, c"urFromTheFuture".as_ptr()).0, number);
        }
    }
}

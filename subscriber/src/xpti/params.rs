//! A call with its parameters, which are read and copied for the writer.
//!
//! Parameters of most interfaces are on their tracing layer's stack, and the call has an array of pointers to them.
//! Those of the Plugin Interface are contiguous, those of CUDA are in a structure. Their pointees belong to the caller
//! and are valid during the call; results are valid only if the call succeeded.

use std::ffi::{c_char, c_void};
use std::marker::PhantomData;
use std::sync::atomic::Ordering;

use super::functions::{Function, Interface, Role, Shape, Slot, function_at, resolve, resolve_name};
use super::layout::FunctionWithArgs;
use super::notification::{Notification, text};
use crate::buffer::Entry;

/// A call: before it runs, or after it has returned.
pub(crate) struct FunctionCall<'a> {
    pub(crate) number: u16,
    /// The function, if its parameters match its description.
    pub(crate) function: Option<&'static Function>,
    parameters: *const *mut c_void,
    result: *const i32,
    lifetime: PhantomData<&'a ()>,
}

/// Maximum length of a list. A larger number was misread.
const MAX_LIST: u64 = 1 << 16;

/// Properties are truncated after this many bytes, except for names of kernels.
const MAX_PROPERTY: u64 = 256;
const MAX_NAME: u64 = 1 << 16;

/// True if an address can be valid: in user space, and not in the first pages.
#[inline]
fn is_address(word: u64) -> bool {
    (0x1_0000..1 << 47).contains(&word)
}

/// Returns the number of elements of a list that are copied.
#[inline]
pub(crate) fn list_length(pointer: u64, count: u64) -> usize {
    if is_address(pointer) && count <= MAX_LIST { count as usize } else { 0 }
}

impl<'a> FunctionCall<'a> {
    #[inline]
    pub(crate) fn new(notification: &Notification<'a>, interface: Interface) -> Option<Self> {
        // SAFETY: for these trace types the user data is null or this structure; callers pass no others.
        let call = unsafe { notification.user_data().cast::<FunctionWithArgs>().as_ref()? };
        let number = if interface.is_below_sycl() {
            // SAFETY: the name is a NUL-terminated literal of the runtime's.
            unsafe { resolve(interface, call.function_id, call.name) }
        } else if call.name.is_null() {
            return None;
        } else {
            // SAFETY: a NUL-terminated string.
            unsafe { resolve_name(interface, call.name) }
        };
        let function = function_at(number);
        Some(
            Self { number, function, parameters: call.args, result: call.result, lifetime: PhantomData }
                .checked(),
        )
    }

    /// Returns a call reported by a tracing layer, of the function with our own number `number`.
    ///
    /// # Safety
    /// `parameters` is an array of pointers to the call's parameters, `result` null or the place of its
    /// result; both outlive the returned value.
    #[inline]
    pub(crate) unsafe fn traced(number: u16, parameters: *const *mut c_void, result: *const i32) -> Self {
        Self { number, function: function_at(number), parameters, result, lifetime: PhantomData }.checked()
    }

    /// Drops the function if its parameters don't match.
    #[inline]
    fn checked(self) -> Self {
        match self.function {
            Some(function) if function.is_trusted.load(Ordering::Relaxed) || self.fits(function) => self,
            _ => Self { function: None, ..self },
        }
    }

    /// Returns the call of a `function` notification, of which only the name is known.
    #[inline]
    pub(crate) fn from_name(notification: &Notification<'a>, interface: Interface) -> Option<Self> {
        let name = notification.user_data().cast();
        if !is_address(name as u64) {
            return None;
        }
        Some(Self {
            // SAFETY: for these trace types the user data is null or a NUL-terminated string; callers pass no others.
            number: unsafe { resolve_name(interface, name) },
            function: None,
            parameters: std::ptr::null(),
            result: std::ptr::null(),
            lifetime: PhantomData,
        })
    }

    /// Returns a call of a native interface, reported by its own tools.
    ///
    /// # Safety
    /// `name` is a NUL-terminated literal, `parameters` a structure of the call's parameters, `result` null or the
    /// place of its result; all outlive the returned value.
    pub(crate) unsafe fn native(
        interface: Interface,
        name: *const c_char,
        parameters: *const c_void,
        result: *const i32,
    ) -> Self {
        // SAFETY: the caller's promise.
        let number = unsafe { resolve_name(interface, name) };
        let function =
            function_at(number).filter(|function| !function.parameters.is_empty() && !parameters.is_null());
        Self { number, function, parameters: parameters.cast(), result, lifetime: PhantomData }
    }

    /// True if the parameters match the function's description: all belong to the layer, on its stack, close to the
    /// array of pointers to them. (A runtime that is newer than the table may have other parameters.)
    #[cold]
    fn fits(&self, function: &Function) -> bool {
        /// Maximum size of a stack frame of the layer.
        const NEAR_BYTES: usize = 1 << 14;
        let is_near = |slot: usize| {
            // SAFETY: at worst a word after the array, which is on the stack too.
            let place = unsafe { *self.parameters.add(slot) } as usize;
            place.abs_diff(self.parameters as usize) < NEAR_BYTES
        };
        let fits = !function.parameters.is_empty()
            && !self.parameters.is_null()
            && (function.interface.is_packed() || (0..function.parameters.len()).all(is_near));
        // The layer's code is the same for every call of a function.
        function.is_trusted.store(fits, Ordering::Relaxed);
        fits
    }

    /// Returns the result of the call; 0 is success.
    #[inline]
    pub(crate) fn result(&self) -> i32 {
        // SAFETY: null before the call, else the place of the result.
        unsafe { self.result.as_ref().copied().unwrap_or(0) }
    }

    #[inline]
    pub(super) fn place<T>(&self, slot: Slot) -> Option<*mut T> {
        self.function.filter(|_| slot.exists()).map(|function| self.at(function, usize::from(slot.0)).cast())
    }

    #[inline]
    fn at(&self, function: &Function, slot: usize) -> *mut c_void {
        // SAFETY: the array has one pointer for each of the function's parameters, or the parameters themselves; slots
        // are from its description.
        unsafe {
            if function.interface.is_packed() {
                self.parameters.cast::<u8>().add(usize::from(function.offsets[slot])).cast_mut().cast()
            } else {
                *self.parameters.add(slot)
            }
        }
    }

    /// Returns a parameter of 8 bytes: a handle, a pointer or a size.
    #[inline]
    pub(crate) fn word(&self, slot: Slot) -> Option<u64> {
        self.place::<c_void>(slot).map(|place| read_parameter(place, 8))
    }

    #[inline]
    pub(crate) fn is_true(&self, slot: Slot) -> bool {
        let width = self.function.and_then(|function| function.widths.get(usize::from(slot.0)).copied());
        self.place::<u8>(slot).zip(width).is_some_and(|(place, width)| read(place, width.min(4)) & 0xff != 0)
    }

    pub(crate) fn list(&self, slot: Slot) -> impl Iterator<Item = u64> {
        let parameter = self.function.and_then(|function| Some((function, function.parameter(slot)?)));
        let (pointer, length) = match (parameter, self.word(slot)) {
            (Some((function, parameter)), Some(pointer)) => match parameter.shape {
                Shape::List { count, .. } => (pointer, list_length(pointer, self.number(function, count))),
                _ => (0, 0),
            },
            _ => (0, 0),
        };
        (0..length).map(move |index| read((pointer + 8 * index as u64) as *const u8, 8))
    }

    /// Returns the handle that a successful call has stored behind a parameter.
    pub(crate) fn result_word(&self, slot: Slot) -> Option<u64> {
        let place = self.word(slot).filter(|place| *place != 0 && place.is_multiple_of(8))?;
        // SAFETY: the caller's place for the handle, filled in by the call.
        Some(unsafe { *(place as *const u64) })
    }

    /// Copies the parameters and their pointees; [`crate::record::call::Inputs`] reads them.
    #[inline]
    pub(crate) fn copy_inputs(&self, function: &Function, entry: &mut Entry<'_>) {
        let widths = function.widths.iter().enumerate();
        entry.words(widths.map(|(slot, width)| read_parameter(self.at(function, slot), *width)));
        for pointee in &function.pointees {
            let Some(element_bytes) = pointee.element_bytes else {
                self.copy_single(function, pointee.slot, entry);
                continue;
            };
            let pointer = read_parameter(self.at(function, usize::from(pointee.slot.0)), 8);
            // Most lists of events are empty.
            if is_address(pointer) {
                let length = list_length(pointer, self.number(function, pointee.count));
                copy(pointer as *const u8, length * element_bytes as usize, entry);
            }
        }
    }

    #[cold]
    fn copy_single(&self, function: &Function, slot: Slot, entry: &mut Entry<'_>) {
        let Some(parameter) = function.parameter(slot) else { return };
        let pointer = self.word(slot).unwrap_or(0);
        match parameter.shape {
            Shape::Text if is_address(pointer) => {
                // SAFETY: a NUL-terminated string that lives as long as the call.
                entry.bytes(unsafe { text(pointer as *const _) });
            }
            Shape::Inline(structure) => {
                if let Some(place) = self.place::<u8>(slot) {
                    copy(place, structure.size_bytes, entry);
                }
            }
            _ => {}
        }
    }

    /// Reads a count of 4 or 8 bytes; 1 without a count.
    fn number(&self, function: &Function, slot: Slot) -> u64 {
        match (self.place::<u8>(slot), function.widths.get(usize::from(slot.0))) {
            (Some(place), Some(width)) => read_parameter(place.cast(), *width),
            _ => 1,
        }
    }

    /// Copies the results of a successful call, after a set of bits of those present; [`crate::record::call::Outputs`]
    /// reads them.
    #[inline]
    pub(crate) fn copy_outputs(&self, function: &Function, entry: &mut Entry<'_>) {
        if function.outputs.is_empty() {
            return;
        }
        let place = entry.reserve_word();
        let mut given = 0;
        for (bit, (slot, width)) in function.outputs.iter().zip(&function.output_widths).enumerate() {
            let Some(pointer) = self.word(*slot).filter(|pointer| is_address(*pointer)) else { continue };
            given |= 1 << bit;
            match width {
                0 => self.copy_output(function, *slot, pointer, entry),
                width => entry.word(read(pointer as *const u8, *width)),
            }
        }
        entry.fill_word(place, given);
    }

    fn copy_output(&self, function: &Function, slot: Slot, pointer: u64, entry: &mut Entry<'_>) {
        let Some(parameter) = function.parameter(slot) else { return };
        match parameter.shape {
            Shape::OutList { element, room, count } => {
                let returned = self.word(count).filter(|place| is_address(*place));
                let returned = returned.map_or(u64::MAX, |place| self.returned_count(function, count, place));
                let length = list_length(pointer, self.number(function, room).min(returned));
                entry.word(length as u64);
                copy(pointer as *const u8, length * element.size_bytes(), entry);
            }
            Shape::Property { room, .. } => {
                let limit = if function.role == Role::KernelInfo { MAX_NAME } else { MAX_PROPERTY };
                let length = self.number(function, room).min(limit) as usize;
                entry.word(length as u64);
                copy(pointer as *const u8, length, entry);
            }
            _ => {}
        }
    }

    fn returned_count(&self, function: &Function, count: Slot, place: u64) -> u64 {
        match function.parameter(count).map(|parameter| parameter.shape) {
            Some(Shape::Out(scalar)) => read(place as *const u8, scalar.size_bytes() as u8),
            _ => u64::MAX,
        }
    }
}

#[inline]
fn read(place: *const u8, width: u8) -> u64 {
    // SAFETY: callers give the places of parameters, and of results of calls that succeeded, with the widths that the
    // interface declares for them.
    unsafe {
        match width {
            8 => place.cast::<u64>().read_unaligned(),
            4 => place.cast::<u32>().read_unaligned().into(),
            2 => place.cast::<u16>().read_unaligned().into(),
            1 => place.read().into(),
            _ => 0,
        }
    }
}

/// Bits of a word that belong to a parameter, by its size in bytes.
const MASKS: [u64; 9] = {
    let mut masks = [u64::MAX; 9];
    let mut bytes = 0;
    while bytes < 8 {
        masks[bytes] = (1 << (8 * bytes)) - 1;
        bytes += 1;
    }
    masks
};

/// Reads a parameter of at most 8 bytes, without a branch: the bytes after a smaller one are read too, and masked out.
#[inline(always)]
fn read_parameter(place: *const c_void, width: u8) -> u64 {
    // SAFETY: parameters are on a stack, followed by the frames of their callers.
    let word = unsafe { place.cast::<u64>().read_unaligned() };
    word & MASKS[usize::from(width.min(8))]
}

/// Copies bytes in whole words.
#[inline]
fn copy(place: *const u8, length: usize, entry: &mut Entry<'_>) {
    if length > 0 {
        // SAFETY: the pointee of a parameter, with the size given by the call itself.
        entry.raw(unsafe { std::slice::from_raw_parts(place, length) });
    }
}

//! Values behind the caller's pointers.
//!
//! The interface's contract is that a pointer is null or points to a value of its type for as long as the call runs.
//! The driver relies on that only here.

use std::ffi::{CStr, c_char, c_void};

use crate::answer::{Answer, Code};

/// Reads the value at a pointer.
pub(crate) fn read<T: Copy>(from: *const T) -> Result<T, Code> {
    if from.is_null() {
        return Err(Code::INVALID_NULL_POINTER);
    }
    // SAFETY: the interface's contract.
    Ok(unsafe { from.read_unaligned() })
}

/// Writes a value to a pointer.
pub(crate) fn write<T>(to: *mut T, value: T) -> Answer {
    if to.is_null() {
        return Err(Code::INVALID_NULL_POINTER);
    }
    // SAFETY: the interface's contract.
    unsafe { to.write_unaligned(value) };
    Ok(())
}

/// Fills in a structure of the caller.
pub(crate) fn fill<T>(place: *mut T, fill: impl FnOnce(&mut T)) -> Answer {
    // SAFETY: the interface's contract.
    fill(unsafe { place.as_mut() }.ok_or(Code::INVALID_NULL_POINTER)?);
    Ok(())
}

/// Reads `count` consecutive values; a null pointer is valid if `count` is 0.
pub(crate) fn list<T: Copy>(from: *const T, count: u32) -> Result<Vec<T>, Code> {
    (0..count as usize).map(|index| read(from.wrapping_add(index))).collect()
}

/// Reads a NUL-terminated text.
pub(crate) fn text(from: *const c_char) -> Result<String, Code> {
    if from.is_null() {
        return Err(Code::INVALID_NULL_POINTER);
    }
    // SAFETY: the interface's contract.
    Ok(unsafe { CStr::from_ptr(from) }.to_string_lossy().into_owned())
}

/// Reads `count` bytes.
pub(crate) fn bytes(from: *const u8, count: usize) -> Result<Vec<u8>, Code> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if from.is_null() {
        return Err(Code::INVALID_NULL_POINTER);
    }
    // SAFETY: the interface's contract.
    Ok(unsafe { std::slice::from_raw_parts(from, count) }.to_vec())
}

/// Writes a list as the interface's queries do: its length if the caller gives no space, otherwise as many values as
/// fit.
pub(crate) fn give_list<T: Clone>(count: *mut u32, places: *mut T, values: &[T]) -> Answer {
    let room = read(count)?;
    if room == 0 || places.is_null() {
        return write(count, values.len() as u32);
    }
    let given = values.len().min(room as usize);
    for (index, value) in values[..given].iter().enumerate() {
        write(places.wrapping_add(index), value.clone())?;
    }
    write(count, given as u32)
}

/// Writes a list like [`give_list`], but of structures that the caller has partly filled in.
pub(crate) fn fill_list<T, V>(
    count: *mut u32,
    places: *mut T,
    values: &[V],
    each: impl Fn(&mut T, &V),
) -> Answer {
    let room = read(count)?;
    if room == 0 || places.is_null() {
        return write(count, values.len() as u32);
    }
    let given = values.len().min(room as usize);
    for (index, value) in values[..given].iter().enumerate() {
        fill(places.wrapping_add(index), |place| each(place, value))?;
    }
    write(count, given as u32)
}

/// Writes bytes as the interface's queries do: their number if the caller gives no space, otherwise the bytes.
pub(crate) fn give_bytes(size: *mut usize, place: *mut u8, value: &[u8]) -> Answer {
    if !place.is_null() {
        let room = read(size)?;
        for (index, byte) in value.iter().take(room).enumerate() {
            write(place.wrapping_add(index), *byte)?;
        }
    }
    write(size, value.len())
}

/// Start of every structure of the interface.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Head {
    kind: u32,
    next: *mut c_void,
}

impl Head {
    pub(crate) fn kind(&self) -> u32 {
        self.kind
    }

    pub(crate) fn next(&self) -> *const c_void {
        self.next
    }
}

/// Returns the structures in a chain of extensions, each with its type.
pub(crate) fn chain(first: *const c_void) -> impl Iterator<Item = (u32, *mut c_void)> {
    let mut place = first.cast_mut();
    std::iter::from_fn(move || {
        let head = read(place.cast::<Head>()).ok()?;
        Some((head.kind, std::mem::replace(&mut place, head.next)))
    })
}

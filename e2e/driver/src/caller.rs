//! Values behind the caller's pointers.
//!
//! The interface's contract is that a pointer is null or leads to what its type says, for as long as the call runs. All
//! places where the driver relies on that are here.

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

/// Puts a value there.
pub(crate) fn write<T>(to: *mut T, value: T) -> Answer {
    if to.is_null() {
        return Err(Code::INVALID_NULL_POINTER);
    }
    // SAFETY: the interface's contract.
    unsafe { to.write_unaligned(value) };
    Ok(())
}

/// Fills a structure of the caller's in.
pub(crate) fn fill<T>(place: *mut T, fill: impl FnOnce(&mut T)) -> Answer {
    // SAFETY: the interface's contract.
    fill(unsafe { place.as_mut() }.ok_or(Code::INVALID_NULL_POINTER)?);
    Ok(())
}

/// Reads so many values in a row; none for a null pointer without a count.
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

/// Reads so many bytes.
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

/// Answers a call that gives a list: how many there are, or as many as the caller has place for.
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

/// Fills in a list like [`fill`], but structures that the caller has begun to fill in.
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

/// Answers a call that gives bytes: how many there are, or the bytes.
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

/// Returns the structures that hang from another one, each with its kind.
pub(crate) fn chain(first: *const c_void) -> impl Iterator<Item = (u32, *mut c_void)> {
    let mut place = first.cast_mut();
    std::iter::from_fn(move || {
        let head = read(place.cast::<Head>()).ok()?;
        Some((head.kind, std::mem::replace(&mut place, head.next)))
    })
}

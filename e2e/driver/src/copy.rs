//! Copies and fills that an engine's thread really performs, at the program's addresses.
//!
//! As on a device, an invalid address is the program's fault; here it ends the process.

use crate::command::Rows;

/// Copies `count` bytes.
pub(crate) fn bytes(to: usize, from: usize, count: usize) {
    // SAFETY: both ranges are the program's memory, which it keeps until the command is over.
    unsafe { std::ptr::copy(from as *const u8, to as *mut u8, count) };
}

/// Fills memory with a pattern.
pub(crate) fn fill(to: usize, pattern: &[u8], count: usize) {
    if let [byte] = pattern {
        // SAFETY: as for `bytes`.
        unsafe { std::ptr::write_bytes(to as *mut u8, *byte, count) };
        return;
    }
    for begin in (0..count).step_by(pattern.len().max(1)) {
        let length = pattern.len().min(count - begin);
        bytes(to + begin, pattern.as_ptr() as usize, length);
    }
}

/// Writes 64-bit numbers.
pub(crate) fn word(to: usize, values: &[u64]) {
    bytes(to, values.as_ptr() as usize, size_of_val(values));
}

/// Copies a box from one layout in rows to another.
pub(crate) fn rows(to: &Rows, from: &Rows) {
    let [width, height, depth] = to.region.size.map(|side| side.max(1) as usize);
    let row = |rows: &Rows, y: usize, z: usize| {
        let [x0, y0, z0] = rows.region.origin.map(|origin| origin as usize);
        rows.base + x0 + (y0 + y) * rows.row_bytes + (z0 + z) * rows.slice_bytes
    };
    for z in 0..depth {
        for y in 0..height {
            bytes(row(to, y, z), row(from, y, z), width);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Region;

    #[test]
    fn a_box_keeps_its_shape() {
        let from: Vec<u8> = (0..64).collect();
        let mut to = [0_u8; 12];
        let region = |origin| Region { origin, size: [3, 2, 2] };
        let source =
            Rows { base: from.as_ptr() as usize, region: region([1, 1, 0]), row_bytes: 8, slice_bytes: 32 };
        let target =
            Rows { base: to.as_mut_ptr() as usize, region: region([0; 3]), row_bytes: 3, slice_bytes: 6 };
        rows(&target, &source);
        assert_eq!(to, [9, 10, 11, 17, 18, 19, 41, 42, 43, 49, 50, 51]);
    }

    #[test]
    fn a_pattern_is_cut_at_the_end() {
        let mut to = [0_u8; 7];
        fill(to.as_mut_ptr() as usize, &[1, 2, 3], 7);
        assert_eq!(to, [1, 2, 3, 1, 2, 3, 1]);
    }
}

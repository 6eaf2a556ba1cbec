//! Tables of a code object that map instructions to lines.

/// Entry without a line.
const NO_LINE: u8 = 15;
/// Entry with all numbers, and with a line only.
const LONG: u8 = 14;
const NO_COLUMNS: u8 = 13;
/// First and last kind of entry that implies the change of the line.
const ONE_LINE: u8 = 10;
const ONE_LINE_LAST: u8 = 12;

/// Returns the line of an instruction, counted in units of two bytes, from the table of versions since 3.11.
/// Instructions added by the compiler have no line: they get that of the last entry before them with one.
///
/// Each entry is for one to eight instructions. Only its first byte has the highest bit set: the kind in bits 3 to 6,
/// the number of instructions minus one in bits 0 to 2. For some kinds, numbers in groups of six bits follow.
pub(super) fn line(table: &[u8], first_line: i32, instruction: u32) -> Option<u32> {
    let (mut line, mut end, mut is_known) = (first_line, 0_u32, false);
    let mut rest = table;
    while let [begin, behind @ ..] = rest {
        let kind = begin >> 3 & 15;
        let delta = match kind {
            LONG | NO_COLUMNS => signed(behind),
            ONE_LINE..=ONE_LINE_LAST => i32::from(kind - ONE_LINE),
            _ => 0,
        };
        line = line.wrapping_add(delta);
        is_known |= kind != NO_LINE;
        end = end.saturating_add(u32::from(begin & 7) + 1);
        if end > instruction {
            return u32::try_from(line).ok().filter(|_| is_known);
        }
        // The numbers after it have variable length; one-byte columns are fixed.
        let fixed = match kind {
            LONG | NO_COLUMNS | NO_LINE => 0,
            ONE_LINE..=ONE_LINE_LAST => 2,
            _ => 1,
        };
        let behind = behind.get(fixed..)?;
        let length = behind.iter().position(|byte| byte & 0x80 != 0)?;
        rest = &behind[length..];
    }
    None
}

/// Reads a number in groups of six bits, lowest first; its lowest bit is the sign.
fn signed(bytes: &[u8]) -> i32 {
    let (mut number, mut shift) = (0_u32, 0);
    for byte in bytes.iter().take(6) {
        number |= u32::from(byte & 63).wrapping_shl(shift);
        shift += 6;
        if byte & 64 == 0 {
            break;
        }
    }
    let size = (number >> 1) as i32;
    if number & 1 == 0 { size } else { -size }
}

/// Returns the line like [`line()`], from the table of version 3.10: pairs of a number of bytes and a line increment,
/// which is -128 for no line.
pub(super) fn line_before_3_11(table: &[u8], first_line: i32, instruction: u32) -> Option<u32> {
    let (mut line, mut end, mut is_known) = (first_line, 0_u32, false);
    for [bytes, lines] in table.as_chunks::<2>().0 {
        let lines = *lines as i8;
        if lines != i8::MIN {
            line = line.wrapping_add(lines.into());
            is_known = true;
        }
        end = end.saturating_add((*bytes).into());
        if end > instruction.saturating_mul(2) {
            return u32::try_from(line).ok().filter(|_| is_known);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn push_signed(table: &mut Vec<u8>, number: i32) {
        let mut rest = number.unsigned_abs() << 1 | u32::from(number < 0);
        while rest > 63 {
            table.push((rest & 63) as u8 | 64);
            rest >>= 6;
        }
        table.push(rest as u8);
    }

    proptest! {
        /// Every kind of entry, compared with a list of all instructions' lines.
        #[test]
        fn each_instruction_has_the_line_of_its_entry(
            entries in prop::collection::vec((0..16_u8, 1..9_u8, -3000..3000_i32), 1..40),
        ) {
            let (mut table, mut lines, mut line) = (Vec::new(), Vec::new(), 5000_i32);
            let mut last = None;
            for (kind, instructions, delta) in entries {
                table.push(0x80 | kind << 3 | (instructions - 1));
                match kind {
                    LONG => {
                        push_signed(&mut table, delta);
                        // Last line and both columns.
                        table.extend([0, 1, 2]);
                        line += delta;
                    }
                    NO_COLUMNS => {
                        push_signed(&mut table, delta);
                        line += delta;
                    }
                    NO_LINE => {}
                    ONE_LINE..=ONE_LINE_LAST => {
                        table.extend([7, 9]);
                        line += i32::from(kind - ONE_LINE);
                    }
                    _ => table.push(0x21),
                }
                if kind != NO_LINE {
                    last = u32::try_from(line).ok();
                }
                lines.extend((0..instructions).map(|_| last));
            }
            for (instruction, want) in lines.iter().enumerate() {
                prop_assert_eq!(line_of(&table, instruction), *want);
            }
            prop_assert_eq!(line_of(&table, lines.len()), None);
        }

        /// Any table gives a result.
        #[test]
        fn no_table_is_too_odd(table in prop::collection::vec(any::<u8>(), 0..64), at in any::<u32>()) {
            let _ = (line(&table, 1, at), line_before_3_11(&table, 1, at));
        }
    }

    fn line_of(table: &[u8], instruction: usize) -> Option<u32> {
        line(table, 5000, instruction as u32)
    }

    #[test]
    fn tables_of_3_10_are_pairs() {
        let table = [2, 0x80, 4, 1, 6, 0x80, 2, 0xff, 254, 3];
        let lines = [0, 1, 2, 3, 5, 6, 7, 133].map(|at| line_before_3_11(&table, 10, at));
        let after = [11, 11, 11, 11, 10, 13, 13].map(Some);
        assert_eq!(lines.split_first(), Some((&None, after.as_slice())));
        assert_eq!(line_before_3_11(&table, 10, 134), None);
    }
}

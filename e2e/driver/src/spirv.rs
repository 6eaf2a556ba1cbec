//! Reader of SPIR-V modules: their kernels, the number of their parameters, and the requested work-group.

use std::collections::BTreeMap;

/// A kernel as a module declares it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Declared {
    pub(crate) name: String,
    pub(crate) parameters: u32,
    pub(crate) group_size: [u32; 3],
    pub(crate) subgroup: u32,
}

const MAGIC: u32 = 0x0723_0203;
const ENTRY_POINT: u32 = 15;
const EXECUTION_MODE: u32 = 16;
const FUNCTION: u32 = 54;
const PARAMETER: u32 = 55;
/// `ExecutionModel Kernel`
const KERNEL: u32 = 6;
/// `ExecutionMode LocalSize` and `SubgroupSize`
const LOCAL_SIZE: u32 = 17;
const SUBGROUP_SIZE: u32 = 35;

/// Returns the kernels of a module; `None` if it is not SPIR-V.
pub(crate) fn kernels(bytes: &[u8]) -> Option<Vec<Declared>> {
    let words: Vec<u32> =
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
    if words.first() != Some(&MAGIC) || words.len() < 5 {
        return None;
    }
    let mut found: BTreeMap<u32, Declared> = BTreeMap::new();
    let mut function = 0;
    let mut rest = &words[5..];
    while let Some(first) = rest.first() {
        let (length, code) = ((first >> 16) as usize, first & 0xffff);
        // In a broken module, an instruction has no length or exceeds the end.
        let (operands, behind) = (rest.get(1..length)?, rest.get(length..)?);
        match (code, operands) {
            (ENTRY_POINT, [KERNEL, id, name @ ..]) => {
                found.insert(*id, Declared { name: text(name), ..Declared::default() });
            }
            (EXECUTION_MODE, [id, LOCAL_SIZE, x, y, z]) => {
                found.entry(*id).or_default().group_size = [*x, *y, *z];
            }
            (EXECUTION_MODE, [id, SUBGROUP_SIZE, size]) => found.entry(*id).or_default().subgroup = *size,
            (FUNCTION, [_, id, ..]) => function = *id,
            (PARAMETER, _) => {
                if let Some(kernel) = found.get_mut(&function) {
                    kernel.parameters += 1;
                }
            }
            _ => {}
        }
        rest = behind;
    }
    Some(found.into_values().filter(|kernel| !kernel.name.is_empty()).collect())
}

/// Decodes a string: four bytes in a word, the first in the lowest byte, terminated by a zero.
fn text(words: &[u32]) -> String {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    String::from_utf8_lossy(&bytes.take_while(|byte| *byte != 0).collect::<Vec<_>>()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instruction(code: u32, operands: &[u32]) -> Vec<u32> {
        let mut words = vec![((operands.len() as u32 + 1) << 16) | code];
        words.extend(operands);
        words
    }

    #[test]
    fn kernels_are_found_with_their_parameters() {
        let name = u32::from_le_bytes(*b"add\0");
        let words = [
            vec![MAGIC, 0x0001_0400, 0, 100, 0],
            instruction(ENTRY_POINT, &[KERNEL, 7, name]),
            instruction(EXECUTION_MODE, &[7, LOCAL_SIZE, 64, 1, 1]),
            instruction(FUNCTION, &[1, 5, 0, 2]),
            instruction(PARAMETER, &[3, 9]),
            instruction(FUNCTION, &[1, 7, 0, 2]),
            instruction(PARAMETER, &[3, 10]),
            instruction(PARAMETER, &[3, 11]),
        ];
        let bytes: Vec<u8> = words.concat().iter().flat_map(|word| word.to_le_bytes()).collect();
        let expected =
            Declared { name: "add".to_owned(), parameters: 2, group_size: [64, 1, 1], subgroup: 0 };
        assert_eq!(kernels(&bytes), Some(vec![expected]));
        assert_eq!(kernels(b"ELF...."), None);
        assert_eq!(kernels(&bytes[..bytes.len() - 4]), None, "cut off");
    }
}

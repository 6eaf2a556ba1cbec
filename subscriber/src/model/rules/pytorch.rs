//! Names of PyTorch's NVTX ranges: `aten::addmm, seq = 12, op_id = 31, sizes = [[32, 64], []]` (`getNvtxStr` in its
//! `torch/csrc/profiler/util.cpp`). With these numbers, each operation would have a unique name.

use syclscope_language::event::Value;

/// Arguments in the order in which PyTorch writes them.
const ARGUMENTS: [(&str, &str); 4] = [
    (", seq = ", "seq"),
    (", op_id = ", "op_id"),
    (", sizes = ", "sizes"),
    (", input_op_ids = ", "input_op_ids"),
];

/// Returns the name of the operation and its arguments.
pub(super) fn parts(name: &str) -> (&str, Vec<(&'static str, Value<'_>)>) {
    let whole = || (name, Vec::new());
    let Some(begin) = next_argument(name) else { return whole() };
    let (operation, mut rest) = name.split_at(begin);
    let mut arguments = Vec::new();
    for (label, key) in ARGUMENTS {
        let Some(from_value) = rest.strip_prefix(label) else { continue };
        let (value, behind) = from_value.split_at(next_argument(from_value).unwrap_or(from_value.len()));
        let value = match key {
            "seq" | "op_id" => value.parse().ok().map(Value::Uint),
            _ => value.starts_with('[').then_some(Value::Str(value)),
        };
        let Some(value) = value else { return whole() };
        arguments.push((key, value));
        rest = behind;
    }
    if operation.is_empty() || !rest.is_empty() { whole() } else { (operation, arguments) }
}

fn next_argument(text: &str) -> Option<usize> {
    let is_argument = |place: &usize| ARGUMENTS.iter().any(|(label, _)| text[*place..].starts_with(label));
    text.match_indices(", ").map(|(place, _)| place).find(is_argument)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_sizes_are_arguments() {
        use Value::{Str, Uint};
        for (name, operation, arguments) in [
            ("step, op_id = 697", "step", vec![("op_id", Uint(697))]),
            ("aten::t, seq = 12, op_id = 31", "aten::t", vec![("seq", Uint(12)), ("op_id", Uint(31))]),
            (
                "aten::addmm, op_id = 3, sizes = [[32, 64], []], input_op_ids = [(1,0), (2,0)]",
                "aten::addmm",
                vec![
                    ("op_id", Uint(3)),
                    ("sizes", Str("[[32, 64], []]")),
                    ("input_op_ids", Str("[(1,0), (2,0)]")),
                ],
            ),
            ("load, then step", "load, then step", vec![]),
            ("load, seq = last", "load, seq = last", vec![]),
            ("load, op_id = 3, seq = 4", "load, op_id = 3, seq = 4", vec![]),
            (", op_id = 3", ", op_id = 3", vec![]),
            ("load, sizes = 4", "load, sizes = 4", vec![]),
            ("", "", vec![]),
        ] {
            assert_eq!(parts(name), (operation, arguments));
        }
    }
}

//! Details of commands in tools' names and texts: memory kinds, size, launch.

use syclscope_language::event::{Args, Category, Value};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::import) struct Details<'a> {
    /// Its name without the details below.
    pub(in crate::import) name: &'a str,
    /// Source and destination memory of a copy; `None` if unknown.
    pub(in crate::import) sides: Option<(&'static str, &'static str)>,
    pub(in crate::import) bytes: Option<u64>,
    /// Launch of a kernel, in the tool's own words.
    pub(in crate::import) launch: Option<&'a str>,
}

pub(in crate::import) fn details<'a>(category: Category, name: &'a str, args: Args<'a>) -> Details<'a> {
    let text = |key: &str| {
        args.iter().find_map(|(known, value)| match value {
            Value::Str(text) if *known == key => Some(*text),
            _ => None,
        })
    };
    let mut found = Details { name, ..Details::default() };
    if let Some(open) = name.rfind('[').filter(|_| name.ends_with(']')) {
        let inside = &name[open + 1..name.len() - 1];
        // unitrace: `kernel[SIMD32 {16; 1; 1} {256; 1; 1}]`, `zeCommandListAppendMemoryCopy(M2D)[4096]`.
        if inside.contains('{') && inside.contains(';') {
            (found.name, found.launch) = (name[..open].trim_end(), Some(inside));
        } else if name.starts_with("ze")
            && let Ok(bytes) = inside.parse()
        {
            (found.name, found.bytes) = (&name[..open], Some(bytes));
        }
    }
    if category != Category::Copy {
        return found;
    }
    found.sides = sides_of_name(found.name);
    // XLA: `kind_src:pinned kind_dst:device size:8 dest:0 async:1`.
    for part in text("memcpy_details").unwrap_or_default().split_ascii_whitespace() {
        match part.split_once(':') {
            Some(("size", bytes)) => found.bytes = bytes.parse().ok(),
            Some(("kind_src", kind)) => {
                let (_, to) = found.sides.unwrap_or_default();
                found.sides = Some((side_of_kind(kind), to));
            }
            Some(("kind_dst", kind)) => {
                let (from, _) = found.sides.unwrap_or_default();
                found.sides = Some((from, side_of_kind(kind)));
            }
            _ => {}
        }
    }
    found
}

/// Returns both sides of a copy, from the letters around a `to` or a `2`: `Memcpy HtoD (…)`, `MemcpyD2H`,
/// `zeCommandListAppendMemoryCopy(M2D)`.
fn sides_of_name(name: &str) -> Option<(&'static str, &'static str)> {
    let bytes = name.as_bytes();
    let is_edge =
        |byte: Option<&u8>| byte.is_none_or(|byte| !byte.is_ascii_uppercase() && !byte.is_ascii_digit());
    (0..bytes.len()).find_map(|at| {
        let length = match bytes.get(at + 1..)? {
            [b'2', ..] => 1,
            [b't', b'o', ..] => 2,
            _ => return None,
        };
        let after = at + length + 2;
        let (from, to) = (side_of_letter(bytes[at])?, side_of_letter(*bytes.get(after - 1)?)?);
        (is_edge(at.checked_sub(1).and_then(|before| bytes.get(before)))
            && bytes.get(after).is_none_or(|byte| !byte.is_ascii_alphanumeric()))
        .then_some((from, to))
    })
}

fn side_of_letter(letter: u8) -> Option<&'static str> {
    Some(match letter {
        // `M` is memory unknown to Level Zero: the program's own.
        b'H' | b'M' => "host",
        b'D' | b'P' | b'A' => "device",
        b'S' => "shared",
        _ => return None,
    })
}

fn side_of_kind(kind: &str) -> &'static str {
    match kind {
        "pageable" | "pinned" => "host",
        "device" | "device_static" | "array" => "device",
        "managed" | "managed_static" => "shared",
        _ => "",
    }
}

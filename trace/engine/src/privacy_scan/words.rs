//! Origin of names and arguments: the runtime and the recorder, or the program.
//!
//! No text is public because of its form. The recorder's own words are listed here, and apply only to our recordings:
//! in another tool's trace every text may be private.

use syclscope_language::contents::ContentKind;
use syclscope_language::event::{Category, FactKind};
use syclscope_language::machine_counters;

use crate::convention::{counter_unit, device_of_stream};

/// Instants that the recorder names itself.
const OWN_INSTANTS: &[&str] = &["task graph created"];

/// Streams that the recorder names itself.
const OWN_STREAMS: &[&str] = &["Level Zero calls", "CUDA calls"];

/// Arguments with texts of the runtime.
const OWN_KEYS: &[&str] = &[
    "addressing",
    "allocation_type",
    "blocks",
    "commands",
    "coordinates",
    "device_time",
    "direction",
    "filtering",
    "format",
    "from",
    "global_size",
    "graph",
    "launch",
    "local_size",
    "offset",
    "reason",
    "result",
    "sycl_device_type",
    "threads",
    "to",
    "update",
];

/// Prefixes of enumerators of the recorded interfaces.
const INTERFACES: &[&str] = &["UR_", "PI_", "ZE_", "ZES_", "CU_", "CUDA_", "HIP_", "CL_", "SYCL_"];

/// Arguments from which queries read the details of other tools' commands, and their allowed values.
const KNOWN_KEYS: &[&str] = &["bytes", "direction", "from", "launch", SIZE, "to"];
/// Key of a number that some tools write as text.
const SIZE: &str = "size";
const KNOWN_VALUES: &[&str] =
    &["host", "device", "shared", "host → device", "device → host", "device → device", "host → host"];

/// Arguments whose texts are of a specific kind.
const KEYS_OF_KINDS: &[(&str, ContentKind)] = &[
    ("element_type", ContentKind::Functions),
    ("kernel_name", ContentKind::Kernels),
    ("pKernelName", ContentKind::Kernels),
    ("sycl_device_name", ContentKind::Devices),
];

/// Names of SYCL's own element types and of their namespaces.
const NAMES_OF_SYCL: &[&str] =
    &["sycl", "_V1", "detail", "half_impl", "half", "vec", "marray", "ext", "oneapi", "bfloat16"];

/// Generic words. They are replaced only as the name of a function or program, and left unchanged in other texts.
#[cfg(feature = "clean")]
pub(crate) const ORDINARY: &[&str] = &[
    "main",
    "operator",
    "operator()",
    "python",
    "python3",
    "root",
    "user",
    "home",
    "tmp",
    "localhost",
    "Host",
    "std",
    "sycl",
    "src",
    "include",
];

/// True if the program named a slice or instant: markers, messages, unknown categories.
pub(crate) fn is_marker(category: Category, name: &str) -> bool {
    let is_chosen =
        matches!(category, Category::User | Category::Raw | Category::Diagnostic | Category::Other);
    is_chosen && !OWN_INSTANTS.contains(&name)
}

pub(crate) fn is_own_counter(name: &str) -> bool {
    !counter_unit(name).is_empty()
}

/// True if the recorder named the group of the machine's counters, or a device's stream.
pub(crate) fn is_own_group(name: &str) -> bool {
    name == machine_counters::GROUP || device_of_stream(name).is_some()
}

/// True if the recorder named a thread's stream.
pub(crate) fn is_own_stream(name: &str) -> bool {
    OWN_STREAMS.contains(&name)
}

/// True if a fact of a process is part of its environment.
pub(crate) fn is_variable(kind: FactKind, name: &str) -> bool {
    match kind {
        FactKind::Environment => true,
        FactKind::Setting => name.starts_with("SYCLSCOPE_"),
        FactKind::Version | FactKind::Cost | FactKind::Other => false,
    }
}

/// True if a thread has the default name, which replaces an uninformative one.
pub(crate) fn is_own_thread(name: &str) -> bool {
    let number = name.strip_prefix("thread ").unwrap_or_default();
    name == "main thread" || (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns the kind of private text in an argument with this key.
pub(crate) fn kind_of_key(key: &str) -> Option<ContentKind> {
    KEYS_OF_KINDS.iter().find(|(known, _)| *known == key).map(|(_, kind)| *kind)
}

/// True if our recorder wrote the process.
pub(crate) fn is_own_recorder(recorder: &str) -> bool {
    recorder.starts_with("syclscope ")
}

/// True if an argument of our recording has a public value: an enumerator, or a text of the runtime or the recorder.
pub(crate) fn is_runtimes(key: &str, text: &str) -> bool {
    let is_enumerator = |word: &str| {
        INTERFACES.iter().any(|interface| word.starts_with(interface))
            && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    };
    let mut words = text.split([' ', '|']).filter(|word| !word.is_empty()).peekable();
    let of_kernel =
        key.strip_prefix("arg").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    OWN_KEYS.contains(&key)
        || of_kernel
        || (words.peek().is_some() && words.all(is_enumerator))
        || ["CPU", "GPU", "ACC", "HOST", "true", "false"].contains(&text)
}

/// True if queries read this key of another tool's arguments.
pub(crate) fn is_known_key(key: &str) -> bool {
    KNOWN_KEYS.contains(&key)
}

/// True if queries read this value of the key.
pub(crate) fn is_known_value(key: &str, text: &str) -> bool {
    let is_number = || text.bytes().all(|byte| byte.is_ascii_digit());
    is_known_key(key) && (KNOWN_VALUES.contains(&text) || (key == SIZE && is_number()))
}

/// True if an element type is a common type of C++ or SYCL, as named by `typeid`.
pub(crate) fn is_common_type(name: &str) -> bool {
    name.len() <= 1 || name.starts_with("N4sycl") && has_names_of_sycl_only(name)
}

/// True if a mangled type has no name of the program's among the arguments of a template.
fn has_names_of_sycl_only(mut mangled: &str) -> bool {
    while let Some(at) = mangled.find(|letter: char| letter.is_ascii_digit()) {
        let (before, rest) = mangled.split_at(at);
        let digits = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
        let (number, rest) = rest.split_at(digits);
        let letters = before.strip_suffix(|letter: char| letter.is_ascii_lowercase());
        // `Li4E` is the number 4, and `S0_` an earlier name.
        if before.ends_with('S') || letters.is_some_and(|letters| letters.ends_with('L')) {
            mangled = rest;
            continue;
        }
        let name = number.parse().ok().and_then(|length: usize| rest.split_at_checked(length));
        let Some((_, behind)) = name.filter(|(name, _)| NAMES_OF_SYCL.contains(name)) else { return false };
        mangled = behind;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_sycl_are_common_unless_they_hold_one_of_the_programs() {
        for (name, expected) in [
            ("f", true),
            ("N4sycl3_V13vecIfLi4EEE", true),
            ("N4sycl3_V16detail9half_impl4halfE", true),
            ("N4sycl3_V13vecINS0_6detail9half_impl4halfELi4EEE", true),
            ("N4sycl3_V13ext6oneapi8bfloat16E", true),
            ("N4sycl3_V16marrayI6SecretLm4EEE", false),
            ("N4sycl3_V16marrayIN5plant6SecretELm4EEE", false),
            ("6Secret", false),
        ] {
            assert_eq!(is_common_type(name), expected, "{name}");
        }
    }
}

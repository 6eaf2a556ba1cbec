//! Which names and arguments the runtime and the recorder chose, and which the program.
//!
//! Nothing is public because of how it looks. What the recorder writes of its own is listed here, and counts in its recordings
//! alone: in a trace of another tool every text is somebody's.

use syclscope_language::contents::ContentKind;
use syclscope_language::event::{Category, FactKind};

use crate::convention::counter_unit;

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

/// Arguments by which answers know what another tool's commands did, and what they may say of it.
const KNOWN_KEYS: &[&str] = &["bytes", "direction", "from", "launch", "to"];
const KNOWN_VALUES: &[&str] =
    &["host", "device", "shared", "host → device", "device → host", "device → device", "host → host"];

/// Arguments whose texts are of a kind of their own.
const KEYS_OF_KINDS: &[(&str, ContentKind)] = &[
    ("element_type", ContentKind::Functions),
    ("kernel_name", ContentKind::Kernels),
    ("pKernelName", ContentKind::Kernels),
    ("sycl_device_name", ContentKind::Devices),
];

/// Words that say nothing of anybody: as a name of a function or program they are replaced where that name stands, and
/// left alone in other texts.
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

/// True if the program named a slice or instant: markers, messages, what is not known.
pub(crate) fn is_marker(category: Category, name: &str) -> bool {
    let is_chosen =
        matches!(category, Category::User | Category::Raw | Category::Diagnostic | Category::Other);
    is_chosen && !OWN_INSTANTS.contains(&name)
}

pub(crate) fn is_own_counter(name: &str) -> bool {
    !counter_unit(name).is_empty()
}

/// True if the recorder named a stream of a thread.
pub(crate) fn is_own_stream(name: &str) -> bool {
    OWN_STREAMS.contains(&name)
}

/// True if a fact of a process is of its environment.
pub(crate) fn is_variable(kind: FactKind, name: &str) -> bool {
    match kind {
        FactKind::Environment => true,
        FactKind::Setting => name.starts_with("SYCLSCOPE_"),
        FactKind::Version | FactKind::Cost | FactKind::Other => false,
    }
}

/// True if a thread has the name that it gets where its own says nothing.
pub(crate) fn is_own_thread(name: &str) -> bool {
    let number = name.strip_prefix("thread ").unwrap_or_default();
    name == "main thread" || (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The kind of private text that an argument with this key holds.
pub(crate) fn kind_of_key(key: &str) -> Option<ContentKind> {
    KEYS_OF_KINDS.iter().find(|(known, _)| *known == key).map(|(_, kind)| *kind)
}

/// True if our recorder wrote the process.
pub(crate) fn is_own_recorder(recorder: &str) -> bool {
    recorder.starts_with("syclscope ")
}

/// True if an argument of our recording has a public value: an enumerator, or a word of the runtime.
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

/// True if they read its value.
pub(crate) fn is_known_value(key: &str, text: &str) -> bool {
    is_known_key(key) && KNOWN_VALUES.contains(&text)
}

/// True if an element type is one of C++ or SYCL, as `typeid` calls it.
pub(crate) fn is_common_type(name: &str) -> bool {
    name.len() <= 1 || name.starts_with("N4sycl")
}

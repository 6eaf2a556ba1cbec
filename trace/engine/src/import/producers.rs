//! Interpretation of other tools' files: one table of the tools, with the signs of their files and the meanings of
//! their categories. Only the readers use it; no other code knows a tool.
//!
//! Device events of a tool become slices on a track of the kind queue, below a track of the kind device: the builder
//! turns these into executions. Other information about device work (annotations, synchronisation) is on separate
//! tracks.

mod details;

use syclscope_language::event::{Args, Category};
use syclscope_language::producer::Producer;

pub(super) use self::details::{Details, details};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// On its thread.
    Host,
    /// On the device's queue that the thread number denotes.
    Queue,
    /// On a track with this name, next to that queue.
    Beside(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Meaning {
    pub(super) place: Place,
    pub(super) category: Category,
}

const fn host(category: Category) -> Meaning {
    Meaning { place: Place::Host, category }
}

const fn queue(category: Category) -> Meaning {
    Meaning { place: Place::Queue, category }
}

const fn beside(name: &'static str, category: Category) -> Meaning {
    Meaning { place: Place::Beside(name), category }
}

/// Signs of a tool's file, and the meaning of its names.
struct Tool {
    producer: Producer,
    /// Prefixes of the names of its processes that represent a device.
    devices: &'static [&'static str],
    /// Prefixes of the names of its other processes, if they identify the tool.
    hosts: &'static [&'static str],
    /// Names of its processes that represent neither: they contain information about the recording itself.
    notes: &'static [&'static str],
    /// Prefixes of the names of devices and of their threads that are queues; without an entry, a thread is a queue if
    /// a category on it implies so.
    queues: &'static [(&'static str, &'static str)],
    categories: &'static [(&'static str, Meaning)],
    /// Key of the argument that links a launch to its command.
    correlation: &'static str,
}

const TOOLS: [Tool; 3] = [
    // libkineto/include/ActivityType.h and libkineto/src/output_json.cpp of github.com/pytorch/kineto.
    Tool {
        producer: Producer::PyTorch,
        devices: &[],
        hosts: &[],
        notes: &["Spans", "Traces"],
        queues: &[],
        categories: &[
            ("kernel", queue(Category::Kernel)),
            ("gpu_memcpy", queue(Category::Copy)),
            ("gpu_memset", queue(Category::Fill)),
            // The device's time of a region, which is on its thread.
            ("gpu_user_annotation", beside("annotations", Category::Other)),
            ("cuda_sync", beside("synchronisation", Category::Other)),
            ("xpu_sync", beside("synchronisation", Category::Other)),
            ("cuda_event", beside("events", Category::Other)),
            ("cuda_runtime", host(Category::Native)),
            ("cuda_driver", host(Category::Native)),
            ("xpu_runtime", host(Category::Native)),
            ("xpu_driver", host(Category::Native)),
            ("mtia_runtime", host(Category::Native)),
            ("privateuse1_runtime", host(Category::Native)),
            ("privateuse1_driver", host(Category::Native)),
            ("user_annotation", host(Category::User)),
        ],
        correlation: "correlation",
    },
    // xla/tsl/profiler/utils/xplane_schema.cc and convert/trace_events_to_json.cc of github.com/openxla/xla.
    Tool {
        producer: Producer::Xla,
        devices: &["/device:"],
        hosts: &["/host:"],
        notes: &[],
        // On a GPU, XLA's operations appear a second time, next to the streams.
        queues: &[("/device:", "Stream #"), ("/device:TPU", "XLA Ops")],
        categories: &[],
        correlation: "correlation_id",
    },
    // tools/unitrace/src/chromelogger.h of github.com/intel/pti-gpu.
    Tool {
        producer: Producer::Unitrace,
        devices: &["DEVICE<"],
        hosts: &["HOST<"],
        notes: &[],
        queues: &[("", "")],
        categories: &[("gpu_op", queue(Category::Kernel)), ("cpu_op", host(Category::Other))],
        correlation: "",
    },
];

/// Prefixes of the labels that Kineto gives to processes that represent a device.
const DEVICE_LABELS: [&str; 4] = ["GPU", "XPU", "MTIA", "HPU"];

/// Prefixes of the names of calls, by interface.
const CALLS: [(&str, Category); 8] = [
    ("ur", Category::Call),
    ("pi", Category::Call),
    ("zex", Category::Native),
    ("ze", Category::Native),
    ("cl", Category::Native),
    ("cuda", Category::Native),
    ("cu", Category::Native),
    ("hip", Category::Native),
];

/// Calls that wait for a device, in addition to those with `Synchronize` in their name.
const WAITS: [&str; 5] = ["clFinish", "clWaitForEvents", "urQueueFinish", "urEventWait", "piEventsWait"];

fn tool(producer: Producer) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.producer == producer)
}

fn starts(text: &str, starts: &[&str]) -> bool {
    starts.iter().any(|start| text.starts_with(start))
}

/// Returns the tool of a process by its name, and true if the process is a device.
pub(super) fn of_process(name: &str) -> Option<(Producer, bool)> {
    // MPI ranks are a prefix.
    let name = match name.strip_prefix("RANK ") {
        Some(ranked) => ranked.trim_start_matches(|letter: char| letter.is_ascii_digit()).trim_start(),
        None => name,
    };
    TOOLS.iter().find_map(|tool| {
        let is_device = starts(name, tool.devices);
        (is_device || starts(name, tool.hosts)).then_some((tool.producer, is_device))
    })
}

/// True if a process with this label is a device.
pub(super) fn is_device_label(label: &str) -> bool {
    DEVICE_LABELS.iter().any(|start| {
        label
            .strip_prefix(start)
            .is_some_and(|rest| rest.trim_start().bytes().all(|byte| byte.is_ascii_digit()))
    })
}

/// True if a process contains no work of the program or a device.
pub(super) fn is_note(producer: Producer, process: &str) -> bool {
    tool(producer).is_some_and(|tool| tool.notes.contains(&process))
}

/// True if a thread of a device is a queue by its name.
pub(super) fn is_queue(producer: Producer, device: &str, thread: &str) -> bool {
    let queues = tool(producer).map_or(&[][..], |tool| tool.queues);
    queues.iter().any(|(of_device, of_thread)| device.starts_with(of_device) && thread.starts_with(of_thread))
}

/// Returns the tool that uniquely uses this category of slices.
pub(super) fn of_category(category: &str, args: Args<'_>) -> Option<Producer> {
    let says_device = || args.iter().any(|(key, _)| matches!(*key, "correlation" | "stream" | "device"));
    match category {
        "" | "gpu_op" => None,
        // A word that other tools use as well.
        "kernel" => says_device().then_some(Producer::PyTorch),
        _ => {
            let categories = TOOLS[0].categories;
            categories.iter().any(|(known, _)| *known == category).then_some(Producer::PyTorch)
        }
    }
}

/// Returns the meaning of a slice. `on_queue` is true if its thread is a device's queue by name, `on_device` if its
/// process is a device.
pub(super) fn meaning(
    producer: Producer,
    (category, name): (&str, &str),
    (on_device, on_queue): (bool, bool),
) -> Option<Meaning> {
    let tool = tool(producer)?;
    let known = tool.categories.iter().find(|(known, _)| *known == category).map(|(_, meaning)| *meaning);
    let meaning = match known {
        Some(meaning) => meaning,
        None if on_queue => queue(Category::Kernel),
        None if on_device => return None,
        None => host(Category::Other),
    };
    let category = match meaning.place {
        Place::Queue if producer != Producer::PyTorch => of_command(name),
        Place::Host => of_call(name).unwrap_or(meaning.category),
        _ => meaning.category,
    };
    (category != Category::Other || meaning.place != Place::Host).then_some(Meaning { category, ..meaning })
}

pub(super) fn of_command(name: &str) -> Category {
    let has = |part: &str| name.contains(part);
    if has("MemoryCopy") || has("ImageCopy") || starts(name, &["Memcpy", "MemcpyPeer"]) {
        Category::Copy
    } else if has("MemoryFill") || starts(name, &["Memset", "MemsetNode"]) {
        Category::Fill
    } else if starts(name, &["zeCommandList", "clEnqueue"]) {
        Category::Command
    } else {
        Category::Kernel
    }
}

/// Returns the category of a host's call by its name; `None` if it is not a call.
fn of_call(name: &str) -> Option<Category> {
    let (_, category) = CALLS.iter().find(|(start, _)| {
        name.strip_prefix(start)
            .is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_uppercase()))
    })?;
    let waits = name.contains("Synchronize") || WAITS.contains(&name);
    Some(if waits { Category::Wait } else { *category })
}

/// Returns the key of the argument that links a launch to its command; empty if the tool records its own arrows.
pub(super) fn correlation_key(producer: Producer) -> &'static str {
    tool(producer).map_or("", |tool| tool.correlation)
}

#[cfg(test)]
mod tests;

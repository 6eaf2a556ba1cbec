//! Private data of a trace: people, machines and code.

use rustc_hash::FxHashSet;
use syclscope_language::api::Contents;
use syclscope_language::contents::ContentKind;
use syclscope_language::event::{Category, NodeKind, TrackKind, Value};

use crate::id::{ArgsId, StringId};
use crate::privacy_scan::{PrivateTexts, words};
use crate::store::Trace;
use crate::store::table::Table as _;

impl Trace {
    /// Returns the private data of the trace by kind, with the number of distinct texts and examples. Visits every
    /// text, every set of arguments and every slice.
    pub fn contents(&self) -> Contents {
        let mut found = PrivateTexts::default();
        processes(self, &mut found);
        machine(self, &mut found);
        names(self, &mut found);
        arguments(self, &mut found);
        paths(self, &mut found);
        found.summary()
    }
}

fn processes(trace: &Trace, found: &mut PrivateTexts) {
    for process in &trace.processes {
        found.add(ContentKind::Hosts, &process.host);
        found.add(ContentKind::Programs, &process.name);
        if process.command_line != process.name {
            found.add(ContentKind::CommandLine, &process.command_line);
        }
        if process.start_unix_ns != 0 {
            found.add(ContentKind::Date, &process.start_unix_ns.to_string());
        }
        // These facts are not in the table of texts.
        for text in [&process.name, &process.command_line, &process.host] {
            found.add_paths_in(text);
        }
    }
}

fn machine(trace: &Trace, found: &mut PrivateTexts) {
    let text = |id: StringId| trace.strings.get(id);
    for device in trace.machine.devices.iter() {
        found.add(ContentKind::Devices, text(device.name));
    }
    for queue in trace.queues.iter() {
        found.add(ContentKind::Devices, text(queue.device));
    }
    for fact in trace.machine.facts.iter() {
        if words::is_variable(fact.kind, text(fact.name)) {
            let variable = format!("{}={}", text(fact.name), text(fact.value));
            found.add(ContentKind::Environment, &variable);
        }
    }
    for source in trace.machine.sources.iter().filter(|source| source.text != StringId(0)) {
        found.add(ContentKind::Sources, text(source.path));
    }
}

fn is_ours(trace: &Trace) -> bool {
    trace.processes.iter().any(|process| words::is_own_recorder(&process.recorder))
}

fn names(trace: &Trace, found: &mut PrivateTexts) {
    let text = |id: StringId| trace.strings.get(id);
    let is_ours = is_ours(trace);
    for track in trace.tracks.iter() {
        let name = text(track.name);
        match track.kind {
            TrackKind::Thread if is_ours && words::is_own_thread(name) => {}
            TrackKind::Process | TrackKind::Thread => found.add(ContentKind::Programs, name),
            TrackKind::Device => found.add(ContentKind::Devices, name),
            TrackKind::Counter if is_ours && words::is_own_counter(name) => {}
            TrackKind::Stream if is_ours && words::is_own_stream(name) => {}
            TrackKind::Queue if is_ours => {}
            TrackKind::Other if is_ours && words::is_own_group(name) => {}
            _ => found.add(ContentKind::Markers, name),
        }
    }
    for id in trace.locations.function.iter() {
        found.add(ContentKind::Functions, text(id));
    }
    for object in trace.objects.rows.iter() {
        let name = text(object.element_type);
        if !words::is_common_type(name) {
            found.add(ContentKind::Functions, name);
        }
    }
    for node in trace.nodes.iter().filter(|node| node.kind == NodeKind::Kernel) {
        found.add(ContentKind::Kernels, text(node.name));
    }
    for flow in trace.flows.rows.iter() {
        found.add(ContentKind::Markers, text(flow.name));
    }
    // Names repeat: each is checked once.
    let mut seen = FxHashSet::default();
    for row in 0..trace.slices.len() {
        let (category, name) = (trace.slices.category(row), trace.slices.name.at(row));
        if !seen.insert((category as u8, name.0)) {
            continue;
        }
        if category == Category::Kernel {
            found.add(ContentKind::Kernels, text(name));
        } else if !is_ours || words::is_marker(category, text(name)) {
            found.add(ContentKind::Markers, text(name));
        }
    }
}

fn arguments(trace: &Trace, found: &mut PrivateTexts) {
    // Every argument of the program's own slices is private, whatever its type.
    let mut of_markers = FxHashSet::default();
    for row in 0..trace.slices.len() {
        let name = trace.slices.name.at(row);
        if words::is_marker(trace.slices.category(row), trace.strings.get(name)) {
            of_markers.insert(trace.slices.args.at(row));
        }
    }
    let is_ours = is_ours(trace);
    let of_devices: FxHashSet<ArgsId> = trace.machine.devices.args.iter().collect();
    for number in (0..trace.args.len() as u32).filter(|number| !of_devices.contains(&ArgsId(*number))) {
        let is_marker = of_markers.contains(&ArgsId(number));
        for (key, value) in trace.args.get(ArgsId(number), &trace.strings) {
            let is_public = |text: &str| {
                if text.is_empty() {
                    true
                } else if is_marker && is_ours {
                    false
                } else if is_ours {
                    words::kind_of_key(key).is_some() || words::is_runtimes(key, text)
                } else {
                    words::is_known_value(key, text)
                }
            };
            match value {
                Value::Str(text) if !is_public(text) => {
                    found.add(ContentKind::Arguments, &format!("{key}: {text}"));
                }
                Value::Str(_) => {}
                _ if is_marker && is_ours || !is_ours && !words::is_known_key(key) => {
                    found.add(ContentKind::Arguments, key);
                }
                _ => {}
            }
        }
    }
}

fn paths(trace: &Trace, found: &mut PrivateTexts) {
    let files = trace.locations.file.iter().chain(trace.machine.sources.path.iter());
    for id in files {
        let path = trace.strings.get(id);
        if !path.is_empty() {
            found.add_path(path);
        }
    }
    // Source texts contain paths, which are removed with them.
    let texts: FxHashSet<StringId> = trace.machine.sources.text.iter().collect();
    for number in 0..trace.strings.len() as u32 {
        if !texts.contains(&StringId(number)) {
            found.add_paths_in(trace.strings.get(StringId(number)));
        }
    }
}

//! Facts about the process that hold for the whole recording: variables that configure SYCL, and versions of libraries.

mod environment;
mod libraries;

use std::collections::HashSet;

use syclscope_language::event::{Event, EventSink, Fact, FactKind};
use syclscope_language::time::Timestamp;

use crate::config::Config;
use crate::target_process;

/// Interval of the library search; the first search is when the runtime is loaded.
const AGAIN_AFTER_NS: u64 = 500_000_000;

pub(crate) struct Facts {
    has_environment: bool,
    libraries: HashSet<String>,
    next_ns: u64,
    looks: u32,
}

impl Facts {
    pub(crate) fn begin(config: &Config, sink: &mut dyn EventSink) -> Self {
        if config.has_environment {
            let variables = std::env::vars_os().filter_map(|(name, value)| {
                Some((name.into_string().ok()?, value.to_string_lossy().into_owned()))
            });
            for (name, value) in environment::recorded(variables) {
                let kind =
                    if name.starts_with("SYCLSCOPE_") { FactKind::Setting } else { FactKind::Environment };
                sink.event(&Event::Fact(Fact { at: Timestamp(0), kind, name: &name, value: &value }));
            }
        }
        Self { has_environment: config.has_environment, libraries: HashSet::new(), next_ns: 0, looks: 0 }
    }

    /// Looks for loaded libraries of the runtime, a few times and at the end, if the program uses the runtime
    /// (`is_used`).
    pub(crate) fn step(
        &mut self,
        now_ns: u64,
        at: Timestamp,
        is_used: bool,
        is_end: bool,
        sink: &mut dyn EventSink,
    ) {
        /// Number of searches: plug-ins are loaded with the first device, a compiler with the first kernel.
        const LOOKS: u32 = 4;
        let is_due = is_used && now_ns >= self.next_ns && self.looks < LOOKS;
        if !is_due && !is_end {
            return;
        }
        self.looks += 1;
        self.next_ns = now_ns + AGAIN_AFTER_NS;
        let maps = std::fs::read(target_process::file("maps")).unwrap_or_default();
        for library in libraries::of_runtime(&String::from_utf8_lossy(&maps)) {
            if !self.libraries.insert(library.path.clone()) {
                continue;
            }
            let value = match (library.version.as_str(), self.has_environment) {
                ("", true) => library.path.clone(),
                (version, true) => format!("{version} ({})", library.path),
                (version, false) => version.to_owned(),
            };
            let (kind, name) = (FactKind::Version, library.name.as_str());
            sink.event(&Event::Fact(Fact { at, kind, name, value: &value }));
            if let Some((name, version)) = libraries::package_of(&library) {
                let (kind, value) = (FactKind::Version, version.as_str());
                sink.event(&Event::Fact(Fact { at, kind, name: &name, value }));
            }
        }
    }
}

//! How long the run could have taken, had it been otherwise.

use syclscope_language::api::WhatIf;
use syclscope_language::event::{Category, NodeKind};
use syclscope_language::question::{Factor, WhatIfQuestion};

use crate::graph::Schedule;
use crate::graph::commands::{Commands, Constraints};
use crate::id::{StringId, some};
use crate::query::{BuildTimes, Stretches};
use crate::store::Trace;

/// The replay of an unchanged run may differ from it by one part in so many.
const LARGEST_DIFFERENCE: u64 = 20;

impl Trace {
    /// The replay of the run and the longest chain of dependences, as they were and with some commands faster.
    pub fn what_if(&self, question: &WhatIfQuestion) -> WhatIf {
        let is_copy = |kind: NodeKind| matches!(kind.category(), Category::Copy | Category::Fill);
        let faster = question.faster.unwrap_or(Factor::TWICE);
        let becomes = |(kind, name): (NodeKind, StringId), device_ns: u64| {
            if question.without_copies && is_copy(kind) {
                0
            } else if question.kernel.as_deref().is_some_and(|kernel| kernel == self.strings.get(name)) {
                faster.shortens(device_ns)
            } else {
                device_ns
            }
        };
        let of_slice = |row: usize| (self.executions.kind.at(row), self.slices.name.at(row));
        let pieces = self.pieces();
        let change = |node: u32, device_ns: u64| match pieces.get(&node) {
            None => {
                becomes((self.nodes.kind.at(node as usize), self.nodes.name.at(node as usize)), device_ns)
            }
            // What runs beside what is as it was saves no time.
            Some(rows) => {
                let saved = saved_ns(self, rows, |row, ns| becomes(of_slice(row), ns));
                device_ns.saturating_sub(saved)
            }
        };
        let builds = question.without_builds.then(|| BuildTimes::new(self));
        let length = |constraints, duration: &dyn Fn(u32, u64) -> u64| {
            let saved = |track, part| builds.as_ref().map_or(0, |builds| builds.within(track, part));
            Schedule::new(&Commands::new(self, constraints, duration, saved).steps).length_ns()
        };
        let as_it_was = |_: u32, device_ns: u64| device_ns;
        let ran = self.as_it_ran();
        let (recorded_ns, path_ns) = (ran.recorded_ns, ran.schedule.length_ns());
        let is_refused = path_ns.abs_diff(recorded_ns) > recorded_ns / LARGEST_DIFFERENCE;
        let mut answer = WhatIf {
            recorded_ns,
            path_ns,
            is_refused,
            unlimited_ns: length(Constraints::Dependences, &as_it_was),
            changed_path_ns: if is_refused {
                path_ns
            } else {
                length(Constraints::All(&ran.launches), &change)
            },
            changed_unlimited_ns: length(Constraints::Dependences, &change),
            ..WhatIf::default()
        };
        for row in self.device_work().filter(|row| some(self.slices.node.at(*row)).is_some()) {
            let was = self.slices.duration.at(row);
            let is = becomes(of_slice(row), was);
            answer.device_ns = answer.device_ns.saturating_add(was);
            answer.changed_device_ns = answer.changed_device_ns.saturating_add(is);
            answer.changed += u64::from(was != is);
        }
        answer
    }
}

/// How much shorter a command is, of which pieces are: each moment by as much as that of its pieces which changes least.
fn saved_ns(trace: &Trace, rows: &[usize], becomes: impl Fn(usize, u64) -> u64) -> u64 {
    let span = |row: &usize| (trace.slices.start.at(*row), trace.slices.end(*row));
    let is_changed =
        |row: &usize| becomes(*row, trace.slices.duration.at(*row)) != trace.slices.duration.at(*row);
    let (changed, same): (Vec<usize>, Vec<usize>) = rows.iter().partition(|row| is_changed(row));
    let same = Stretches::new(same.iter().map(span).collect());
    let alone = Stretches::new(changed.iter().map(span).collect()).without(&same).ns();
    let most = changed.iter().map(|row| becomes(*row, alone)).max();
    most.map_or(0, |most| alone.saturating_sub(most))
}

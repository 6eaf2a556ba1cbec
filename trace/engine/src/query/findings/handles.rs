//! Probable errors of the program: native handles that are kept, transferred or released against the rules of SYCL's
//! interoperability.
//!
//! `sycl_ext_oneapi_backend_level_zero`, 4.4, has the rules. The program must not destroy a transferred handle, nor use
//! it once SYCL has destroyed it. It must destroy a kept handle, but not before SYCL is done with it. A finding states
//! only recorded facts, and its calls depend on the recorded streams.

use rustc_hash::FxHashMap;
use syclscope_language::api::{Finding, Severity};
use syclscope_language::event::{HandleDirection, Ownership};

use super::uses::{Use, Uses, call_at};
use crate::query::detail::{location, pointer, slice_ref};
use crate::store::Trace;
use crate::store::cache::cached;
use crate::store::native::HandleRow;
use crate::store::table::Table as _;
use syclscope_language::sorting::Sorting as _;

/// Objects that are never released.
const EVERLASTING: &[&str] = &["platform", "device", "adapter"];

pub(crate) struct HandleFindings(pub(crate) Vec<Finding>);

cached!(HandleFindings { 0 });

impl Trace {
    /// Returns the errors in the use of native handles, by time. The first call walks over the calls of the native API.
    pub(crate) fn handle_findings(&self) -> &[Finding] {
        &self.shelf.slot().get_or_init(|| HandleFindings(findings(self))).0
    }
}

fn findings(trace: &Trace) -> Vec<Finding> {
    let mut entered: FxHashMap<(u32, u64), Vec<HandleRow>> = FxHashMap::default();
    for row in trace.handles.iter().filter(|row| row.direction == HandleDirection::Enters && row.native != 0)
    {
        entered.entry((row.process, row.native)).or_default().push(row);
    }
    if entered.is_empty() {
        return Vec::new();
    }
    let uses = Uses::new(trace, |process, native| entered.contains_key(&(process, native)));
    let mut findings = Vec::new();
    for (key, entries) in &mut entered {
        entries.arrange_by_key(|row| row.at);
        for (position, row) in entries.iter().enumerate() {
            let next = entries.get(position + 1);
            let history =
                History { trace, row, next, uses: uses.of_native(*key), uses_known: uses.knows(*key) };
            match row.ownership {
                Ownership::Transfer => history.transferred(&mut findings),
                Ownership::Keep => history.add_lifetime_findings(&mut findings),
                Ownership::Other => {}
            }
        }
    }
    findings.arrange_by(|a, b| (a.at_ns, &a.kind, &a.evidence).cmp(&(b.at_ns, &b.kind, &b.evidence)));
    findings
}

/// A native handle from its import into SYCL until it, or another one at its address, is imported again.
struct History<'a> {
    trace: &'a Trace,
    row: &'a HandleRow,
    next: Option<&'a HandleRow>,
    /// The program's own calls of the native API with this handle, by time.
    uses: &'a [Use],
    /// True if the calls of its native API were recorded.
    uses_known: bool,
}

impl History<'_> {
    fn transferred(&self, findings: &mut Vec<Finding>) {
        let what = self.handle_words();
        if let Some(found) = self.uses().find(|found| found.destroys && self.is_live(found.at)) {
            let message = format!(
                "The program destroyed {what} after transferring it to SYCL, which destroys it again."
            );
            findings.push(self.finding(
                "transferred_handle_destroyed",
                Severity::Error,
                (message, "Let SYCL destroy it, or pass ownership::keep."),
                Some(found),
            ));
        }
        let is_given = |next: &&HandleRow| next.ownership == Ownership::Transfer && self.is_live(next.at);
        if let Some(next) = self.next.filter(is_given) {
            let words = (
                format!("The program transferred {what} to SYCL twice: both objects destroy it."),
                "Create one SYCL object and copy that.",
            );
            let mut finding = self.finding("transferred_handle_given_twice", Severity::Error, words, None);
            finding.evidence.push(format!("It entered SYCL again at {}.", moment(next.at)));
            findings.push(finding);
        }
        if let Some(found) = self.uses().find(|found| !self.is_live(found.at)) {
            let message =
                format!("The program used {what} after SYCL destroyed it, unless its address was reused.");
            findings.push(self.finding(
                "transferred_handle_used_afterwards",
                Severity::Info,
                (message, "Keep the SYCL object alive as long as the handle is used."),
                Some(found),
            ));
        }
    }

    fn add_lifetime_findings(&self, findings: &mut Vec<Finding>) {
        let what = self.handle_words();
        let destroyed = self.uses().find(|found| found.destroys);
        if let Some(found) = destroyed.filter(|found| self.is_live(found.at)) {
            let words = (
                format!("The program destroyed {what} while SYCL still held it."),
                "Destroy the SYCL object before the handle.",
            );
            findings.push(self.finding("kept_handle_destroyed_early", Severity::Error, words, Some(found)));
        }
        // A truncated recording, or a part of one, does not contain other events.
        let finished =
            self.trace.has_end(self.row.process) && self.trace.has_since(self.row.process, self.row.at);
        let object = self.trace.strings.get(self.row.object);
        if !finished || self.next.is_some() || EVERLASTING.contains(&object) {
            return;
        }
        let (words, evidence) = if self.row.released.is_none() {
            let message = format!(
                "The program kept {what} and never released it: SYCL still held it when the program ended."
            );
            let remedy = "Destroy the SYCL object first, then the handle.";
            ((message, remedy), "The Unified Runtime handle was never released.")
        } else if self.uses_known && destroyed.is_none() {
            let message = format!("The program kept {what} and never destroyed it.");
            let remedy = "Destroy it after the SYCL object, or pass ownership::transfer.";
            ((message, remedy), "No recorded native API call destroys it.")
        } else {
            return;
        };
        let mut finding = self.finding("kept_handle_never_released", Severity::Info, words, None);
        finding.evidence.push(evidence.to_owned());
        findings.push(finding);
    }

    /// Returns the program's own uses of this handle until its address is reused.
    fn uses(&self) -> impl Iterator<Item = &Use> {
        let from = self.uses.partition_point(|found| found.at < self.row.at);
        let until = self.next.map_or(u64::MAX, |next| next.at);
        self.uses[from..].iter().take_while(move |found| found.at < until)
    }

    /// True if SYCL has not released the handle before or at a moment.
    fn is_live(&self, at: u64) -> bool {
        self.row.released.is_none_or(|released| at < released)
    }

    fn handle_words(&self) -> String {
        let object = self.trace.strings.get(self.row.object);
        let object = if object.is_empty() { "handle" } else { object };
        format!("the native {object} {}", pointer(self.row.native))
    }

    fn finding(
        &self,
        kind: &str,
        severity: Severity,
        (cause, remedy): (String, &str),
        found: Option<&Use>,
    ) -> Finding {
        let Self { trace, row, .. } = self;
        let ownership = row.ownership.as_str();
        let mut evidence = vec![format!(
            "It entered SYCL at {} with the ownership {ownership}, as handle {}.",
            moment(row.at),
            pointer(row.handle)
        )];
        if let Some(released) = row.released {
            evidence.push(format!("SYCL released that handle at {}.", moment(released)));
        }
        if let Some(found) = found {
            let name = trace.strings.get(trace.slices.name.at(found.slice as usize));
            evidence.push(format!("The program called {name} with it at {}.", moment(found.at)));
        }
        let call = call_at(trace, row.process, row.tid, row.at);
        let at = found.map(|found| found.slice).or(call).map(|slice| slice_ref(trace, slice));
        Finding {
            kind: kind.to_owned(),
            severity,
            message: format!("{cause} {remedy}"),
            remedy: remedy.to_owned(),
            evidence,
            process: row.process,
            at_ns: row.at,
            until_ns: row.released.unwrap_or(row.at),
            location: location(trace, row.location),
            at,
            count: 1,
            slices: at.into_iter().collect(),
            ..Finding::default()
        }
    }
}

/// Describes a moment: milliseconds since the start.
fn moment(at: u64) -> String {
    format!("{}.{:06} ms", at / 1_000_000, at % 1_000_000)
}

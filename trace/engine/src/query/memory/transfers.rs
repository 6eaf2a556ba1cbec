//! Copies one by one, with their causes and verdicts on their need.

mod buffers;
mod cause;
mod judge;
mod usm;

use syclscope_language::api::{Need, Transfer, TransferList, TransferSums};
use syclscope_language::question::{TransferOrder, TransfersQuestion};

use self::judge::Verdict;
use super::activity::Copy;
use super::list::{Texts, in_order, positions};
use crate::id::{LocationId, StringId, some};
use crate::query::QueryError;
use crate::query::detail::{location, slice_ref};
use crate::store::Trace;
use crate::store::table::Table as _;

pub(crate) use self::judge::Verdicts;

/// Prefix of the names of the runtime's own copies.
pub(in crate::query) const IMPLICIT: &str = "Memory Transfer";
/// Upper bound of the bytes that a host thread can read, change and write in a nanosecond.
pub(in crate::query) const HOST_BYTES_PER_NS: u64 = 32;

impl Trace {
    /// Returns a page of the list of a run's copies.
    ///
    /// # Errors
    /// Returns an error if the query names an unknown object.
    pub fn transfers(&self, question: &TransfersQuestion) -> Result<TransferList, QueryError> {
        let copies = &self.memory_activity().copies;
        let verdicts = self.shelf.slot::<Verdicts>().get_or_init(|| Verdicts::new(self));
        let mut texts = Texts::new(self, &question.text);
        let object = match question.object {
            Some(id) => Some(self.public_id(id).ok_or(QueryError::NoObject(id))?),
            None => None,
        };
        let touched = question.touched_by.as_ref().map(|thing| self.touched_by(thing));
        let mut marked: Vec<(u64, u32)> = Vec::new();
        let mut sums = [Sum::default(); 5];
        let mut found: Vec<(u64, u32)> = Vec::new();
        for (number, copy) in (0..).zip(copies) {
            let verdict = verdicts.get(number);
            // Without device times, only the start of the copy is known.
            let end = some(copy.execution).map_or(copy.start, |_| copy.end);
            let is_wanted = object.is_none_or(|id| copy.from.id == id || copy.to.id == id)
                && question.from_ns.is_none_or(|from| end > from || copy.start >= from)
                && question.to_ns.is_none_or(|to| copy.start < to)
                && question.need.is_none_or(|need| verdict.need() == need)
                && question.source.is_none_or(|side| copy.from.side == side)
                && question.target.is_none_or(|side| copy.to.side == side);
            let is_touched = touched
                .as_ref()
                .is_some_and(|ids| [copy.from.id, copy.to.id].iter().any(|id| ids.binary_search(id).is_ok()));
            let is_left_out = touched.is_some() && !question.mark && !is_touched;
            if !is_wanted || is_left_out || !(texts.is_everything() || self.has_text(copy, &mut texts)) {
                continue;
            }
            sums[0].add(copy, self);
            sums[1 + verdict.need() as usize].add(copy, self);
            let entry = (self.order(question.sort, copy), number);
            marked.extend((question.mark && is_touched).then_some(entry));
            found.push(entry);
        }
        let marked = if marked.is_empty() { Vec::new() } else { positions(&found, marked) };
        let offset = usize::try_from(question.offset).unwrap_or(usize::MAX).min(found.len());
        let part = offset..offset.saturating_add(question.limit as usize).min(found.len());
        let transfers = in_order(&mut found, part).iter().filter_map(|(_, number)| {
            let copy = copies.get(*number as usize)?;
            Some(self.transfer(*number, copy, verdicts.get(*number)))
        });
        let of = |need: Need| sums[1 + need as usize].finish();
        Ok(TransferList {
            total: sums[0].finish(),
            needed: of(Need::Needed),
            unchanged: of(Need::Unchanged),
            never_read: of(Need::NeverRead),
            unknown: of(Need::Unknown),
            offset: offset as u64,
            transfers: transfers.collect(),
            marked,
        })
    }

    fn has_text(&self, copy: &Copy, texts: &mut Texts<'_>) -> bool {
        let node = some(copy.node).and_then(|node| self.nodes.get(node));
        let name = node.map_or_else(|| self.slices.name.at(copy.call as usize), |node| node.name);
        texts.has(self.place(copy), name, &[copy.from.pointer, copy.to.pointer])
    }

    fn place(&self, copy: &Copy) -> LocationId {
        let node = some(copy.node).map(|node| self.nodes.location.at(node as usize));
        node.filter(|place| *place != LocationId(0)).unwrap_or_else(|| self.source_location(copy.call))
    }

    fn order(&self, order: TransferOrder, copy: &Copy) -> u64 {
        let duration = self.copy_ns(copy).unwrap_or_default();
        // In millionths, to compare integers; 0 if unknown.
        let rate = || rate(copy.bytes, self.copy_ns(copy)).map_or(0, |rate| (rate * 1e6) as u64 + 1);
        match order {
            TransferOrder::Start => copy.start,
            TransferOrder::StartDown => !copy.start,
            TransferOrder::Bytes => copy.bytes.unwrap_or_default(),
            TransferOrder::BytesDown => !copy.bytes.unwrap_or_default(),
            TransferOrder::Duration => duration,
            TransferOrder::DurationDown => !duration,
            TransferOrder::Rate => rate(),
            TransferOrder::RateDown => !rate(),
        }
    }

    fn copy_ns(&self, copy: &Copy) -> Option<u64> {
        some(copy.execution).map(|slice| self.slices.duration.at(slice as usize))
    }

    fn transfer(&self, number: u32, copy: &Copy, verdict: &Verdict) -> Transfer {
        let node = some(copy.node).and_then(|node| self.nodes.get(node));
        let call_name = self.slices.name.at(copy.call as usize);
        let name: StringId = node.map_or(call_name, |node| node.name);
        let cause = cause::cause(self, copy);
        let duration_ns = self.copy_ns(copy);
        Transfer {
            transfer: number,
            node: node.map(|node| node.number),
            name: self.strings.get(name).to_owned(),
            at: some(copy.execution).map(|slice| slice_ref(self, slice)),
            call: Some(slice_ref(self, copy.call)),
            start_ns: copy.start,
            duration_ns,
            from: copy.from.side,
            to: copy.to.side,
            from_object: some(copy.from.id),
            to_object: some(copy.to.id),
            from_pointer: copy.from.pointer,
            to_pointer: copy.to.pointer,
            bytes: copy.bytes,
            bytes_per_ns: rate(copy.bytes, duration_ns),
            need: verdict.need(),
            unchanged: verdict.unchanged,
            read: verdict.read,
            why: verdict.why(),
            evidence: some(verdict.evidence).map(|slice| slice_ref(self, slice)),
            location: location(self, self.place(copy)).or_else(|| cause.location.clone()),
            cause,
        }
    }
}

/// Returns the bytes per nanosecond; `None` if the size is unknown, or the duration is unknown or 0.
fn rate(bytes: Option<u64>, duration: Option<u64>) -> Option<f64> {
    let duration = duration.filter(|duration| *duration > 0)?;
    Some(bytes? as f64 / duration as f64)
}

#[derive(Clone, Copy, Default)]
struct Sum {
    sums: TransferSums,
    /// Bytes and device time of copies with both.
    rated: (u64, u64),
}

impl Sum {
    fn add(&mut self, copy: &Copy, trace: &Trace) {
        let duration = trace.copy_ns(copy);
        self.sums.count += 1;
        self.sums.bytes = self.sums.bytes.saturating_add(copy.bytes.unwrap_or_default());
        self.sums.total_ns = self.sums.total_ns.saturating_add(duration.unwrap_or_default());
        if let (Some(bytes), Some(duration)) = (copy.bytes, duration) {
            self.rated = (self.rated.0.saturating_add(bytes), self.rated.1.saturating_add(duration));
        }
    }

    fn finish(&self) -> TransferSums {
        let (bytes, ns) = self.rated;
        TransferSums { bytes_per_ns: if ns == 0 { 0.0 } else { bytes as f64 / ns as f64 }, ..self.sums }
    }
}

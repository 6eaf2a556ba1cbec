//! Buffers, images and USM with their use and events.

mod events;
mod figures;
mod item;
mod lanes;
mod placement;

use syclscope_language::api::{Amount, ObjectHistory, ObjectList, ObjectWhat, TimelineTile};
use syclscope_language::event::{AllocationKind, ObjectKind};
use syclscope_language::question::{ObjectOrder, ObjectQuestion, ObjectsQuestion, TileKey};

use self::figures::Figures;
pub(super) use self::lanes::Lanes;
use super::list::{Texts, in_order, positions};
use super::owners::OwnedBy;
use crate::id::{LocationId, StringId, some};
use crate::query::QueryError;
use crate::query::matcher::Matcher;
use crate::store::Trace;
use crate::store::table::Table as _;

impl Trace {
    /// Returns a page of the list of a program's objects: buffers, images and USM.
    ///
    /// # Errors
    /// Returns an error if the query names an unknown process.
    pub fn objects(&self, question: &ObjectsQuestion) -> Result<ObjectList, QueryError> {
        if let Some(process) = question.process.filter(|process| *process as usize >= self.processes.len()) {
            return Err(QueryError::NoProcess(process));
        }
        let mut texts = Texts::new(self, &question.text);
        let mut total = Amount::default();
        let mut found: Vec<(u64, u32)> = Vec::new();
        let touched = question.touched_by.as_ref().map(|thing| self.touched_by(thing));
        let only = touched.as_deref().filter(|_| !question.mark);
        let mut marked: Vec<(u64, u32)> = Vec::new();
        let every = only.is_none().then(|| self.every_object()).into_iter().flatten();
        let selected = only.unwrap_or_default().iter().map(|id| (*id, self.owners().owner(*id)));
        for (id, owner) in every.chain(selected) {
            let row = Row::new(self, owner);
            let is_wanted = question.process.is_none_or(|process| process == row.process)
                && question.what.as_ref().is_none_or(|what| what.contains(&row.what))
                && question.to_ns.is_none_or(|to| row.made < to)
                && question.from_ns.is_none_or(|from| {
                    row.made >= from || row.released.is_none_or(|released| released > from)
                })
                && texts.has(row.location, row.name, &[row.pointer, row.host_pointer]);
            if !is_wanted {
                continue;
            }
            let figures = Figures::new(self, id, &row);
            let has_problem =
                |problems: &Vec<_>| figures.problems().iter().any(|found| problems.contains(found));
            if question.problems.as_ref().is_some_and(|problems| !has_problem(problems)) {
                continue;
            }
            total.add(row.size_bytes);
            let entry = (key(self, question.sort, &row, &figures), id);
            if question.mark && touched.as_ref().is_some_and(|touched| touched.binary_search(&id).is_ok()) {
                marked.push(entry);
            }
            found.push(entry);
        }
        let marked = if marked.is_empty() { Vec::new() } else { positions(&found, marked) };
        let offset = usize::try_from(question.offset).unwrap_or(usize::MAX).min(found.len());
        let part = offset..offset.saturating_add(question.limit as usize).min(found.len());
        let objects = in_order(&mut found, part).iter().map(|(_, id)| item::item(self, *id)).collect();
        Ok(ObjectList { total, offset: offset as u64, objects, marked })
    }

    /// Returns an object and its events.
    ///
    /// # Errors
    /// Returns an error if the object doesn't exist.
    pub fn object(&self, question: &ObjectQuestion) -> Result<ObjectHistory, QueryError> {
        let id = self.public_id(question.id).ok_or(QueryError::NoObject(question.id))?;
        let owner = self.owners().owner(id);
        Ok(events::history(self, id, owner, question))
    }

    /// Returns the events of an object at a resolution, and with a filter the number that match.
    ///
    /// # Errors
    /// Returns an error if there is no such object.
    pub(in crate::query) fn object_tile(
        &self,
        key: TileKey,
        matcher: Option<&mut Matcher<'_>>,
    ) -> Result<TimelineTile, QueryError> {
        let id = self.public_id(key.track).ok_or(QueryError::NoObject(key.track))?;
        Ok(lanes::tile(self, id, key, matcher))
    }

    /// Returns the slices that touch an object, and the calls that allocate or release its memory; some may occur
    /// twice.
    pub(in crate::query) fn slices_of_object(&self, id: u32) -> Result<Vec<u32>, QueryError> {
        let id = self.public_id(id).ok_or(QueryError::NoObject(id))?;
        let calls = events::calls(self, self.owners().owner(id)).into_iter().map(|(_, slice)| slice);
        let touches = self.memory_activity().touches.get(id).iter().filter_map(|touch| some(touch.slice));
        Ok(calls.chain(touches).collect())
    }

    pub(in crate::query) fn object_title(&self, id: u32) -> String {
        let owner = self.owners().owner(id);
        let row = Row::new(self, owner);
        let number = match owner {
            OwnedBy::Object(object) => Some(self.objects.rows.number.at(object as usize)),
            OwnedBy::Allocation(_) => None,
        };
        row.what.title(number, row.pointer)
    }

    pub(in crate::query) fn object_ids(&self) -> impl Iterator<Item = u32> {
        self.every_object().map(|(id, _)| id)
    }

    fn every_object(&self) -> impl Iterator<Item = (u32, OwnedBy)> {
        let owners = self.owners();
        let objects = (0..owners.objects()).map(|row| (row, OwnedBy::Object(row)));
        let rows = 0..self.allocations.len() as u32;
        let others = rows.filter(|row| owners.object_of(*row).is_none());
        objects.chain(others.map(|row| (owners.id_of(row), OwnedBy::Allocation(row))))
    }
}

#[derive(Clone, Copy, Debug)]
struct Row {
    what: ObjectWhat,
    process: u32,
    pointer: u64,
    host_pointer: u64,
    /// Name of its element type, or of its device.
    name: StringId,
    size_bytes: u64,
    made: u64,
    released: Option<u64>,
    location: LocationId,
}

impl Row {
    fn new(trace: &Trace, owner: OwnedBy) -> Self {
        match owner {
            OwnedBy::Object(row) => {
                let object = trace.objects.rows.row(row as usize);
                let what = match object.kind {
                    ObjectKind::Buffer if trace.owners().whole_of(row).is_some() => ObjectWhat::SubBuffer,
                    ObjectKind::Buffer => ObjectWhat::Buffer,
                    ObjectKind::Other => ObjectWhat::Other,
                    _ => ObjectWhat::Image,
                };
                let elements = item::range(&object).iter().fold(1_u64, |all, one| all.saturating_mul(*one));
                let own = elements.saturating_mul(object.element_size_bytes);
                // An image's element size is unknown.
                let memory = || {
                    trace
                        .objects
                        .bindings_of(row)
                        .find_map(|binding| trace.allocations.get(binding.allocation))
                };
                let size_bytes = if own > 0 { own } else { memory().map_or(0, |memory| memory.size_bytes) };
                Self {
                    what,
                    process: object.process,
                    pointer: object.address,
                    host_pointer: object.host_pointer,
                    name: object.element_type,
                    size_bytes,
                    made: object.created,
                    released: object.destroyed,
                    location: object.location,
                }
            }
            OwnedBy::Allocation(row) => {
                let allocation = trace.allocations.row(row as usize);
                Self {
                    what: match allocation.kind {
                        AllocationKind::Device => ObjectWhat::Device,
                        AllocationKind::Host => ObjectWhat::Host,
                        AllocationKind::Shared => ObjectWhat::Shared,
                        AllocationKind::Buffer => ObjectWhat::Buffer,
                        AllocationKind::Image => ObjectWhat::Image,
                        AllocationKind::Other => ObjectWhat::Other,
                    },
                    process: allocation.process,
                    pointer: allocation.pointer,
                    host_pointer: 0,
                    name: allocation.title,
                    size_bytes: allocation.size_bytes,
                    made: allocation.at,
                    released: allocation.released,
                    location: allocation.location,
                }
            }
        }
    }

    /// Returns the end of the object, or of the trace.
    fn end(&self, trace: &Trace) -> u64 {
        self.released.unwrap_or(trace.duration_ns).max(self.made)
    }
}

fn key(trace: &Trace, order: ObjectOrder, row: &Row, figures: &Figures<'_>) -> u64 {
    // Unknown values sort before 0.
    let known_first = |number: Option<u64>| number.map_or(0, |number| number.saturating_add(1));
    match order {
        ObjectOrder::Made => row.made,
        ObjectOrder::MadeDown => !row.made,
        ObjectOrder::Size => row.size_bytes,
        ObjectOrder::SizeDown => !row.size_bytes,
        ObjectOrder::Lifetime => row.end(trace) - row.made,
        ObjectOrder::LifetimeDown => !(row.end(trace) - row.made),
        ObjectOrder::Copied => figures.copied(),
        ObjectOrder::CopiedDown => !figures.copied(),
        ObjectOrder::Commands => figures.commands(),
        ObjectOrder::CommandsDown => !figures.commands(),
        ObjectOrder::Untouched => known_first(figures.untouched()),
        ObjectOrder::UntouchedDown => !known_first(figures.untouched()),
        ObjectOrder::Idle => known_first(figures.idle()),
        ObjectOrder::IdleDown => !known_first(figures.idle()),
    }
}

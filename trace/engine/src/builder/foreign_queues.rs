//! Queues of other tools: slices on a track of the kind queue ran on a device. They become executions of commands,
//! submitted by the call from which an arrow leads to them.

use rustc_hash::FxHashMap;
use syclscope_language::event::{Category, NodeKind, TrackKind};

use super::TraceBuilder;
use super::chunks::Chunks;
use super::queues::PendingExecution;
use super::track::TrackBuilder;
use crate::id::{ArgsId, some};
use crate::store::flows::Flows;
use crate::store::graph::NodeRow;
use crate::store::slices::Slices;
use crate::store::table::Table as _;
use crate::store::tracks::Tracks;

impl TraceBuilder {
    pub(super) fn adopt_queues(&mut self) {
        let rows: FxHashMap<u64, usize> =
            self.tracks.iter().enumerate().map(|(row, track)| (track.id, row)).collect();
        let mut found: Vec<usize> = Vec::new();
        for (row, track) in self.tracks.iter().enumerate() {
            if track.kind == TrackKind::Queue && !track.slices.is_empty() {
                found.push(row);
            }
        }
        let device = |track: &TrackBuilder| track.parent.and_then(|parent| rows.get(&parent).copied());
        found.sort_by_key(|row| {
            let track = &self.tracks[*row];
            let device = device(track).map(|device| (self.tracks[device].rank, device));
            (device, track.rank, *row)
        });
        for row in found {
            let device = device(&self.tracks[row]);
            self.adopt(row, device);
        }
    }

    fn adopt(&mut self, row: usize, device: Option<usize>) {
        let track = &mut self.tracks[row];
        let (name, process, id) = (track.name, track.process, track.id);
        let mut slices = std::mem::take(&mut track.slices);
        let number = number_of(self.strings.text(name)).filter(|number| !self.queues.knows(*number));
        let number = number.unwrap_or_else(|| self.queues.free_number());
        let queue = self.queues.row(number, process);
        let mut executions = Chunks::default();
        for slice in slices.iter_mut() {
            let kind = kind_of(slice.category);
            executions.push(PendingExecution::new(kind));
            let node = self.graph.free_number();
            slice.node = self.graph.row(node);
            self.graph.nodes[slice.node as usize] = NodeRow {
                created: slice.start,
                kind,
                name: slice.name,
                queue,
                location: slice.location,
                args: ArgsId::default(),
                announced: true,
                ..self.graph.nodes[slice.node as usize]
            };
        }
        let entry = &mut self.queues.entries[queue as usize];
        entry.row.created = slices.iter().map(|slice| slice.start).min().unwrap_or_default();
        (entry.name, entry.adopted) = (name, Some((row, id)));
        (entry.slices, entry.executions) = (slices, executions);
        self.queues.announce(queue);
        if let Some(device) = device.map(|device| &self.tracks[device]) {
            // Importers create a device for the track, with the track's number as id and handle.
            let (name, handle) = (device.name, device.id);
            let device_type = self.machine.device_type(handle);
            let entry = &mut self.queues.entries[queue as usize];
            entry.row.device = name;
            entry.row.device_handle = handle;
            entry.row.device_type = device_type.unwrap_or_default();
        }
    }
}

pub(super) fn kind_of(category: Category) -> NodeKind {
    match category {
        Category::Kernel => NodeKind::Kernel,
        Category::Copy => NodeKind::Copy,
        Category::Fill => NodeKind::Fill,
        _ => NodeKind::Other,
    }
}

/// Returns the queue's number within its name: `stream 7`, `Stream #13(Compute)` or `queue 2`.
fn number_of(name: &str) -> Option<u64> {
    let numbered =
        ["stream ", "Stream #", "queue "].into_iter().find_map(|start| name.strip_prefix(start))?;
    let end = numbered.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(numbered.len());
    numbered[..end].parse().ok()
}

/// Links commands without a submission to the source of the arrow that leads to them.
pub(super) fn link_submissions(
    nodes: &mut [NodeRow],
    slices: &mut Slices,
    tracks: &Tracks,
    flows: &Flows,
    executions: usize,
) {
    for flow in flows.rows.iter() {
        let (source, target) = (flow.source as usize, flow.target as usize);
        if source < executions || target >= executions {
            continue;
        }
        let Some(number) = some(slices.node.at(target)) else { continue };
        let Some(node) = nodes.get_mut(number as usize) else { continue };
        if some(node.submission).is_some() || some(slices.node.at(source)).is_some() {
            continue;
        }
        node.submission = flow.source;
        node.created = slices.start.at(source);
        node.tid = tracks.tid.at(tracks.of_lane(slices.lane_of(source)));
        if let Some(place) = slices.node.owned().get_mut(source) {
            *place = number;
        }
    }
}

//! Answers to queries, as JSON.

use std::io::{self, Write};

use serde::Serialize;
use syclscope_language::question::{Question, TileView};

use crate::cancel;
use crate::query::QueryError;
use crate::store::Trace;

/// Initial capacity of an answer.
const INITIAL_BYTES: usize = 1 << 10;

impl Trace {
    /// Returns the answer to a question, as JSON.
    ///
    /// # Errors
    /// Returns an error if the query names an unknown entity or is SQL.
    pub fn answer(&self, question: &Question) -> Result<String, QueryError> {
        match question {
            Question::Info => json(&self.info()),
            Question::Tile(key) => match key.view {
                TileView::Timeline => json(&self.timeline_tile(*key)?),
                TileView::Counter => json(&self.counter_tile(*key)?),
                TileView::Kernel => json(&self.kernel_tile(*key)?),
                TileView::Density => json(&self.density_tile(*key)?),
                TileView::Activity => json(&self.activity_tile(*key)?),
                TileView::Object => json(&self.object_tile(*key, None)?),
            },
            Question::Memory(key) => json(&self.memory_tile(*key)?),
            Question::Slice(slice) => json(&self.slice(*slice)?),
            Question::Source(source) => json(&self.source_text(*source)?),
            Question::Files => json(&self.files()),
            Question::Lines(file) => json(&self.lines(file)?),
            Question::Contents => json(&self.contents()),
            Question::Calls(question) => json(&self.calls(question)),
            Question::CallTree(question) => json(&self.call_tree(question)?),
            Question::Sandwich(question) => json(&self.sandwich(question)?),
            Question::Kernel(question) => json(&self.kernel(question)?),
            Question::Report(question) => json(&self.report_within(question)),
            Question::FilteredTile(key, filter) if key.view == TileView::Density => {
                json(&self.filtered_density(*key, filter)?)
            }
            Question::FilteredTile(key, filter) => json(&self.filtered_tile(*key, filter)?),
            Question::Overlaps(question) => json(&self.overlaps(question)?),
            Question::Alike { slice, same_track } => json(&self.alike(*slice, *same_track)?),
            Question::Waits(question) => json(&self.waits(question)?),
            Question::Select(question) => json(&self.select(question)?),
            Question::Slices(question) => json(&self.slices(question)?),
            Question::Search(question) => json(&self.search(question)?),
            Question::Find(question) => json(&self.find(question)),
            Question::Step(question) => json(&self.step(question)?),
            Question::Life(slice) => json(&self.life(*slice)?),
            Question::Dependences(question) => json(&self.dependences(question)?),
            Question::KernelLanes => json(&self.kernel_lanes()),
            Question::Activity => json(&self.activity()),
            Question::CriticalPath(question) => json(&self.critical_path_within(question)),
            Question::Gaps(question) => json(&self.gaps(question)?),
            Question::Findings(question) => json(&self.findings(question)),
            Question::StartUp => json(&self.start_up()),
            Question::Builds(question) => json(&self.builds(question)),
            Question::Energy(question) => json(&self.energy(question)),
            Question::Regions(question) => json(&self.regions(question)),
            Question::Iterations(question) => json(&self.iterations(question)?),
            Question::Graph(question) => json(&self.graph_view(question)?),
            Question::GraphMembers(question) => json(&self.graph_members(question)?),
            Question::Components => json(&self.graph_components()),
            Question::Serialised(question) => json(&self.serialised(question)),
            Question::WhatIf(question) => json(&self.what_if(question)?),
            Question::MemoryUse(question) => json(&self.memory_use(question)?),
            Question::MemoryAt(question) => json(&self.memory_at(question)?),
            Question::Allocations(question) => json(&self.allocations(question)?),
            Question::Objects(question) => json(&self.objects(question)?),
            Question::Object(question) => json(&self.object(question)?),
            Question::Transfers(question) => json(&self.transfers(question)?),
            Question::Leaks(question) => json(&self.leaks(question)?),
            Question::Sql(_) => Err(QueryError::NoSql),
        }
    }
}

/// Returns an answer as JSON. Stops the query beyond its memory limit.
pub fn json(answer: &impl Serialize) -> Result<String, QueryError> {
    let mut text = Text(Vec::new());
    serde_json::to_writer(&mut text, answer).map_err(|_| QueryError::Unwritable)?;
    String::from_utf8(text.0).map_err(|_| QueryError::Unwritable)
}

/// Bytes of an answer, counted against the limit as it grows.
struct Text(Vec<u8>);

impl Write for Text {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.capacity() - self.0.len() < bytes.len() {
            cancel::spend_on(self.0.capacity().max(INITIAL_BYTES) as u64);
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

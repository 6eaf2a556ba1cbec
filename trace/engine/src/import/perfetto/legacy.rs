//! Events in the style of Chrome's JSON: with a phase instead of a type.

use syclscope_language::event::{Event, EventSink, Flow, FlowBinding, FlowStep, Value as ArgValue};
use syclscope_language::time::{Duration, Timestamp};

use super::Reader;
use super::interned::Sequence;
use super::track_event::TrackEvent;
use crate::convention::DERIVED;
use crate::diagnostics::DiagnosticKind;
use crate::import::async_slices::{Head, identity};
use crate::proto::fields::legacy;
use crate::proto::walk::{Fields, Value};

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Legacy<'p> {
    pub(super) phase: u8,
    duration_us: u64,
    /// Id; true if it is local to its process.
    id: Option<(u64, bool)>,
    scope: &'p str,
    binds_to_enclosing: bool,
    pub(super) pid: Option<u32>,
    pub(super) tid: Option<u32>,
}

impl<S: EventSink> Reader<S> {
    /// Reads the legacy part of an event.
    pub(super) fn read_legacy<'p>(
        &mut self,
        sequence: &'p Sequence,
        body: &'p [u8],
        name: &mut &'p str,
    ) -> Legacy<'p> {
        let mut read = Legacy::default();
        let (mut bind, mut direction) = (None, 0);
        for field in Fields::new(body).readable() {
            match (field.number, field.value) {
                (legacy::NAME_IID, Value::Varint(iid)) if name.is_empty() => {
                    *name = sequence.text(self.resolve(sequence.names.get(iid)));
                }
                (legacy::PHASE, Value::Varint(value)) => read.phase = u8::try_from(value).unwrap_or_default(),
                (legacy::DURATION_US, Value::Varint(value)) => read.duration_us = value,
                (legacy::UNSCOPED_ID | legacy::GLOBAL_ID, Value::Varint(id)) => read.id = Some((id, false)),
                (legacy::LOCAL_ID, Value::Varint(id)) => read.id = Some((id, true)),
                (legacy::ID_SCOPE, Value::Bytes(bytes)) => read.scope = self.text(bytes),
                (legacy::BIND_ID, Value::Varint(id)) => bind = Some(id),
                (legacy::FLOW_DIRECTION, Value::Varint(value)) => direction = value,
                (legacy::BIND_TO_ENCLOSING, Value::Varint(value)) => read.binds_to_enclosing = value != 0,
                (legacy::PID_OVERRIDE, Value::Varint(value)) => read.pid = Some(value as u32),
                (legacy::TID_OVERRIDE, Value::Varint(value)) => read.tid = Some(value as u32),
                _ => {}
            }
        }
        if let Some(id) = bind {
            // 1 is incoming, 2 outgoing, 3 both.
            match direction {
                1 => self.rare.flows.push((id, FlowStep::End)),
                2 => self.rare.flows.push((id, FlowStep::Start)),
                3 => self.rare.flows.push((id, FlowStep::Step)),
                _ => {}
            }
        }
        read
    }

    /// Reads a legacy event with a phase and no type.
    pub(super) fn legacy<'p>(
        &mut self,
        track: u64,
        at: Timestamp,
        read: &TrackEvent<'p>,
        args: &mut [(&'p str, ArgValue<'p>)],
    ) {
        if read.category == DERIVED {
            return;
        }
        let Some(legacy) = read.legacy else { return self.count(DiagnosticKind::UnknownEvent) };
        let process = self.tracks.process_of(track);
        // A local id is valid in its process.
        let scoped_id = || {
            let (id, is_local) = legacy.id.unwrap_or_default();
            (id, if is_local { process.unwrap_or(track) } else { 0 })
        };
        let head = |args| {
            let (id, scope) = scoped_id();
            // Of the older kind of asynchronous slices, the name is part of the identity.
            let is_old = matches!(legacy.phase, b'S' | b'T' | b'p' | b'F');
            let name = if is_old { read.name } else { "" };
            let key = identity(&[read.category, legacy.scope, name], &[id, scope]);
            Head { key, parent: process, at, category: Self::category(read), name: read.name, args }
        };
        match legacy.phase {
            b'B' => self.begin(track, at, read, args),
            b'E' => {
                self.end(track, at, args);
            }
            b'I' | b'i' | b'R' | b'P' => self.instant(track, at, read, args),
            b'X' => {
                let end = at.after(Duration(legacy.duration_us.saturating_mul(1000)));
                self.complete(track, (at, end), read, args);
            }
            b'b' | b'S' | b'N' => {
                let head = head(args);
                let has_room = self.has_room_for(head.text_bytes());
                if has_room && !self.asynchronous.begin(&mut self.sink, &head) {
                    self.count(DiagnosticKind::Oversized);
                }
            }
            b'e' | b'F' | b'D' => {
                let head = head(args);
                // An end may have to wait for its start.
                let has_room = self.has_room_for(head.text_bytes());
                if has_room && !self.asynchronous.end(&mut self.sink, &head, self.offset) {
                    self.count(DiagnosticKind::EndWithoutBegin);
                }
            }
            b'n' | b'T' | b'p' | b'O' => {
                let head = head(args);
                self.asynchronous.instant(&mut self.sink, &head);
            }
            phase @ (b's' | b't' | b'f') => {
                let step = match phase {
                    b's' => FlowStep::Start,
                    b't' => FlowStep::Step,
                    _ => FlowStep::End,
                };
                // Only an end may refer to the next slice.
                let next = phase == b'f' && !legacy.binds_to_enclosing;
                let binding = if next { FlowBinding::Next } else { FlowBinding::Enclosing };
                let (id, scope) = scoped_id();
                let flow = identity(&[read.category, read.name, legacy.scope], &[id, scope]);
                self.sink.event(&Event::Flow(Flow { at, flow, track, step, binding, name: read.name }));
            }
            b'M' => {}
            _ => self.count(DiagnosticKind::UnknownEvent),
        }
    }
}

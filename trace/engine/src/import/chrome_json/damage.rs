//! Reading of damaged and truncated lists of events, with as few lost events as possible.

use syclscope_language::event::EventSink;

use super::record::Record;
use super::scanner::{Flaw, Scanner};
use super::skip::{Resync, Skip};
use super::{After, Reader, State};
use crate::diagnostics::DiagnosticKind;
use crate::import::limits::MAX_RECORD_BYTES;

impl<S: EventSink> Reader<S> {
    /// Reads the events on the further lines of an event that has no end. The rest of its first line may be lost.
    pub(super) fn lines_of_cut<'a>(
        &mut self,
        scanner: &mut Scanner<'a>,
        record: &mut Record<'a>,
        mut begin: usize,
    ) {
        while matches!(self.state, State::Events) {
            scanner.go_to(begin);
            while scanner.take_if(b',') {}
            scanner.peek();
            let start = scanner.offset();
            scanner.go_to_end();
            if !scanner.since(start).contains(&b'\n') {
                return;
            }
            self.resync(scanner, start);
            begin = scanner.offset();
            while self.step(scanner, record, begin) {
                begin = scanner.offset();
            }
        }
    }

    /// Searches for the next event after the damage at this position, in an event that begins at `start`. A line may
    /// have lost its rest: the search begins at the end of the event's first line.
    fn resync(&mut self, scanner: &mut Scanner<'_>, start: usize) {
        let text = scanner.since(start);
        let search = match text.iter().position(|byte| *byte == b'\n') {
            Some(line) => {
                scanner.go_to(start + line);
                Resync::default()
            }
            None => Resync::after(text),
        };
        self.state = State::Resync(search);
        self.is_damaged = true;
    }

    /// Skips bytes after an apparent end, or resumes if events follow it. True if bytes were skipped or events follow.
    /// After damage, the end of a list or object within an event may look like the end of the whole list; only
    /// whitespace follows the latter.
    pub(super) fn goes_on(&mut self, scanner: &mut Scanner<'_>, begin: usize) -> bool {
        if self.is_damaged {
            while scanner.take_if(b'}') || scanner.take_if(b']') {}
            if scanner.peek().is_some() {
                self.state = State::Resync(Resync::default());
                return true;
            }
        }
        scanner.go_to_end();
        scanner.offset() > begin
    }

    /// True if the text ends too early, given the position up to which it could be read. An array of events without an
    /// object around it may be open at its end; an object may not.
    pub(super) fn is_cut(&self, scanner: &Scanner<'_>, done: usize) -> bool {
        match self.state {
            State::Over | State::Start => false,
            State::Events if !self.is_in_object => !scanner.is_blank_from(done),
            // Damage was already counted.
            State::Resync(_) => self.is_in_object,
            State::Events | State::Members | State::Frames | State::Skip(..) => true,
        }
    }

    /// Handles an unreadable element. True if reading can continue.
    pub(super) fn flawed(&mut self, scanner: &mut Scanner<'_>, flaw: Flaw, begin: usize) -> bool {
        match (flaw, self.state) {
            (Flaw::Cut, State::Events | State::Frames) if scanner.length() - begin > MAX_RECORD_BYTES => {
                self.count(DiagnosticKind::Oversized);
                scanner.go_to(begin);
                let after = if matches!(self.state, State::Events) { After::Events } else { After::Frames };
                self.state = State::Skip(Skip::default(), after);
                true
            }
            // An incomplete element is passed again, with more bytes.
            (Flaw::Cut, _) => false,
            (flaw, State::Events) => {
                let is_deep = flaw == Flaw::TooDeep;
                self.count(if is_deep { DiagnosticKind::TooDeep } else { DiagnosticKind::MalformedPacket });
                self.resync(scanner, (self.offset - self.read_bytes) as usize);
                true
            }
            // The apparent end of the list was within a damaged event.
            (_, State::Members) if self.is_damaged => {
                scanner.go_to(begin);
                self.state = State::Resync(Resync::default());
                true
            }
            (_, State::Frames) => {
                self.count(DiagnosticKind::MalformedPacket);
                scanner.go_to(begin);
                while scanner.take_if(b',') {}
                if scanner.string().is_ok() {
                    scanner.take_if(b':');
                }
                if scanner.peek() != Some(b'}') {
                    self.state = State::Skip(Skip::default(), After::Frames);
                }
                true
            }
            _ => {
                if self.has_list {
                    self.count(DiagnosticKind::MalformedPacket);
                }
                self.state = State::Over;
                true
            }
        }
    }
}

//! Copy of a recording without its private data.

use std::ops::Range;

use rustc_hash::FxHashMap;
use syclscope_language::contents::ContentKind;
use syclscope_language::event::{Event, EventSink, Fact, Process, SourceFile, SourceState, Value};

use super::pseudonyms::Pseudonyms;
use super::secrets::{self, Secrets};
use super::texts::{Open, Role, with_args, with_texts};
use crate::convention::device_of_stream;
use crate::privacy_scan::{paths, words};
use syclscope_language::sorting::Sorting as _;

/// File extensions that reveal the language and nothing else.
const ENDINGS: &[&str] =
    &["c", "cc", "cpp", "cxx", "cu", "f90", "h", "hh", "hpp", "hxx", "py", "rs", "so", "jl"];

/// Length to which Linux cuts a thread's name, in bytes.
const THREAD_NAME_BYTES: usize = 15;

pub(super) struct Cleaner<'s, S> {
    pub(super) sink: S,
    texts: Texts<'s>,
    open: Open,
}

impl<'s, S> Cleaner<'s, S> {
    pub(super) fn new(secrets: &'s Secrets, sink: S) -> Self {
        let texts =
            Texts { secrets, pseudonyms: secrets.pseudonyms.clone(), replacements: FxHashMap::default() };
        Self { sink, texts, open: Open::default() }
    }
}

impl<S: EventSink> EventSink for Cleaner<'_, S> {
    fn event(&mut self, event: &Event<'_>) {
        let Self { sink, texts, open } = self;
        let author = open.author(event);
        let choice = texts.secrets.choice;
        if let Event::Fact(Fact { kind, name, .. }) = event
            && choice.has(ContentKind::Environment)
            && words::is_variable(*kind, name)
        {
            return;
        }
        // Replacements of all texts are computed first and then looked up: an event borrows all of its texts at once.
        let learn = &mut |role, text| {
            texts.learn(role, text);
            text
        };
        with_args(event, author, learn);
        with_texts(event, author, &[], learn);
        let texts = &*texts;
        let look_up = &mut |role, text| texts.replacement(role, text);
        let mut args = with_args(event, author, look_up);
        if author.is_marker && choice.has(ContentKind::Arguments) {
            args.retain(|(_, value)| matches!(value, Value::Str(_)));
        }
        let mut cleaned = with_texts(event, author, &args, look_up);
        match &mut cleaned {
            Event::Process(process) => {
                if choice.has(ContentKind::CommandLine) {
                    process.command_line = process.name;
                }
                if choice.has(ContentKind::Date) {
                    *process = Process { start_unix_ns: 0, start_monotonic_ns: 0, ..*process };
                }
            }
            // With the offset between the clocks of a device and the host, a known time on one clock would give the
            // time on the other.
            Event::DeviceClock(clock) if choice.has(ContentKind::Date) => clock.offset_ns = 0,
            Event::SourceFile(file) => {
                // A changed text has another digest, and the digest of a removed text could identify it.
                let is_same =
                    matches!(event, Event::SourceFile(SourceFile { text, .. }) if *text == file.text);
                if !is_same || choice.has(ContentKind::Sources) {
                    file.sha256 = "";
                }
                if choice.has(ContentKind::Sources) && file.state == SourceState::Whole {
                    file.state = Default::default();
                }
            }
            _ => {}
        }
        sink.event(&cleaned);
    }
}

/// The replacement of each text, computed once.
struct Texts<'s> {
    secrets: &'s Secrets,
    pseudonyms: Pseudonyms,
    /// `None` for texts that stay.
    replacements: FxHashMap<Role, FxHashMap<Box<str>, Option<Box<str>>>>,
}

impl Texts<'_> {
    fn learn(&mut self, role: Role, text: &str) {
        if text.is_empty() || self.replacements.get(&role).is_some_and(|texts| texts.contains_key(text)) {
            return;
        }
        let cleaned = self.cleaned(role, text);
        let cleaned = (cleaned != text).then(|| cleaned.into_boxed_str());
        self.replacements.entry(role).or_default().insert(text.into(), cleaned);
    }

    fn replacement<'t>(&'t self, role: Role, text: &'t str) -> &'t str {
        let replacement = self.replacements.get(&role).and_then(|texts| texts.get(text));
        replacement.and_then(Option::as_deref).unwrap_or(text)
    }

    fn cleaned(&mut self, role: Role, text: &str) -> String {
        match role {
            Role::Is(kind) if self.secrets.choice.has(kind) => match kind {
                ContentKind::Paths => self.path(text),
                ContentKind::Sources => String::new(),
                ContentKind::Kernels => secrets::kernel(&mut self.pseudonyms, text),
                ContentKind::Programs => self.program(text),
                kind => self.pseudonyms.pseudonym(kind, text),
            },
            Role::Words => match self.secrets.of_name(text) {
                Some(pseudonym) => pseudonym.to_owned(),
                None => self.without_secrets(text),
            },
            Role::Is(_) | Role::Fixed => self.without_secrets(text),
            Role::Stream => {
                let device = device_of_stream(text).unwrap_or_default();
                let number = text.strip_suffix(device).unwrap_or(text);
                format!("{number}{}", self.cleaned(Role::Is(ContentKind::Devices), device))
            }
        }
    }

    /// Returns the replacement of a process's or a thread's name. Linux cuts thread names. The main thread has the
    /// process's name, and gets the same replacement.
    fn program(&mut self, name: &str) -> String {
        let whole = match name.len() {
            THREAD_NAME_BYTES => self.secrets.found.beginning_with(ContentKind::Programs, name),
            _ => None,
        };
        self.pseudonyms.pseudonym(ContentKind::Programs, whole.unwrap_or(name))
    }

    fn path(&mut self, path: &str) -> String {
        // The last name in the path of a folder is not the name of a file.
        if self.secrets.choice.keep_file_names && !self.secrets.folders.contains(path) {
            let name = paths::base_name(path);
            let folder = path.strip_suffix(name).unwrap_or_default().trim_end_matches(['/', '\\']);
            let name = self.patterns_replaced(name, Vec::new());
            if folder.is_empty() {
                return name;
            }
            return format!("{}/{name}", self.pseudonyms.pseudonym(ContentKind::Paths, folder));
        }
        let pseudonym = self.pseudonyms.pseudonym(ContentKind::Paths, path);
        match path.rsplit_once('.').filter(|(_, ending)| ENDINGS.contains(ending)) {
            Some((_, ending)) => format!("{pseudonym}.{ending}"),
            None => pseudonym,
        }
    }

    fn without_secrets(&mut self, text: &str) -> String {
        let mut replaced = Vec::new();
        if self.secrets.choice.has(ContentKind::Paths) {
            for range in paths::in_text(text) {
                let path = self.path(&text[range.clone()]);
                replaced.push((range, path));
            }
        }
        self.patterns_replaced(text, replaced)
    }

    /// Replaces patterns outside the ranges of `replaced`; of overlapping ones the first, and of equal starts the
    /// longer one.
    fn patterns_replaced(&mut self, text: &str, mut replaced: Vec<(Range<usize>, String)>) -> String {
        let found = self.secrets.in_text(text).map(|(range, pseudonym)| (range, pseudonym.to_owned()));
        replaced.extend(found);
        if replaced.is_empty() {
            return text.to_owned();
        }
        replaced.arrange_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
        let mut cleaned = String::with_capacity(text.len());
        let mut at = 0;
        for (range, pseudonym) in replaced {
            if range.start >= at {
                cleaned.push_str(&text[at..range.start]);
                cleaned.push_str(&pseudonym);
                at = range.end;
            }
        }
        cleaned.push_str(&text[at..]);
        cleaned
    }
}

//! First pass over a recording: collects its private texts.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use syclscope_language::contents::ContentKind;
use syclscope_language::event::{Event, EventSink, Fact, Process, SourceFile, Value};

use super::texts::{Author, Open, Role, args_of, with_args, with_texts};
use crate::privacy_scan::{PrivateTexts, paths, words};

/// Minimum length of a line that identifies a source file, in bytes: shorter lines are likely to occur in other files.
const LONG_LINE: usize = 24;

#[derive(Default)]
pub(super) struct Survey {
    pub(super) found: PrivateTexts,
    /// Private texts that occur as arguments, by kind: kernels as compilers name them, devices, element types, and keys
    /// that the recorder did not choose.
    pub(super) aliases: BTreeSet<(ContentKind, Box<str>)>,
    /// The recorder's own argument keys: they stay, even if a program uses the same word.
    pub(super) known_keys: FxHashSet<Box<str>>,
    /// A line of each source text that no other text contains by chance.
    pub(super) source_lines: BTreeSet<Box<str>>,
    seen: FxHashSet<(Role, Box<str>)>,
    open: Open,
}

impl Survey {
    fn text(&mut self, role: Role, text: &str) {
        if text.is_empty() || self.seen.contains(&(role, text.into())) {
            return;
        }
        self.seen.insert((role, text.into()));
        match role {
            Role::Is(ContentKind::Paths) => self.found.add_path(text),
            Role::Is(ContentKind::Arguments | ContentKind::CommandLine | ContentKind::Sources)
            | Role::Words
            | Role::Fixed
            | Role::Stream => {}
            Role::Is(kind) => self.found.add(kind, text),
        }
        // Paths in source text are not collected: if the text stays, cleaning finds them in it.
        if !matches!(role, Role::Is(ContentKind::Paths | ContentKind::Sources)) {
            self.found.add_paths_in(text);
        }
    }

    fn facts(&mut self, event: &Event<'_>) {
        match event {
            Event::Process(Process { name, command_line, start_unix_ns, .. }) => {
                if command_line != name {
                    self.found.add(ContentKind::CommandLine, command_line);
                }
                if *start_unix_ns != 0 {
                    self.found.add(ContentKind::Date, &start_unix_ns.to_string());
                }
            }
            Event::Fact(Fact { kind, name, value, .. }) if words::is_variable(*kind, name) => {
                self.found.add(ContentKind::Environment, &format!("{name}={value}"));
            }
            Event::SourceFile(SourceFile { name, text, .. }) if !text.is_empty() => {
                self.found.add(ContentKind::Sources, name);
                self.source_lines.extend(telling_line(text).map(Box::from));
            }
            _ => {}
        }
    }

    fn arguments(&mut self, event: &Event<'_>, author: Author) {
        let mut roles = Vec::new();
        with_args(event, author, &mut |role, text| {
            roles.push(role);
            text
        });
        // The roles of each argument: its text, if it has one, and then its key.
        let mut roles = roles.into_iter();
        let is_private = |role: Option<Role>| role == Some(Role::Is(ContentKind::Arguments));
        for (key, value) in args_of(event) {
            let text = if let Value::Str(text) = value { Some((text, roles.next())) } else { None };
            let of_key = roles.next();
            match text {
                Some((text, role)) if is_private(role) => {
                    self.found.add(ContentKind::Arguments, &format!("{key}: {text}"));
                }
                None if is_private(of_key) => self.found.add(ContentKind::Arguments, key),
                _ => {}
            }
            if !is_private(of_key) && !self.known_keys.contains(*key) {
                self.known_keys.insert((*key).into());
            }
        }
    }
}

impl EventSink for Survey {
    fn event(&mut self, event: &Event<'_>) {
        let author = self.open.author(event);
        self.facts(event);
        self.arguments(event, author);
        with_args(event, author, &mut |role, text| {
            match role {
                Role::Is(kind) => {
                    self.aliases.insert((kind, text.into()));
                    self.text(Role::Fixed, text);
                }
                role => self.text(role, text),
            }
            text
        });
        with_texts(event, author, &[], &mut |role, text| {
            self.text(role, text);
            text
        });
    }
}

/// Returns the longest line of a source text, if it is long enough to be unique.
fn telling_line(text: &str) -> Option<&str> {
    text.lines().map(str::trim).filter(|line| line.len() >= LONG_LINE).max_by_key(|line| line.len())
}

/// Returns the parent folders of an absolute path, deepest first, without the top-level one (`/home`), which is the
/// same on many machines.
pub(super) fn folders(path: &str) -> impl Iterator<Item = &str> {
    let top = path.strip_prefix('/').and_then(|rest| rest.find('/')).map_or(path.len(), |at| at + 1);
    path.rmatch_indices('/').map(|(at, _)| at).take_while(move |at| *at > top).map(|at| &path[..at])
}

/// Returns the file name in a text that looks like a path.
pub(super) fn file_name(path: &str) -> Option<&str> {
    let name = paths::base_name(path);
    (name != path && name.contains('.') && name.len() > 3).then_some(name)
}

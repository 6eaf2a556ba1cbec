//! Check of a cleaned copy while it is written: it succeeds only if no private text is left.

use std::collections::BTreeSet;
use std::io::{self, Write};

use rustc_hash::FxHashSet;
use syclscope_language::contents::ContentKind;
use syclscope_language::event::{Event, EventSink};

use super::CleanError;
use super::secrets::Secrets;
use super::survey::Survey;
use super::texts::{Open, with_args, with_texts};
use crate::budget::Budget;
use crate::convert::Out;
use crate::import::Importer;

/// Minimum number of bytes that are searched at once.
const AT_ONCE_BYTES: usize = 64 << 10;
/// Memory that the search takes for each of these bytes.
const HASH_BYTES: u64 = 8;

/// Writer that passes bytes on, and searches them twice: as bytes, and as the parsed recording.
pub(super) struct Checked<'o> {
    out: Out<'o>,
    secrets: &'o Secrets,
    importer: Option<Importer<'o, Recheck<'o>>>,
    /// Last bytes, in which a text may start that continues in the next bytes.
    unsearched: Vec<u8>,
    budget: Budget,
    left: BTreeSet<ContentKind>,
}

impl<'o> Checked<'o> {
    pub(super) fn new(secrets: &'o Secrets, out: Out<'o>, budget: Budget) -> Self {
        let recheck = Recheck {
            secrets,
            survey: Survey::default(),
            open: Open::default(),
            seen: FxHashSet::default(),
            left: BTreeSet::new(),
        };
        let importer = Some(Importer::within(recheck, budget.clone()));
        Self { out, secrets, importer, unsearched: Vec::new(), budget, left: BTreeSet::new() }
    }

    /// Searches each position once, in batches, after enough bytes for the longest text follow it.
    fn search(&mut self, bytes: &[u8]) -> Result<(), CleanError> {
        self.unsearched.extend_from_slice(bytes);
        let longest = self.secrets.longest();
        let ready = self.unsearched.len().saturating_sub(longest);
        if ready >= longest.max(AT_ONCE_BYTES) {
            self.budget.require(self.unsearched.len() as u64 * HASH_BYTES)?;
            self.left.extend(self.secrets.kinds_in_bytes(&self.unsearched, 0..ready).each());
            self.unsearched.drain(..ready);
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), CleanError> {
        let Some(importer) = self.importer.take() else { return Ok(()) };
        let rest = std::mem::take(&mut self.unsearched);
        self.left.extend(self.secrets.kinds_in_bytes(&rest, 0..rest.len()).each());
        let (recheck, _) = importer.finish().map_err(CleanError::of_reading)?;
        self.left.extend(recheck.left());
        if self.left.is_empty() { Ok(()) } else { Err(CleanError::Left(self.left.iter().copied().collect())) }
    }
}

impl Write for Checked<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        let bytes = &bytes[..written];
        self.search(bytes).map_err(io::Error::other)?;
        if let Some(importer) = &mut self.importer {
            importer.feed(bytes).map_err(|error| io::Error::other(CleanError::of_reading(error)))?;
        }
        Ok(written)
    }

    /// Checks the rest and flushes. The writers flush once, at the end.
    fn flush(&mut self) -> io::Result<()> {
        self.end().map_err(io::Error::other)?;
        self.out.flush()
    }
}

struct Recheck<'o> {
    secrets: &'o Secrets,
    survey: Survey,
    open: Open,
    seen: FxHashSet<Box<str>>,
    left: BTreeSet<ContentKind>,
}

impl Recheck<'_> {
    fn text(&mut self, text: &str) {
        if !self.seen.contains(text) {
            self.seen.insert(text.into());
            self.left.extend(self.secrets.kinds_in_text(text).each());
        }
    }

    /// Returns the kinds of private texts left in the copy.
    fn left(self) -> BTreeSet<ContentKind> {
        let Self { secrets, survey, mut left, .. } = self;
        for kind in secrets.choice.kinds() {
            let is_kept = |text: &str| {
                kind == ContentKind::Paths && secrets.choice.keep_file_names && !text.contains(['/', '\\'])
            };
            if survey.found.texts(kind).any(|text| secrets.found.has(kind, text) && !is_kept(text)) {
                left.insert(kind);
            }
        }
        let aliases = survey.aliases.intersection(&secrets.aliases).map(|(kind, _)| *kind);
        left.extend(aliases.filter(|kind| secrets.choice.has(*kind)));
        left
    }
}

impl EventSink for Recheck<'_> {
    fn event(&mut self, event: &Event<'_>) {
        let author = self.open.author(event);
        with_args(event, author, &mut |_, text| {
            self.text(text);
            text
        });
        with_texts(event, author, &[], &mut |_, text| {
            self.text(text);
            text
        });
        self.survey.event(event);
    }
}

#[cfg(test)]
mod tests {
    use syclscope_language::event::{Args, Instant, Process, SourceLocation, Value};
    use syclscope_language::time::Timestamp;

    use super::*;
    use crate::clean::pseudonyms::{Key, Pseudonyms};
    use crate::clean::{Choice, CleanError};
    use crate::export::{Exporter, chrome_json, perfetto};

    fn written(mut writer: impl Exporter, host: &str, name: &str, args: Args<'_>) -> Vec<u8> {
        writer.event(&Event::Process(Process { pid: 1, host, ..Process::default() }));
        writer.event(&Event::Instant(Instant {
            track: 1,
            at: Timestamp(5),
            category: Default::default(),
            name,
            node: None,
            location: SourceLocation::default(),
            args,
        }));
        writer.event(&Event::Finish { at: Timestamp(6) });
        writer.finish();
        writer.take_bytes()
    }

    /// Returns the kinds left of a host, a user and a path in bytes that arrive a few at a time.
    fn left(host: &str, bytes: &[u8]) -> Vec<ContentKind> {
        let mut survey = Survey::default();
        survey.event(&Event::Process(Process { host, ..Process::default() }));
        survey.found.add_path("/home/li/secret plans/a.cpp");
        let kinds = [ContentKind::Hosts, ContentKind::Users, ContentKind::Paths];
        let secrets =
            Secrets::new(survey, Choice::new(kinds), Pseudonyms::new(Key::new("key")), &Budget::unlimited());
        let secrets = secrets.unwrap();
        let mut checked = Checked::new(&secrets, Box::new(Vec::new()), Budget::unlimited());
        for piece in bytes.chunks(3) {
            checked.write_all(piece).unwrap();
        }
        match checked.end() {
            Ok(()) => Vec::new(),
            Err(CleanError::Left(kinds)) => kinds,
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn what_is_left_is_found_in_every_form() {
        use ContentKind::{Hosts, Paths, Users};
        for (name, expected) in [
            ("nothing", vec![]),
            ("node17-ib0", vec![Hosts]),
            ("on NODE17", vec![Hosts]),
            ("mynode17x", vec![Hosts]),
            ("plant.example", vec![Hosts]),
            ("for li only", vec![Users]),
            ("a little list", vec![]),
            ("/home/li/secret plans/a.cpp", vec![Users, Paths]),
            ("file:///home/li/secret%20plans/a.cpp", vec![Users, Paths]),
            ("%2Fhome%2Fli%2Fsecret%20plans%2Fa.cpp", vec![Paths]),
            ("\\/home\\/li\\/secret plans\\/b", vec![Users, Paths]),
            ("in a.cpp", vec![Paths]),
        ] {
            let host = "node17.plant.example";
            for bytes in [
                written(perfetto::Writer::new(), "", name, &[]),
                written(chrome_json::Writer::new(), "", name, &[]),
                written(perfetto::Writer::new(), "", "", &[("key", Value::Str(name))]),
                written(chrome_json::Writer::new(), "", "", &[(name, Value::Bool(true))]),
            ] {
                let mut left = left(host, &bytes);
                left.sort_by_key(|kind| expected.iter().position(|known| known == kind));
                assert_eq!(left, expected, "{name}");
            }
        }
    }

    #[test]
    fn a_word_of_every_file_is_found_where_it_stood() {
        let bytes = written(perfetto::Writer::new(), "kernel", "", &[]);
        assert_eq!(left("kernel", &bytes), [ContentKind::Hosts]);
        let bytes = written(perfetto::Writer::new(), "host-3f2a91c0", "a kernel", &[]);
        assert_eq!(left("kernel", &bytes), []);
    }
}

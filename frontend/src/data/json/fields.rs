//! The members of an object in the order in which a type wants them. That is nearly always the order of the text, too: then
//! the text is read once from front to back. Nothing here is made anew for a type.

use std::borrow::Cow;

use super::reader::Reader;
use super::{JsonError, named};

/// An object whose members are asked for one after the other.
pub(super) struct Fields<'r, 'de> {
    reader: &'r mut Reader<'de>,
    /// The whole text.
    text: &'de str,
    /// How deep the object lies.
    depth: u32,
    names: &'static [&'static str],
    /// How many were asked for.
    asked: usize,
    /// Where the members begin.
    first: usize,
    /// Where those begin that were not read in the order of the text.
    next: usize,
    survey: Option<Survey>,
    /// The one asked for last, if there is none.
    missing: Option<&'static str>,
}

/// What an object holds.
#[derive(Clone, Copy)]
struct Survey {
    /// A bit for each wanted member; those beyond the 64th share them.
    present: u64,
    /// Where it ends.
    end: usize,
}

/// Where a member is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MemberPlace {
    /// The next in the text.
    Next,
    /// Before or behind that.
    Elsewhere,
    /// There is none: the reader stands before a `null` instead.
    Nowhere,
}

impl<'r, 'de> Fields<'r, 'de> {
    pub(super) fn new(
        reader: &'r mut Reader<'de>,
        names: &'static [&'static str],
    ) -> Result<Self, JsonError> {
        reader.enter(b'{')?;
        let (text, at, depth) = (reader.text, reader.at, reader.depth);
        Ok(Self { reader, text, depth, names, asked: 0, first: at, next: at, survey: None, missing: None })
    }

    pub(super) fn reader(&mut self) -> &mut Reader<'de> {
        self.reader
    }

    /// Goes to the value of the next member that is wanted.
    pub(super) fn seek(&mut self) -> Result<MemberPlace, JsonError> {
        let (name, bit) = (self.names.get(self.asked).copied().unwrap_or_default(), bit(self.asked));
        self.asked += 1;
        self.missing = None;
        self.reader.at = self.next;
        if self.key()?.is_some_and(|key| key == name) {
            return Ok(MemberPlace::Next);
        }
        if self.survey()?.present & bit != 0 {
            self.reader.at = self.first;
            while let Some(key) = self.key()? {
                if key == name {
                    return Ok(MemberPlace::Elsewhere);
                }
                self.reader.skip()?;
            }
        }
        self.missing = Some(name);
        (self.reader.text, self.reader.at) = ("null", 0);
        Ok(MemberPlace::Nowhere)
    }

    /// The value of a member is read.
    pub(super) fn settle(&mut self, place: MemberPlace) {
        match place {
            MemberPlace::Next => self.next = self.reader.at,
            MemberPlace::Elsewhere => {}
            // What wanted more than a `null` gave up within it.
            MemberPlace::Nowhere => (self.reader.text, self.reader.depth) = (self.text, self.depth),
        }
    }

    /// Goes past what nobody wanted, and out of the object.
    pub(super) fn end(&mut self) -> Result<(), JsonError> {
        self.reader.at = self.next;
        while self.key()?.is_some() {
            self.reader.skip()?;
        }
        self.reader.leave(b'}')
    }

    /// Why the object could not be read.
    pub(super) fn explained(&mut self, why: JsonError) -> JsonError {
        let Some(name) = self.missing else { return why };
        self.reader.at = self.survey.map_or(self.next, |survey| survey.end);
        named("missing field", name)
    }

    fn key(&mut self) -> Result<Option<Cow<'de, str>>, JsonError> {
        self.reader.key(self.reader.at == self.first)
    }

    /// What the object holds, looked through once.
    fn survey(&mut self) -> Result<Survey, JsonError> {
        if let Some(survey) = self.survey {
            return Ok(survey);
        }
        self.reader.at = self.first;
        let mut present = 0;
        while let Some(key) = self.key()? {
            if let Some(place) = self.names.iter().position(|name| *name == key) {
                present |= bit(place);
            }
            self.reader.skip()?;
        }
        Ok(*self.survey.insert(Survey { present, end: self.reader.at }))
    }
}

/// The bit of a wanted member.
fn bit(place: usize) -> u64 {
    1 << (place % 64)
}

//! Notes: texts that the user pinned to a moment or to a slice.

use std::fmt;
use std::str::FromStr;

use syclscope_language::api::SliceRef;

use crate::state::time::Unreadable;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteAt {
    Time(u64),
    Slice(SliceRef),
}

impl NoteAt {
    pub fn at_ns(&self) -> u64 {
        match self {
            Self::Time(at_ns) => *at_ns,
            Self::Slice(at) => at.start_ns,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub at: NoteAt,
    pub text: String,
}

/// `t12:text` at a moment, `s4.1.0.100-5:text` at slice 4 on lane 0 of track 1 from 100 for 5 nanoseconds.
impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.at {
            NoteAt::Time(at_ns) => write!(f, "t{at_ns}")?,
            NoteAt::Slice(SliceRef { slice, track, lane, start_ns, duration_ns }) => {
                write!(f, "s{slice}.{track}.{lane}.{start_ns}-{duration_ns}")?;
            }
        }
        write!(f, ":{}", self.text)
    }
}

impl FromStr for Note {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Self, Unreadable> {
        let parse = || {
            let (at, text) = text.split_once(':')?;
            let at = match at.strip_prefix('s') {
                None => NoteAt::Time(at.strip_prefix('t')?.parse().ok()?),
                Some(slice) => {
                    let (numbers, duration) = slice.split_once('-')?;
                    let mut numbers = numbers.split('.');
                    let mut number = || numbers.next()?.parse::<u64>().ok();
                    let (slice, track, lane) = (number()?, number()?, number()?);
                    NoteAt::Slice(SliceRef {
                        slice: slice.try_into().ok()?,
                        track: track.try_into().ok()?,
                        lane: lane.try_into().ok()?,
                        start_ns: number()?,
                        duration_ns: duration.parse().ok()?,
                    })
                }
            };
            Some(Self { at, text: text.to_owned() })
        };
        parse().ok_or(Unreadable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_round_trip() {
        for text in ["t0:", "t12:here: it stalls, ü", "s4.1.0.100-5:first"] {
            assert_eq!(text.parse::<Note>().unwrap().to_string(), text);
        }
        for broken in ["", "12:x", "t:x", "s4.1.0.100:x", "s4.1.0-5:x", "s4294967296.1.0.1-5:x", "t12"] {
            assert_eq!(broken.parse::<Note>(), Err(Unreadable), "{broken}");
        }
        assert_eq!("s4.1.0.100-5:x".parse::<Note>().unwrap().at.at_ns(), 100);
    }
}

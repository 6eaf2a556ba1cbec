//! zip with one member, read front to back, without the directory at the end.

use flate2::Decompress;

use super::{Stop, deflate};

const LOCAL_HEADER: [u8; 4] = *b"PK\x03\x04";
const HEADER_BYTES: usize = 30;

#[derive(Default)]
pub(in crate::import) struct Zip {
    /// Bytes of an incomplete header.
    pending: Vec<u8>,
    state: State,
}

#[derive(Default)]
enum State {
    #[default]
    Header,
    /// Within the name and extra field of the header: remaining bytes, compression method, and length of a stored
    /// member.
    Name {
        left: usize,
        method: u16,
        length: u64,
    },
    Deflated(Box<Decompress>),
    Stored(u64),
    /// First bytes after the member, to detect another one.
    Behind(Vec<u8>),
    Over,
}

impl Zip {
    pub(super) fn step(&mut self, rest: &mut &[u8], out: &mut Vec<u8>) -> Result<(), Stop> {
        while !rest.is_empty() {
            match &mut self.state {
                State::Header => {
                    let more = (HEADER_BYTES - self.pending.len()).min(rest.len());
                    self.pending.extend_from_slice(&rest[..more]);
                    *rest = &rest[more..];
                    if self.pending.len() == HEADER_BYTES {
                        self.state = read_header(&self.pending)?;
                    }
                }
                State::Name { left, method, length } => {
                    let skipped = (*left).min(rest.len());
                    *rest = &rest[skipped..];
                    *left -= skipped;
                    if *left == 0 {
                        self.state = match *method {
                            0 => State::Stored(*length),
                            _ => State::Deflated(Box::new(Decompress::new(false))),
                        };
                    }
                }
                State::Deflated(stream) => {
                    if !deflate::step(stream, rest, out)? {
                        return Ok(());
                    }
                    self.state = State::Behind(Vec::new());
                    return Ok(());
                }
                State::Stored(left) => {
                    let taken = usize::try_from(*left).unwrap_or(usize::MAX).min(rest.len()).min(1 << 20);
                    out.extend_from_slice(&rest[..taken]);
                    *rest = &rest[taken..];
                    *left -= taken as u64;
                    if *left == 0 {
                        self.state = State::Behind(Vec::new());
                    }
                    return Ok(());
                }
                State::Behind(seen) => {
                    // A data descriptor of up to 24 bytes may precede it.
                    let more = (32 - seen.len()).min(rest.len());
                    seen.extend_from_slice(&rest[..more]);
                    *rest = &rest[more..];
                    let another = seen.windows(4).any(|bytes| bytes == LOCAL_HEADER);
                    let directory = seen.windows(4).any(|bytes| bytes == b"PK\x01\x02");
                    if another && !directory {
                        return Err(Stop::Refused(
                            "a zip file with several members (only one is read): take the trace out of it"
                                .to_owned(),
                        ));
                    }
                    if directory || seen.len() == 32 {
                        self.state = State::Over;
                    }
                }
                State::Over => *rest = &[],
            }
        }
        Ok(())
    }

    pub(super) fn is_complete(&self) -> bool {
        matches!(self.state, State::Behind(_) | State::Over)
    }
}

fn read_header(header: &[u8]) -> Result<State, Stop> {
    let short = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
    let long = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let (flags, method, length) = (short(6), short(8), long(18));
    let left = usize::from(short(26)) + usize::from(short(28));
    let refused = |what: &str| Err(Stop::Refused(format!("a zip file {what}: unpack it first")));
    if flags & 1 != 0 {
        return refused("with a password");
    }
    match method {
        8 => {}
        0 if flags & 8 == 0 && length != u32::MAX => {}
        0 => return refused("whose member has no length"),
        _ => return refused("packed in another way than deflate"),
    }
    Ok(State::Name { left, method, length: length.into() })
}

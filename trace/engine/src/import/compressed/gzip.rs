//! gzip: consecutive members, as written by `gzip`, `bgzip` and `cat a.gz b.gz`.

use flate2::Decompress;

use super::{Stop, deflate};

#[derive(Default)]
pub(super) struct Gzip {
    stream: Option<Decompress>,
    members: u64,
    /// True if only padding follows the members.
    is_padding: bool,
}

impl Gzip {
    pub(super) fn step(&mut self, rest: &mut &[u8], out: &mut Vec<u8>) -> Result<(), Stop> {
        while !rest.is_empty() {
            if self.is_padding {
                *rest = &[];
                return Ok(());
            }
            if self.stream.is_none() && self.members > 0 && rest[0] != 0x1f {
                self.is_padding = true;
                continue;
            }
            let stream = self.stream.get_or_insert_with(|| Decompress::new_gzip(15));
            if deflate::step(stream, rest, out)? {
                self.stream = None;
                self.members += 1;
            } else {
                return Ok(());
            }
        }
        Ok(())
    }

    pub(super) fn is_complete(&self) -> bool {
        self.stream.is_none() && self.members > 0
    }
}

//! Buffer for the unread rest of a chunk of bytes until the next chunk.

/// Minimum number of bytes of a chunk that are appended to the buffer at once.
const STEP_BYTES: usize = 64 << 10;

#[derive(Debug, Default)]
pub(super) struct Carry {
    rest: Vec<u8>,
    /// Minimum number of bytes for the next attempt.
    min_bytes: usize,
}

impl Carry {
    /// Passes the buffered bytes and a chunk to `read`, which returns the number of bytes that it consumed.
    pub(super) fn feed(&mut self, mut chunk: &[u8], mut read: impl FnMut(&[u8]) -> usize) {
        while !self.rest.is_empty() && !chunk.is_empty() {
            let old = self.rest.len();
            // The buffered bytes at least double between attempts, so that a long element is read only a few times.
            let step = STEP_BYTES.max(self.min_bytes.saturating_sub(old)).min(chunk.len());
            self.rest.extend_from_slice(&chunk[..step]);
            if self.rest.len() < self.min_bytes {
                return;
            }
            let done = read(&self.rest).min(self.rest.len());
            if done >= old {
                // The buffered bytes are consumed: continue within the chunk itself.
                self.rest.clear();
                chunk = &chunk[done - old..];
            } else {
                self.rest.drain(..done);
                self.min_bytes = self.rest.len() * 2;
                chunk = &chunk[step..];
            }
        }
        if !chunk.is_empty() {
            let done = read(chunk).min(chunk.len());
            self.rest.extend_from_slice(&chunk[done..]);
        }
        self.min_bytes = self.rest.len() * 2;
    }

    pub(super) fn len(&self) -> usize {
        self.rest.len()
    }

    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads texts, each preceded by its length.
    fn pieces(bytes: &[u8], out: &mut Vec<Vec<u8>>) -> usize {
        let mut at = 0;
        while let Some(length) = bytes.get(at).map(|byte| usize::from(*byte)) {
            let Some(piece) = bytes.get(at + 1..at + 1 + length) else { break };
            out.push(piece.to_vec());
            at += 1 + length;
        }
        at
    }

    #[test]
    fn every_way_to_cut_gives_the_same() {
        let mut bytes = Vec::new();
        for length in [0, 3, 200, 1, 255, 7] {
            bytes.push(length);
            bytes.extend((0..length).map(|byte| byte ^ 0x55));
        }
        let mut expected = Vec::new();
        assert_eq!(pieces(&bytes, &mut expected), bytes.len());
        for size in [1, 2, 5, 100, 150, 1000] {
            let (mut carry, mut found) = (Carry::default(), Vec::new());
            for chunk in bytes.chunks(size) {
                carry.feed(chunk, |bytes| pieces(bytes, &mut found));
            }
            let rest = carry.take();
            assert_eq!(pieces(&rest, &mut found), rest.len(), "the end may wait for the last try");
            assert_eq!(found, expected, "in chunks of {size}");
        }
    }
}

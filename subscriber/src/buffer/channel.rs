//! A one-way channel between two processes, for the program's messages other than records.

use super::header::Kind;
use super::place::Place;
use super::ring::HEAD;
use super::rings::Rings;

/// Words of the ring: 512 KiB.
const WORDS: usize = 1 << 16;

/// One end of the channel, which keeps the order of messages.
pub(crate) struct Channel {
    rings: Rings,
    received: Vec<u8>,
}

impl Channel {
    /// Creates a channel; `None` without memory for it.
    pub(crate) fn make(place: &Place, name: &str) -> Option<Self> {
        let memory = place.make(name, HEAD + WORDS)?;
        Some(Self { rings: Rings::attached(place, name.to_owned(), memory)?, received: Vec::new() })
    }

    /// Opens the other end of an existing channel.
    pub(crate) fn attach(place: &Place, name: &str) -> Option<Self> {
        let memory = place.attach(name)?;
        Some(Self { rings: Rings::attached(place, name.to_owned(), memory)?, received: Vec::new() })
    }

    /// Sends a message, as the only sender. Returns false if the ring is full.
    pub(crate) fn send(&self, message: &[u8]) -> bool {
        self.rings.write(Kind::Raw, 0, 0, |entry| entry.bytes(message))
    }

    /// Takes all pending messages, as the only receiver.
    pub(crate) fn receive(&mut self, mut each: impl FnMut(&[u8])) {
        self.received.clear();
        self.rings.drain_into(&mut self.received);
        let mut rest = self.received.as_slice();
        // Header, time, and the length of the message.
        while let Some(([_, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, length @ ..], behind)) =
            rest.split_first_chunk::<24>()
        {
            let length = u64::from_ne_bytes(*length) as usize;
            let Some(message) = behind.get(..length) else { return };
            each(message);
            rest = behind.get(length.next_multiple_of(8)..).unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_out_as_they_went_in() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::beside(folder.path().join("7."));
        let here = Channel::make(&place, "told").unwrap();
        let mut there = Channel::attach(&place, "told").unwrap();
        for round in 0..300_usize {
            let messages: Vec<Vec<u8>> = (0..5).map(|extra| vec![extra as u8; round + extra]).collect();
            assert!(messages.iter().all(|message| here.send(message)));
            let mut received = Vec::new();
            there.receive(|message| received.push(message.to_vec()));
            assert_eq!(received, messages);
        }
        let large = vec![1; 300_000];
        assert!(here.send(&large) && !here.send(&large), "there is no room for two");
        there.receive(|message| assert_eq!(message, large));
        assert!(here.send(&large));
    }
}

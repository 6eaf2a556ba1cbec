//! Search for the next packet after damaged bytes.
//!
//! Packets have no marker. Bytes are accepted as a packet if their first fields can be read, and another packet or the
//! end of the file follows. They must name their sequence (as every writer's packets do) next to a timestamp or a
//! message, or contain compressed packets (of several sequences).

use crate::proto::fields::{packet, trace};
use crate::proto::walk::{Fields, Value};

/// First byte of every packet: the tag of its field, with a length.
pub(super) const TAG: u8 = (trace::PACKET as u8) << 3 | 2;

/// Maximum size of a packet to search for.
const MAX_BYTES: usize = 1 << 20;

/// Maximum number of fields examined in a packet: real ones have about ten. This bounds the time of a search.
const MAX_FIELDS: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PacketStart {
    /// A packet starts here.
    At(usize),
    /// No packet starts before here; later bytes decide whether one starts here.
    NotBefore(usize),
}

pub(super) fn next_packet(bytes: &[u8], is_last: bool) -> PacketStart {
    let tags = bytes.iter().enumerate().filter(|(_, byte)| **byte == TAG);
    for (at, _) in tags {
        match is_packet(&bytes[at..], is_last) {
            Some(true) => return PacketStart::At(at),
            Some(false) => {}
            None => return PacketStart::NotBefore(at),
        }
    }
    PacketStart::NotBefore(bytes.len())
}

/// True if bytes start with a packet; `None` if more bytes are needed to decide.
fn is_packet(bytes: &[u8], is_last: bool) -> Option<bool> {
    let needs_more = if is_last { Some(false) } else { None };
    let mut length = 0_usize;
    // 1 MiB takes three groups of seven bits.
    let mut digits = 0;
    loop {
        let Some(byte) = bytes.get(1 + digits) else { return needs_more };
        length |= usize::from(byte & 0x7f) << (7 * digits);
        digits += 1;
        if *byte < 0x80 {
            break;
        }
        if digits == 3 {
            return Some(false);
        }
    }
    let (begin, end) = (1 + digits, 1 + digits + length);
    if length > MAX_BYTES {
        return Some(false);
    }
    let Some(body) = bytes.get(begin..end) else {
        return match starts_like_a_packet(&bytes[begin..]) {
            Like::Other => Some(false),
            Like::Packet | Like::Part => needs_more,
        };
    };
    if !matches!(starts_like_a_packet(body), Like::Packet) {
        return Some(false);
    }
    match bytes.get(end) {
        Some(next) => Some(*next == TAG),
        None if is_last => Some(true),
        None => None,
    }
}

enum Like {
    Packet,
    /// A truncated field, or not distinguishable from one.
    Part,
    Other,
}

fn starts_like_a_packet(body: &[u8]) -> Like {
    let (mut has_sequence, mut has_more) = (false, false);
    for field in Fields::new(body).take(MAX_FIELDS) {
        match field.map(|field| (field.number, field.value)) {
            Ok((packet::TRUSTED_PACKET_SEQUENCE_ID, Value::Varint(_))) => has_sequence = true,
            Ok((packet::COMPRESSED_PACKETS | packet::ZSTD_COMPRESSED_PACKETS, Value::Bytes(_))) => {
                (has_sequence, has_more) = (true, true);
            }
            Ok((packet::TIMESTAMP, Value::Varint(_)) | (_, Value::Bytes(_))) => has_more = true,
            Ok((packet::TIMESTAMP | packet::TRUSTED_PACKET_SEQUENCE_ID, _)) => return Like::Other,
            Ok(_) => {}
            Err(error) if error.truncated => return Like::Part,
            Err(_) => return Like::Other,
        }
    }
    if has_sequence && has_more { Like::Packet } else { Like::Part }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Timestamp 5, sequence 1.
    const PACKET: [u8; 6] = [TAG, 4, 0x40, 5, 0x50, 1];

    #[test]
    fn a_packet_is_found_when_what_follows_it_is_one() {
        let noise = [0xff, TAG, 2, 7, TAG];
        let file = [&noise[..], &PACKET, &PACKET].concat();
        assert_eq!(next_packet(&file, false), PacketStart::At(5));
        assert_eq!(next_packet(&file[..11], false), PacketStart::NotBefore(5), "what follows is not known");
        assert_eq!(next_packet(&file[..11], true), PacketStart::At(5), "the file ends with it");
        assert_eq!(next_packet(&file[..9], false), PacketStart::NotBefore(5), "its end is not there");
        assert_eq!(next_packet(&file[..9], true), PacketStart::NotBefore(9));
        let followed_by_noise = [&PACKET[..], &noise].concat();
        assert_eq!(next_packet(&followed_by_noise, true), PacketStart::NotBefore(followed_by_noise.len()));
    }

    #[test]
    fn compressed_packets_name_no_sequence() {
        // Field 50, with the first bytes of a zlib stream.
        let packed = [TAG, 5, 0x92, 0x03, 2, 0x78, 0x9c];
        let file = [&[0xff, 7][..], &packed, &packed].concat();
        assert_eq!(next_packet(&file, true), PacketStart::At(2));
    }

    #[test]
    fn what_names_no_sequence_is_none() {
        for body in [&[0x40, 5, 0x48, 1][..], &[0x50, 1], &[0x45, 0, 0, 0, 0, 0x50, 1], &[0x40, 5, 0x53, 1]] {
            let file = [&[TAG, body.len() as u8], body].concat();
            assert_eq!(next_packet(&file, true), PacketStart::NotBefore(file.len()), "{body:?}");
        }
        let endless = [TAG, 0xff, 0xff, 0xff, 0xff];
        assert_eq!(next_packet(&endless, false), PacketStart::NotBefore(5), "longer than what is looked for");
    }
}

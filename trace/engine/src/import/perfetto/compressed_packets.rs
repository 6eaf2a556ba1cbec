//! Reads packets that hold other packets in a compressed form.

use syclscope_language::event::EventSink;

use super::Reader;
use crate::diagnostics::DiagnosticKind;
use crate::import::compressed::{deflate, zstd};
use crate::import::limits::{MAX_PACKET_BYTES, is_bomb};
use crate::proto::fields::{packet, trace};
use crate::proto::walk::{Fields, Value};

impl<S: EventSink> Reader<S> {
    pub(super) fn compressed_packets(&mut self, number: u32, body: &[u8]) {
        if std::mem::replace(&mut self.is_nested, true) {
            return self.count(DiagnosticKind::TooDeep);
        }
        // Many small packets must not unpack to too much together.
        if is_bomb(self.offset, self.unpacked_bytes) {
            self.is_nested = false;
            return self.count(DiagnosticKind::Bomb);
        }
        let mut unpacked = Vec::new();
        let whole = if number == packet::COMPRESSED_PACKETS {
            deflate::unpack(body, &mut unpacked, MAX_PACKET_BYTES)
        } else {
            zstd::unpack(body, &mut unpacked, MAX_PACKET_BYTES)
        };
        if !whole {
            let full = unpacked.len() >= MAX_PACKET_BYTES;
            self.count(if full { DiagnosticKind::Bomb } else { DiagnosticKind::DamagedCompression });
        }
        self.unpacked_bytes += unpacked.len() as u64;
        for field in Fields::new(&unpacked) {
            match field {
                Ok(field) => match (field.number, field.value) {
                    (trace::PACKET, Value::Bytes(body)) => {
                        self.packet(body);
                    }
                    _ => self.count(DiagnosticKind::UnknownPacket),
                },
                Err(_) if whole => self.count(DiagnosticKind::MalformedPacket),
                Err(_) => {}
            }
        }
        self.is_nested = false;
    }
}

//! Packets that contain other packets in compressed form.

use syclscope_language::event::EventSink;

use super::Reader;
use crate::diagnostics::DiagnosticKind;
use crate::import::compressed::{deflate, zstd};
use crate::import::limits::{MAX_PACKET_BYTES, is_bomb};
use crate::proto::fields::{packet, trace};
use crate::proto::walk::{Fields, Value};

/// Decompressed bytes that are read between two checks of the memory used.
const LOOK_BYTES: usize = 256 << 10;

impl<S: EventSink> Reader<S> {
    pub(super) fn compressed_packets(&mut self, number: u32, body: &[u8]) {
        if std::mem::replace(&mut self.is_nested, true) {
            return self.count(DiagnosticKind::TooDeep);
        }
        // Many small packets together must not decompress to too much.
        if is_bomb(self.offset, self.unpacked_bytes) {
            self.is_nested = false;
            return self.count(DiagnosticKind::Bomb);
        }
        // The buffer doubles as it grows.
        let most = usize::try_from(self.budget.left_bytes() / 4).unwrap_or(usize::MAX).min(MAX_PACKET_BYTES);
        let mut unpacked = Vec::new();
        let whole = if number == packet::COMPRESSED_PACKETS {
            deflate::unpack(body, &mut unpacked, most)
        } else {
            zstd::unpack(body, &mut unpacked, most)
        };
        if !whole && unpacked.len() >= most && most < MAX_PACKET_BYTES {
            // The import ends after this chunk of the file: there is not enough memory for the whole chunk.
            self.budget.spend_all();
        }
        if !whole {
            let full = unpacked.len() >= MAX_PACKET_BYTES;
            self.count(if full { DiagnosticKind::Bomb } else { DiagnosticKind::DamagedCompression });
        }
        self.unpacked_bytes += unpacked.len() as u64;
        let mut looked_at = 0;
        let mut fields = Fields::new(&unpacked);
        while let Some(field) = fields.next() {
            if fields.offset() - looked_at > LOOK_BYTES {
                looked_at = fields.offset();
                if !self.budget.has_room(0) {
                    break;
                }
            }
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

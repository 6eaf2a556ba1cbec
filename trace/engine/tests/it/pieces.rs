//! Files that arrive in chunks, and compressed files.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use syclscope_engine::export::{chrome_json, perfetto};
use syclscope_engine::import::{self, ImportError, Importer};

use crate::recordings::{Log, small, write};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

/// Returns a zip file whose members were written front to back, so that their lengths follow them.
fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, bytes) in members {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        let packed = encoder.finish().unwrap();
        out.extend(b"PK\x03\x04\x14\0\x08\0\x08\0\0\0\0\0");
        out.extend([0; 12]);
        out.extend((name.len() as u16).to_le_bytes());
        out.extend([0; 2]);
        out.extend(name.as_bytes());
        out.extend(&packed);
        out.extend(b"PK\x07\x08");
        out.extend([0; 12]);
    }
    out.extend(b"PK\x01\x02");
    out.extend([0; 42]);
    out.extend(b"PK\x05\x06");
    out.extend([0; 18]);
    out
}

fn in_pieces(bytes: &[u8], size: usize) -> Vec<String> {
    let mut importer = Importer::new(Log::default());
    for piece in bytes.chunks(size) {
        importer.feed(piece).unwrap();
    }
    assert_eq!(importer.bytes_read(), bytes.len() as u64);
    let (log, report) = importer.finish().unwrap();
    assert_eq!(report.diagnostics.infos().count(), 0, "{:?}", report.diagnostics.infos().next());
    log.0
}

#[test]
fn every_size_of_pieces_gives_the_same_events() {
    for bytes in [write::<perfetto::Writer>(small), write::<chrome_json::Writer>(small)] {
        let mut whole = Log::default();
        import::read(&bytes, &mut whole).unwrap();
        for packed in [bytes.clone(), gzip(&bytes), zstd(&bytes), zip(&[("run", &bytes)])] {
            for size in [1, 7, 100, 4096, 1 << 20] {
                assert_eq!(in_pieces(&packed, size), whole.0, "in pieces of {size}");
            }
        }
    }
}

#[test]
fn files_of_several_members_and_of_two_layers_open() {
    let bytes = write::<chrome_json::Writer>(small);
    let expected = in_pieces(&bytes, 1 << 20);
    let (first, second) = bytes.split_at(bytes.len() / 2);
    let parts = [gzip(first), gzip(second), vec![0; 512]].concat();
    assert_eq!(in_pieces(&parts, 1000), expected);
    // As `pzstd` writes it.
    let sized = [b"\x50\x2a\x4d\x18\x04\0\0\0\x10\0\0\0".to_vec(), zstd(&bytes)].concat();
    assert_eq!(in_pieces(&sized, 1000), expected);
    let frames = [zstd(first), b"\x50\x2a\x4d\x18\x03\0\0\0abc".to_vec(), zstd(second)].concat();
    assert_eq!(in_pieces(&frames, 1000), expected);
    assert_eq!(in_pieces(&zip(&[("run.json.gz", &gzip(&bytes))]), 1000), expected);
    let thrice = gzip(&gzip(&gzip(&bytes)));
    assert_eq!(import::open(&thrice).unwrap_err(), ImportError::PackedAgain { found: "gzip" });
}

#[test]
fn a_zip_file_with_several_members_is_refused() {
    let bytes = write::<chrome_json::Writer>(small);
    let error = import::open(&zip(&[("a", &bytes), ("b", &bytes)])).unwrap_err().to_string();
    assert!(error.contains("several members"), "{error}");
}

#[test]
fn damaged_and_cut_compressed_files_give_what_came_before() {
    let bytes = write::<chrome_json::Writer>(small);
    // A zip file's directory follows the data, and is not needed.
    let packed = [(gzip(&bytes), 0), (zstd(&bytes), 0), (zip(&[("run", &bytes)]), 84)];
    for (packed, behind) in packed {
        for cut in (1..packed.len() - behind).step_by(3) {
            let Ok(trace) = import::open(&packed[..cut]) else { continue };
            assert!(trace.dump().contains("truncated_file"), "cut at {cut}");
        }
        for at in 4..packed.len() {
            let mut damaged = packed.clone();
            damaged[at] ^= 0x10;
            // Any result is allowed; the import ends without a panic.
            let _ = import::open(&damaged);
        }
    }
    let mut packed = gzip(&bytes);
    let last = packed.len() - 8;
    packed[last] ^= 1;
    let dump = import::open(&packed).unwrap().dump();
    assert!(dump.contains("damaged_compression"), "a wrong checksum is reported: {dump}");
}

#[test]
fn a_cut_zstd_file_gives_all_of_its_whole_blocks() {
    let event =
        |at: u64| format!("{{\"ph\":\"i\",\"ts\":{at},\"pid\":1,\"tid\":1,\"name\":\"at {at:>20}\"}}");
    let events: Vec<String> = (0..10_000).map(event).collect();
    let bytes = format!("[{}]", events.join(",\n"));
    let packed = zstd(bytes.as_bytes());
    let trace = import::open(&packed[..packed.len() - 1]).unwrap();
    assert!(trace.dump().contains("truncated_file"));
    // The encoder writes blocks of 128 KiB, the last of which is cut. The decoder outputs all blocks before it.
    let of_whole_blocks = bytes.len() / (128 << 10) * (128 << 10);
    let begun = bytes[..of_whole_blocks].matches("\"ph\"").count() as u64;
    assert!(begun > 9_000);
    assert!(trace.info().counts.slices + 1 >= begun, "{} of {begun}", trace.info().counts.slices);
}

#[test]
fn what_unpacks_to_far_too_much_is_stopped() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(b"[{\"ph\":\"i\",\"ts\":1}").unwrap();
    let blanks = vec![b' '; 1 << 20];
    for _ in 0..112 {
        encoder.write_all(&blanks).unwrap();
    }
    let bomb = encoder.finish().unwrap();
    assert!(bomb.len() < 128 << 10);
    let dump = import::open(&bomb).unwrap().dump();
    assert!(dump.contains("unpacks_to_too_much"), "{dump}");
}

#[test]
fn compressed_packets_are_unpacked() {
    let bytes = write::<perfetto::Writer>(small);
    let expected = in_pieces(&bytes, 1 << 20);
    let packet = |field: &[u8], body: &[u8]| {
        let length = |length: usize| {
            let mut out = Vec::new();
            let mut left = length;
            while left >= 0x80 {
                out.push(left as u8 | 0x80);
                left >>= 7;
            }
            out.push(left as u8);
            out
        };
        let inner = [field, &length(body.len()), body].concat();
        [&[0x0a][..], &length(inner.len()), &inner].concat()
    };
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&bytes).unwrap();
    let zlib = packet(&[0x92, 0x03], &encoder.finish().unwrap());
    assert_eq!(in_pieces(&zlib, 50), expected);
    assert_eq!(in_pieces(&packet(&[0xaa, 0x08], &zstd(&bytes)), 50), expected);
    let twice = packet(&[0xaa, 0x08], &zstd(&zlib));
    let dump = import::open(&twice).unwrap().dump();
    assert!(dump.contains("too_deep"), "{dump}");
}

//! Compressed sections of debug information, as compilers write them with `-gz` and distributions pack them.

use std::io::Read;

use flate2::bufread::ZlibDecoder;
use ruzstd::decoding::StreamingDecoder;

/// Maximum size of a header in bytes.
pub(super) const HEADER_BYTES: u64 = 24;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Zlib,
    Zstd,
}

/// Returns the unpacked size of a section in bytes, from its header.
pub(super) fn size_bytes(header: &[u8]) -> Option<u64> {
    split(header).map(|(_, size, _)| size)
}

/// Unpacks a section; `None` if it is damaged, has another size than its header states, or uses an unknown method.
pub(super) fn unpack(section: &[u8]) -> Option<Vec<u8>> {
    let (method, size, mut packed) = split(section)?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(usize::try_from(size).ok()?).ok()?;
    // An additional byte reveals excess content.
    let most = size.checked_add(1)?;
    match method {
        Method::Zlib => {
            ZlibDecoder::new(packed).take(most).read_to_end(&mut bytes).ok()?;
        }
        // Multithreaded linkers write several frames.
        Method::Zstd => {
            while !packed.is_empty() {
                let left = most.checked_sub(bytes.len() as u64)?;
                let frame = StreamingDecoder::new(&mut packed).ok()?;
                frame.take(left).read_to_end(&mut bytes).ok()?;
            }
        }
    }
    (bytes.len() as u64 == size).then_some(bytes)
}

/// Splits a section into method, size when unpacked, and content.
fn split(section: &[u8]) -> Option<(Method, u64, &[u8])> {
    if let Some(rest) = section.strip_prefix(b"ZLIB") {
        let (size, packed) = rest.split_first_chunk()?;
        return Some((Method::Zlib, u64::from_be_bytes(*size), packed));
    }
    let (header, packed) = section.split_at_checked(HEADER_BYTES as usize)?;
    let method = match header.first_chunk().map(|method| u32::from_le_bytes(*method))? {
        1 => Method::Zlib,
        2 => Method::Zstd,
        _ => return None,
    };
    let size = header.get(8..)?.first_chunk().map(|size| u64::from_le_bytes(*size))?;
    Some((method, size, packed))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    fn zlib(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        compress_to_vec(bytes, CompressionLevel::Fastest)
    }

    fn section(method: u32, size: u64, packed: &[u8]) -> Vec<u8> {
        [&method.to_le_bytes()[..], &[0; 4], &size.to_le_bytes(), &1_u64.to_le_bytes(), packed].concat()
    }

    fn text() -> Vec<u8> {
        (0..2000_u32).flat_map(|number| (number * number % 251).to_le_bytes()).collect()
    }

    #[test]
    fn each_method_gives_back_what_was_packed() {
        let text = text();
        let size = text.len() as u64;
        let (first, second) = text.split_at(text.len() / 3);
        let frames = [zstd(first), zstd(second)].concat();
        let older = [&b"ZLIB"[..], &size.to_be_bytes(), &zlib(&text)].concat();
        for section in
            [section(1, size, &zlib(&text)), section(2, size, &zstd(&text)), section(2, size, &frames), older]
        {
            assert_eq!(size_bytes(&section[..24]), Some(size));
            assert!(unpack(&section).as_ref() == Some(&text));
        }
        assert_eq!(unpack(&section(1, 0, &zlib(&[]))), Some(Vec::new()));
    }

    #[test]
    fn what_is_damaged_or_says_a_wrong_size_is_nothing() {
        let text = text();
        let size = text.len() as u64;
        for (method, packed) in [(1, zlib(&text)), (2, zstd(&text))] {
            for size in [0, 1, size - 1, size + 1, 1 << 60, u64::MAX] {
                assert_eq!(unpack(&section(method, size, &packed)), None, "{method} {size}");
            }
            let whole = section(method, size, &packed);
            for length in 0..whole.len() {
                assert_eq!(unpack(&whole[..length]), None, "{method} {length}");
            }
            // Damaged content has the stated size or is rejected.
            for place in 24..whole.len() {
                let mut whole = whole.clone();
                whole[place] ^= 0x55;
                assert!(unpack(&whole).is_none_or(|bytes| bytes.len() == text.len()), "{method} {place}");
            }
        }
        for method in [0, 3, u32::MAX] {
            assert_eq!(size_bytes(&section(method, size, &zlib(&text))), None);
        }
        assert_eq!(unpack(b"ZLIB1234"), None);
    }

    #[test]
    fn a_bomb_ends_at_the_size_that_it_says() {
        let bomb = vec![0; 8 << 20];
        for (method, packed) in [(1, zlib(&bomb)), (2, zstd(&bomb))] {
            assert!(packed.len() < bomb.len() / 100);
            assert_eq!(unpack(&section(method, 1000, &packed)), None);
        }
    }
}

//! The file format: a header, compressed rows and an end, each with a checksum.

use std::io::Write as _;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

use super::canvas::Canvas;

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
/// Eight bits of red, green and blue; deflate; filters by row; not interlaced.
const FORM: [u8; 5] = [8, 2, 0, 0, 0];

pub(super) fn encode(canvas: &Canvas) -> Vec<u8> {
    let mut file = SIGNATURE.to_vec();
    let size =
        [canvas.width, canvas.height].map(|length| u32::try_from(length).unwrap_or_default().to_be_bytes());
    chunk(&mut file, b"IHDR", &[size.as_flattened(), &FORM].concat());
    let mut rows = ZlibEncoder::new(Vec::new(), Compression::best());
    for row in canvas.pixels.chunks(canvas.width * 3) {
        // Each row begins with its filter type. No filter is used, since filters make these pictures larger.
        // Infallible: writes to a Vec don't fail.
        let _ = rows.write_all(&[0]).and_then(|()| rows.write_all(row));
    }
    chunk(&mut file, b"IDAT", &rows.finish().unwrap_or_default());
    chunk(&mut file, b"IEND", &[]);
    file
}

fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    file.extend(u32::try_from(data.len()).unwrap_or_default().to_be_bytes());
    let mut sum = Crc::new();
    for part in [kind, data] {
        sum.update(part);
        file.extend(part);
    }
    file.extend(sum.sum().to_be_bytes());
}

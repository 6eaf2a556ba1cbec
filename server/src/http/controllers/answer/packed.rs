//! Compressed answers: JSON of columns shrinks to a tenth.

use std::io::Write as _;

use axum::http::{HeaderMap, header};
use flate2::Compression;
use flate2::write::GzEncoder;

/// Shorter answers fit into a packet uncompressed.
pub(super) const MIN_BYTES: usize = 1 << 10;

pub(super) fn accepts_gzip(request: &HeaderMap) -> bool {
    let values = request.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let mut codings = values.flat_map(|value| value.split(',')).map(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let weight = parts.find_map(|part| part.strip_prefix("q=")?.trim().parse::<f32>().ok());
        (name, weight.unwrap_or(1.0) > 0.0)
    });
    codings.any(|(name, is_taken)| name.eq_ignore_ascii_case("gzip") && is_taken)
}

/// Compresses an answer; `None` on failure. At the fastest level, because each answer is compressed once per
/// request.
pub(super) fn gzip(answer: &str) -> Option<Vec<u8>> {
    let mut out = GzEncoder::new(Vec::with_capacity(answer.len() / 4), Compression::fast());
    out.write_all(answer.as_bytes()).ok()?;
    out.finish().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_those_who_take_gzip_get_it() {
        let accepts = |text: &str| {
            let headers = [(header::ACCEPT_ENCODING, text.parse().unwrap())].into_iter().collect();
            accepts_gzip(&headers)
        };
        for yes in ["gzip", "br, gzip;q=0.5", "deflate,GZIP", "gzip;q=1.0"] {
            assert!(accepts(yes), "{yes}");
        }
        for no in ["", "br", "gzip;q=0", "gzip; q=0.0, br", "xgzip", "identity"] {
            assert!(!accepts(no), "{no}");
        }
        assert!(!accepts_gzip(&HeaderMap::new()));
    }
}

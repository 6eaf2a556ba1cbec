use syclscope_language::question::{TileKey, TileView};

/// Returns the tiles of a track at a level that cover `[start_ns, end_ns)`, in order of time. No tiles are requested
/// before the start of the trace or after `duration_ns`.
pub fn covering(
    view: TileView,
    track: u32,
    level: u8,
    (start_ns, end_ns): (f64, f64),
    duration_ns: u64,
) -> impl Iterator<Item = TileKey> {
    let first = TileKey { view, track, level, index: 0 };
    let width_ns = first.span_ns().1;
    let end_ns = (end_ns.max(0.0) as u64).min(duration_ns);
    let first_index = (start_ns.max(0.0) as u64).min(duration_ns) / width_ns;
    let last_index = end_ns / width_ns;
    (first_index..=last_index.max(first_index)).map(move |index| TileKey { index, ..first })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn indices(level: u8, range_ns: (f64, f64), duration_ns: u64) -> Vec<u64> {
        covering(TileView::Timeline, 0, level, range_ns, duration_ns).map(|key| key.index).collect()
    }

    #[test]
    fn tiles_cover_what_is_visible_and_no_more() {
        assert_eq!(indices(0, (0.0, 1_023.0), 10_000), [0]);
        assert_eq!(indices(0, (1_000.0, 2_100.5), 10_000), [0, 1, 2]);
        assert_eq!(indices(0, (-50.0, 10.0), 10_000), [0]);
        assert_eq!(indices(0, (9_000.0, 50_000.0), 10_000), [8, 9]);
        assert_eq!(indices(10, (0.0, 3e6), 2_000_000), [0, 1]);
        assert_eq!(indices(52, (0.0, 1e15), 1_000_000), [0]);
        assert_eq!(indices(0, (0.0, 20.0), 0), [0]);
    }
}

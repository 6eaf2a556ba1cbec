//! Labels next to the map: addresses and sizes of its regions, and the gaps between them.

use super::NARROW_GUTTER_CSS_PX;
use super::map::MapScene;
use crate::canvas::draw_list::{Align, DrawList, Rect};
use crate::format;
use crate::views::memory::map::axis::Band;

/// Minimum distance of address labels.
const LABEL_STEP_CSS_PX: f64 = 46.0;
pub(super) const LINE_CSS_PX: f64 = 14.0;

pub(super) fn draw_folds(scene: &MapScene<'_>, list: &mut DrawList) {
    let plot = scene.room.plot();
    let theme = scene.room.theme;
    for (from, to, bytes) in scene.axis.folds(scene.span.0, scene.span.1) {
        let (top, bottom) = (scene.y(from), scene.y(to));
        let fold = Rect { y: top, h: bottom - top, ..plot }.intersection(&plot);
        list.fill(theme.group, fold);
        list.fill(theme.line, Rect { h: 1.0, ..fold });
        list.fill(theme.line, Rect { y: fold.y + fold.h - 1.0, h: 1.0, ..fold });
        if bottom - top >= 9.0 {
            let text = if scene.axis.address(to) == scene.packed.0 {
                "below: buffers and images without addresses, packed".to_owned()
            } else {
                format!("{} without allocations not shown", format::bytes(bytes as f64))
            };
            list.text(plot.x + plot.w / 2.0, (top + bottom) / 2.0, text, theme.quiet, Align::Centre);
        }
    }
}

pub(super) fn draw_addresses(scene: &MapScene<'_>, bands: &[Band], list: &mut DrawList) {
    let plot = scene.room.plot();
    let theme = scene.room.theme;
    let gutter_css_px = scene.room.gutter_css_px;
    list.fill(theme.ground, Rect { x: 0.0, w: gutter_css_px, ..plot });
    let mut free_from = plot.y;
    for band in bands {
        let (top, bottom) = (scene.y(band.from).max(plot.y), scene.y(band.to).min(plot.y + plot.h));
        let step = label_step(scene.bytes_per_css_px(band) * LABEL_STEP_CSS_PX);
        let first = band.addresses.first;
        let inner =
            (first / step.max(1)).saturating_add(1)..=band.addresses.end.saturating_sub(1) / step.max(1);
        let places = std::iter::once(first).chain(inner.map(|index| index * step));
        for address in places {
            let y = scene.y(scene.axis.position(address)).max(top);
            let middle = (y + LINE_CSS_PX / 2.0).max(free_from + LINE_CSS_PX / 2.0);
            if middle + LINE_CSS_PX / 2.0 > plot.y + plot.h || middle > y + LABEL_STEP_CSS_PX || y > bottom {
                continue;
            }
            list.fill(theme.quiet, Rect { x: gutter_css_px - 6.0, y, w: 6.0, h: scene.room.hair_css_px() });
            let text = match address.checked_sub(scene.packed.0).filter(|_| !scene.packed.1.is_empty()) {
                Some(0) => "packed".to_owned(),
                Some(offset) => format!("+{offset:x}"),
                None => written(address, gutter_css_px <= NARROW_GUTTER_CSS_PX),
            };
            list.text(gutter_css_px - 10.0, middle, text, theme.quiet, Align::Right);
            free_from = middle + LINE_CSS_PX / 2.0;
        }
        let height = bottom - top;
        if height > 2.5 * LINE_CSS_PX && free_from + LINE_CSS_PX <= bottom {
            let size = format::bytes(scene.axis.regions()[band.region].bytes() as f64);
            let middle = (bottom - LINE_CSS_PX / 2.0).max(free_from + LINE_CSS_PX / 2.0);
            list.text(6.0, middle, size, theme.text, Align::Left);
        }
    }
}

/// Formats an address, or only its last digits, which distinguish addresses of one region.
fn written(address: u64, is_narrow: bool) -> String {
    const LETTERS: usize = 8;
    let text = format!("{address:x}");
    match text.len().checked_sub(LETTERS) {
        Some(cut) if is_narrow && cut > 0 => format!("…{}", &text[cut..]),
        _ => text,
    }
}

/// Returns the bytes between labels: the least power of four that is at least `least_bytes`.
fn label_step(least_bytes: f64) -> u64 {
    let bits = least_bytes.max(1.0).log2().ceil().min(60.0) as u32;
    1 << (bits.div_ceil(2) * 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_map_has_the_last_digits() {
        assert_eq!(written(0x7f4c_74c0_0000, false), "7f4c74c00000");
        assert_eq!(written(0x7f4c_74c0_0000, true), "…74c00000");
        assert_eq!(written(0x74c0_0000, true), "74c00000");
    }

    #[test]
    fn steps_of_addresses_are_round() {
        assert_eq!([1.0, 3.0, 5.0, 4096.0, 5_000.0].map(label_step), [1, 4, 16, 4096, 16_384]);
    }
}

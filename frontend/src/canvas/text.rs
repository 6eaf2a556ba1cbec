//! Text that fits: measured widths are remembered, and what is too long is cut with an ellipsis.

use std::collections::HashMap;

/// Widths of texts in CSS pixels, measured once each.
#[derive(Debug, Default)]
pub struct WidthCache {
    widths: HashMap<String, f64>,
}

/// Texts that are remembered before the cache starts anew.
const CAPACITY: usize = 20_000;

impl WidthCache {
    /// The width of `text`, asking `measure` the first time.
    pub fn width_css_px(&mut self, text: &str, measure: &mut dyn FnMut(&str) -> f64) -> f64 {
        if let Some(width) = self.widths.get(text) {
            return *width;
        }
        if self.widths.len() >= CAPACITY {
            self.widths.clear();
        }
        let width = measure(text);
        self.widths.insert(text.to_owned(), width);
        width
    }

    /// The text itself if it fits into `room_css_px`, else its beginning with an ellipsis; `None` where not even
    /// two letters fit.
    ///
    /// The cut is by average letter width: a guess that spares measuring every prefix while zooming.
    pub fn fit<'a>(
        &mut self,
        text: &'a str,
        room_css_px: f64,
        measure: &mut dyn FnMut(&str) -> f64,
    ) -> Option<std::borrow::Cow<'a, str>> {
        let width = self.width_css_px(text, measure);
        if width <= room_css_px {
            return Some(text.into());
        }
        let letters = text.chars().count();
        let letter_css_px = width / letters as f64;
        let fitting = ((room_css_px - letter_css_px * 1.2) / letter_css_px).floor();
        if fitting < 2.0 {
            return None;
        }
        let mut cut: String = text.chars().take(fitting as usize).collect();
        cut.truncate(cut.trim_end().len());
        cut.push('…');
        Some(cut.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_and_each_text_is_measured_once() {
        let mut measured = 0;
        let mut measure = |text: &str| {
            measured += 1;
            text.chars().count() as f64 * 10.0
        };
        let mut cache = WidthCache::default();
        assert_eq!(cache.fit("kernel", 60.0, &mut measure).as_deref(), Some("kernel"));
        assert_eq!(cache.fit("kernel", 55.0, &mut measure).as_deref(), Some("kern…"));
        assert_eq!(cache.fit("kernel", 20.0, &mut measure), None);
        assert_eq!(cache.fit("größe über", 60.0, &mut measure).as_deref(), Some("größ…"));
        assert_eq!(measured, 2);
    }
}

//! Text fitting: a cache of measured widths, and an ellipsis for text that is too long.

use std::borrow::Cow;
use std::collections::HashMap;

use syclscope_language::names::ShortNames;

#[derive(Debug, Default)]
pub struct WidthCache {
    widths: HashMap<String, f64>,
}

const CAPACITY: usize = 20_000;

const ELLIPSIS: char = '…';

/// With fewer letters, a name's start is more useful than its distinctive part.
const MIN_NAME_LETTERS: usize = 12;

const MIN_LETTERS: usize = 2;

impl WidthCache {
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

    /// Returns the text itself if it fits into `room_css_px`, else its start with an ellipsis; `None` if not even two
    /// letters fit.
    pub fn fit<'a>(
        &mut self,
        text: &'a str,
        room_css_px: f64,
        measure: &mut dyn FnMut(&str) -> f64,
    ) -> Option<Cow<'a, str>> {
        let width = self.width_css_px(text, measure);
        if width <= room_css_px {
            return Some(text.into());
        }
        // The average letter predicts the cut; measuring the rest then takes a step or two.
        let letters = text.chars().count();
        let mut fitting = (room_css_px / width * letters as f64).floor() as usize;
        while fitting >= MIN_LETTERS {
            let mut cut: String = text.chars().take(fitting).collect();
            cut.truncate(cut.trim_end_matches([' ', ELLIPSIS]).len());
            cut.push(ELLIPSIS);
            if self.width_css_px(&cut, measure) <= room_css_px {
                return Some(cut.into());
            }
            fitting -= 1;
        }
        None
    }
}

pub struct TextFit<'a> {
    pub cache: &'a mut WidthCache,
    pub measure: &'a mut dyn FnMut(&str) -> f64,
}

impl TextFit<'_> {
    pub fn fit(&mut self, text: &str, room_css_px: f64) -> Option<String> {
        self.cache.fit(text, room_css_px, self.measure).map(Cow::into_owned)
    }

    /// Returns a name without its namespaces, or the part that fits and distinguishes it from the other `names`.
    pub fn fit_name(&mut self, names: &ShortNames, name: &str, room_css_px: f64) -> Option<String> {
        let short = names.short(name);
        let width = self.width_css_px(&short);
        if width <= room_css_px || !names.has(name) {
            return self.fit(&short, room_css_px);
        }
        let mut max = (room_css_px / width * short.chars().count() as f64) as usize;
        while max > MIN_LETTERS {
            // Long texts are rounded to few lengths, so that slices of many widths share them.
            max = if max > 24 { max & !3 } else { max };
            let cut = names.fit(name, max);
            // An end without its start is often a number, which is no useful name.
            if max <= MIN_NAME_LETTERS && cut.starts_with(ELLIPSIS) {
                return self.fit(&short, room_css_px);
            }
            if self.width_css_px(&cut) <= room_css_px {
                return Some(cut);
            }
            // The letters of the part may be wider than the average. Try a shorter part while it is still a name.
            if max <= MIN_NAME_LETTERS {
                return self.fit(&cut, room_css_px);
            }
            max -= 1;
        }
        None
    }

    pub fn width_css_px(&mut self, text: &str) -> f64 {
        self.cache.width_css_px(text, self.measure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_a_template_stay_different_in_little_room() {
        let kernels =
            ["lib::divide_in_place<float, lib::Strided>", "lib::divide_in_place<double, lib::Strided>"];
        let names = ShortNames::new(kernels.into_iter(), |_| 1);
        let mut measure = |text: &str| text.chars().count() as f64 * 6.0;
        let mut fit = TextFit { cache: &mut WidthCache::default(), measure: &mut measure };
        assert_eq!(
            fit.fit_name(&names, kernels[0], 300.0).as_deref(),
            Some("divide_in_place<float, Strided>")
        );
        assert_eq!(fit.fit_name(&names, kernels[0], 100.0).as_deref(), Some("divide_in…float…"));
        assert_eq!(fit.fit_name(&names, kernels[1], 100.0).as_deref(), Some("divide_i…double…"));
        assert_eq!(fit.fit_name(&names, kernels[1], 12.0), None);
        let mut measure = |text: &str| text.chars().count() as f64 * 6.0;
        let mut fit = TextFit { cache: &mut WidthCache::default(), measure: &mut measure };
        let alike: Vec<String> =
            (0..14).map(|number| format!("memory transfer of kind {}", number * 1_111)).collect();
        let names_alike = ShortNames::new(alike.iter().map(String::as_str), |_| 1);
        for name in &alike {
            let cut = fit.fit_name(&names_alike, name, 30.0).unwrap_or_default();
            assert!(cut.starts_with("mem"), "{cut}");
        }
        // Wider letters at the end, where names differ, must not cause a second ellipsis.
        let mut measure =
            |text: &str| text.chars().map(|letter| if letter == 'W' { 18.0 } else { 6.0 }).sum();
        let mut fit = TextFit { cache: &mut WidthCache::default(), measure: &mut measure };
        let moves = ["Memory Transfer (MWW)", "Memory Transfer (UWW)"];
        let names = ShortNames::new(moves.into_iter(), |_| 1);
        for room in [40.0, 60.0, 80.0, 100.0, 120.0] {
            let cut = fit.fit_name(&names, moves[0], room).unwrap_or_default();
            assert!(!cut.contains("……"), "{cut}");
            assert!(fit.width_css_px(&cut) <= room, "{cut}");
        }
        assert_eq!(fit.fit_name(&names, "of something else", 40.0).as_deref(), Some("of so…"));
    }

    fn measured_again(cache: &mut WidthCache) -> usize {
        let mut measured = 0;
        let mut measure = |_: &str| {
            measured += 1;
            0.0
        };
        cache.fit("kernel", 55.0, &mut measure);
        cache.fit("größe über", 60.0, &mut measure);
        measured
    }

    #[test]
    fn long_text_is_cut_and_each_text_is_measured_once() {
        let mut measure = |text: &str| text.chars().count() as f64 * 10.0;
        let mut cache = WidthCache::default();
        assert_eq!(cache.fit("kernel", 60.0, &mut measure).as_deref(), Some("kernel"));
        assert_eq!(cache.fit("kernel", 55.0, &mut measure).as_deref(), Some("kern…"));
        assert_eq!(cache.fit("kernel", 29.0, &mut measure), None);
        assert_eq!(cache.fit("größe über", 60.0, &mut measure).as_deref(), Some("größe…"));
        let before = measured_again(&mut cache);
        assert_eq!(before, 0, "everything is known by now");
    }
}

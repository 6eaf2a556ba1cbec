//! Conversion between time and pixels.

/// Maps time to horizontal CSS pixels: `start_ns` is at `left_css_px`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeScale {
    pub start_ns: f64,
    /// Nanoseconds in one CSS pixel; positive.
    pub ns_per_css_px: f64,
    pub left_css_px: f64,
}

impl TimeScale {
    pub fn new(start_ns: f64, span_ns: f64, left_css_px: f64, width_css_px: f64) -> Self {
        Self { start_ns, ns_per_css_px: span_ns.max(f64::MIN_POSITIVE) / width_css_px.max(1.0), left_css_px }
    }

    pub fn px_from_time(&self, at_ns: f64) -> f64 {
        self.left_css_px + (at_ns - self.start_ns) / self.ns_per_css_px
    }

    pub fn time_from_px(&self, x_css_px: f64) -> f64 {
        self.start_ns + (x_css_px - self.left_css_px) * self.ns_per_css_px
    }

    pub fn px_from_duration(&self, duration_ns: f64) -> f64 {
        duration_ns / self.ns_per_css_px
    }

    /// Returns the tile level at which a bucket is one to two device pixels wide.
    pub fn level(&self, device_pixel_ratio: f64) -> u8 {
        let ns_per_device_px = self.ns_per_css_px / device_pixel_ratio;
        let level = ns_per_device_px.log2().ceil().max(0.0);
        (level as u8).min(syclscope_language::question::MAX_LEVEL)
    }
}

/// Returns the distance of grid lines in nanoseconds: 1, 2 or 5 times a power of ten, at least `least_ns`.
pub fn grid_step_ns(least_ns: f64) -> f64 {
    let least_ns = least_ns.max(1e-3);
    let magnitude = 10f64.powf(least_ns.log10().floor());
    for factor in [1.0, 2.0, 5.0] {
        if magnitude * factor >= least_ns * (1.0 - 1e-9) {
            return magnitude * factor;
        }
    }
    magnitude * 10.0
}

/// Size and density of a canvas in its content's pixels. With enlarged text, a content pixel is larger than a CSS
/// pixel, so the canvas has fewer of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Size {
    pub width_css_px: f64,
    pub height_css_px: f64,
    /// Device pixels per content pixel.
    pub device_pixel_ratio: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_and_times_round_trip() {
        let scale = TimeScale::new(1_000.0, 2_000.0, 100.0, 500.0);
        assert_eq!(scale.px_from_time(1_000.0), 100.0);
        assert_eq!(scale.px_from_time(3_000.0), 600.0);
        assert_eq!(scale.time_from_px(scale.px_from_time(1_234.0)), 1_234.0);
        assert_eq!(scale.px_from_duration(400.0), 100.0);
    }

    #[test]
    fn a_bucket_is_one_to_two_device_pixels() {
        for (span_ns, width, ratio) in
            [(1e9, 1400.0, 1.0), (1e9, 1400.0, 2.0), (12_345.0, 900.0, 1.5), (6e11, 1600.0, 1.0)]
        {
            let scale = TimeScale::new(0.0, span_ns, 0.0, width);
            let bucket_device_px = 2f64.powi(scale.level(ratio).into()) / scale.ns_per_css_px * ratio;
            assert!(
                (1.0..2.0001).contains(&bucket_device_px),
                "{span_ns} {width} {ratio}: {bucket_device_px}"
            );
        }
        assert_eq!(TimeScale::new(0.0, 100.0, 0.0, 1000.0).level(1.0), 0);
    }

    #[test]
    fn grid_steps_are_round() {
        for (least_ns, step_ns) in [(1.0, 1.0), (1.1, 2.0), (3.0, 5.0), (7.0, 10.0), (120_000.0, 200_000.0)] {
            assert!((grid_step_ns(least_ns) - step_ns).abs() < step_ns * 1e-9, "{least_ns}");
        }
    }
}

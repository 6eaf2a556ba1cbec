//! Perceptual colours: lightness, chroma and hue to sRGB.

use crate::canvas::draw_list::Colour;

/// Converts OKLCH to sRGB and clamps the channels; the hue is in degrees.
pub(super) fn oklch(lightness: f64, chroma: f64, hue: f64) -> Colour {
    let (sin, cos) = sin_cos(hue);
    let (a, b) = (chroma * cos, chroma * sin);
    let l = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let m = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let s = (lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
    let channel = |linear: f64| {
        let value =
            if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 };
        (value.clamp(0.0, 1.0) * 255.0).round() as u8
    };
    Colour::rgb(
        channel(4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s),
        channel(-1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s),
        channel(-0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s),
    )
}

/// Returns sine and cosine of an angle in degrees, to nine digits. The standard library's functions accept angles of
/// any size and add 8 KB to the page.
fn sin_cos(degrees: f64) -> (f64, f64) {
    let quarters = (degrees / 90.0).round();
    let angle = (degrees - quarters * 90.0).to_radians();
    let square = angle * angle;
    let series = |first: f64, factors: [f64; 5]| {
        let sum = factors.iter().rev().fold(1.0, |sum, factor| 1.0 - square / factor * sum);
        first * sum
    };
    let sin = series(angle, [2.0 * 3.0, 4.0 * 5.0, 6.0 * 7.0, 8.0 * 9.0, 10.0 * 11.0]);
    let cos = series(1.0, [1.0 * 2.0, 3.0 * 4.0, 5.0 * 6.0, 7.0 * 8.0, 9.0 * 10.0]);
    match (quarters as i64).rem_euclid(4) {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sines_and_cosines_are_those_of_the_standard_library() {
        for tenth in -7_200..7_200 {
            let degrees = f64::from(tenth) / 10.0;
            let ((sin, cos), expected) = (sin_cos(degrees), degrees.to_radians().sin_cos());
            let error = (sin - expected.0).abs().max((cos - expected.1).abs());
            assert!(error < 1e-9, "{degrees}: {error}");
        }
    }
}

//! The normal distribution.

/// Returns the probability of a value above `z`: Abramowitz and Stegun 26.2.17, with an error of at most 7.5·10⁻⁸.
pub(super) fn above(z: f64) -> f64 {
    const FACTORS: [f64; 5] = [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let t = 1.0 / (1.0 + 0.231_641_9 * z.abs());
    let sum = FACTORS.iter().rev().fold(0.0, |sum, factor| (sum + factor) * t);
    let tail = (-z * z / 2.0).exp() / std::f64::consts::TAU.sqrt() * sum;
    if z < 0.0 { 1.0 - tail } else { tail }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tails_are_those_of_the_tables() {
        for (z, expected) in [(0.0, 0.5), (1.0, 0.158_655_25), (1.959_964, 0.025), (3.0, 0.001_349_898)] {
            assert!((above(z) - expected).abs() < 1e-6, "{z}: {}", above(z));
            assert!((above(-z) - (1.0 - expected)).abs() < 1e-6, "-{z}");
        }
    }
}

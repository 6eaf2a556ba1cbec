//! Inertia. Released content glides on and slows down until it stops.

/// Age up to which movements count towards the release speed.
const MEMORY_MS: f64 = 60.0;
/// Time until the speed is a third.
const SLOWING_MS: f64 = 160.0;
/// Minimum speed, in CSS pixels per millisecond.
const MIN_SPEED: f64 = 0.03;
const MAX_SPEED: f64 = 6.0;
/// Pause of the wheel that counts as release.
const WHEEL_REST_MS: f64 = 24.0;
/// Minimum step of a wheel with notches, which has no inertia.
const NOTCH_CSS_PX: f64 = 40.0;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Glide {
    /// Time, horizontal and vertical distance.
    recent: Vec<(f64, f64, f64)>,
    speed: Option<(f64, f64)>,
    last_ms: f64,
    is_wheel: bool,
}

impl Glide {
    pub fn record(&mut self, now_ms: f64, dx_css_px: f64, dy_css_px: f64) {
        self.speed = None;
        self.recent.retain(|(at_ms, ..)| now_ms - at_ms <= MEMORY_MS);
        self.recent.push((now_ms, dx_css_px, dy_css_px));
        (self.last_ms, self.is_wheel) = (now_ms, false);
    }

    /// Adds a movement by a wheel or a touchpad, which report no release.
    pub fn record_wheel(&mut self, now_ms: f64, dx_css_px: f64, dy_css_px: f64) {
        if dx_css_px.abs() >= NOTCH_CSS_PX || dy_css_px.abs() >= NOTCH_CSS_PX {
            self.stop();
            return;
        }
        self.record(now_ms, dx_css_px, dy_css_px);
        self.is_wheel = true;
    }

    pub fn released(&mut self, now_ms: f64) {
        self.recent.retain(|(at_ms, ..)| now_ms - at_ms <= MEMORY_MS);
        let Some((first_ms, ..)) = self.recent.first() else { return self.stop() };
        let elapsed_ms = (now_ms - first_ms).max(16.0);
        let sum = |axis: fn(&(f64, f64, f64)) -> f64| self.recent.iter().map(axis).sum::<f64>() / elapsed_ms;
        let limit = |speed: f64| speed.clamp(-MAX_SPEED, MAX_SPEED);
        let speed = (limit(sum(|step| step.1)), limit(sum(|step| step.2)));
        self.recent.clear();
        self.is_wheel = false;
        self.speed = Some(speed).filter(|(x, y)| x.hypot(*y) >= MIN_SPEED);
        self.last_ms = now_ms;
    }

    pub fn stop(&mut self) {
        *self = Self::default();
    }

    /// True if the content moves, or will move if the wheel rests.
    pub fn is_moving(&self) -> bool {
        self.speed.is_some() || self.is_wheel
    }

    pub fn advance(&mut self, now_ms: f64) -> Option<(f64, f64)> {
        if self.is_wheel && now_ms - self.last_ms >= WHEEL_REST_MS {
            self.released(now_ms);
        }
        let (x, y) = self.speed?;
        let elapsed_ms = (now_ms - self.last_ms).clamp(0.0, 50.0);
        self.last_ms = now_ms;
        let rest = (-elapsed_ms / SLOWING_MS).exp();
        // Distance travelled under exponential slowing.
        let way_ms = SLOWING_MS * (1.0 - rest);
        let slower = (x * rest, y * rest);
        self.speed = Some(slower).filter(|(x, y)| x.hypot(*y) >= MIN_SPEED);
        Some((x * way_ms, y * way_ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the distance of the glide after a movement, and its number of frames.
    fn glided(glide: &mut Glide, from_ms: f64) -> (f64, u32) {
        let (mut way, mut frames) = (0.0, 0);
        while glide.is_moving() && frames < 1_000 {
            frames += 1;
            way += glide.advance(from_ms + f64::from(frames) * 16.0).map_or(0.0, |(x, _)| x);
        }
        (way, frames)
    }

    #[test]
    fn what_is_let_go_in_motion_glides_on_and_comes_to_rest() {
        let mut glide = Glide::default();
        for step in 0..4 {
            glide.record(f64::from(step) * 16.0, 16.0, 0.0);
        }
        glide.released(50.0);
        let (way, frames) = glided(&mut glide, 50.0);
        assert!((100.0..300.0).contains(&way) && frames < 100, "{way} in {frames}");
        assert_eq!(glide.advance(9_999.0), None);
    }

    #[test]
    fn what_is_held_before_it_is_let_go_stands() {
        let mut glide = Glide::default();
        glide.record(0.0, 30.0, 0.0);
        glide.released(200.0);
        assert!(!glide.is_moving());
        glide.record(300.0, 30.0, 0.0);
        glide.released(301.0);
        assert!(glide.is_moving());
        glide.record(310.0, 0.0, 0.0);
        assert!(!glide.is_moving(), "taken up again");
    }

    #[test]
    fn a_touchpad_glides_and_a_wheel_with_notches_does_not() {
        let mut glide = Glide::default();
        for step in 0..4 {
            glide.record_wheel(f64::from(step) * 16.0, -9.0, 0.0);
        }
        let (way, _) = glided(&mut glide, 48.0);
        assert!(way < -20.0, "{way}");
        glide.record_wheel(500.0, 0.0, -100.0);
        assert!(!glide.is_moving());
    }
}

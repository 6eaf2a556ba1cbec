//! The user's theme and text size. Both are stored in the browser and are not part of links.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThemeChoice {
    #[default]
    System,
    Dark,
    Light,
}

impl ThemeChoice {
    /// Returns the stored form; `None` for the system's setting.
    pub fn as_stored(self) -> Option<&'static str> {
        match self {
            Self::System => None,
            Self::Dark => Some("dark"),
            Self::Light => Some("light"),
        }
    }

    pub fn from_stored(text: Option<&str>) -> Self {
        match text {
            Some("dark") => Self::Dark,
            Some("light") => Self::Light,
            _ => Self::System,
        }
    }

    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::System => Self::Dark,
            Self::Dark => Self::Light,
            Self::Light => Self::System,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Dark => "dark",
            Self::Light => "light",
        }
    }
}

/// Text sizes in percent.
const SCALES: [u32; 9] = [80, 90, 100, 110, 125, 150, 175, 200, 250];

pub fn text_scale(percent: u32, steps: isize) -> u32 {
    let place = SCALES.iter().position(|scale| *scale >= percent).unwrap_or(SCALES.len() - 1);
    let place = place.saturating_add_signed(steps).min(SCALES.len() - 1);
    SCALES[place]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_grows_by_steps_and_stays_legible() {
        assert_eq!((text_scale(100, 1), text_scale(100, -1)), (110, 90));
        assert_eq!((text_scale(250, 3), text_scale(80, -1), text_scale(9_999, 0)), (250, 80, 250));
    }

    #[test]
    fn stored_choices_round_trip_and_the_switch_goes_round() {
        let mut choice = ThemeChoice::System;
        for _ in 0..3 {
            assert_eq!(ThemeChoice::from_stored(choice.as_stored()), choice);
            choice = choice.next();
        }
        assert_eq!(choice, ThemeChoice::System);
        assert_eq!(ThemeChoice::from_stored(Some("sepia")), ThemeChoice::System);
    }
}

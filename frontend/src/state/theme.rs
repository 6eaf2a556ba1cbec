//! Which theme the user chose. It stays in the browser and is no part of an address: a link shows the sender's
//! view in the receiver's colours.

/// A choice of theme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThemeChoice {
    /// As the system says.
    #[default]
    System,
    /// Dark.
    Dark,
    /// Light.
    Light,
}

impl ThemeChoice {
    /// The stored text; nothing is stored for the system's choice.
    pub fn as_stored(self) -> Option<&'static str> {
        match self {
            Self::System => None,
            Self::Dark => Some("dark"),
            Self::Light => Some("light"),
        }
    }

    /// The choice that a stored text stands for.
    pub fn from_stored(text: Option<&str>) -> Self {
        match text {
            Some("dark") => Self::Dark,
            Some("light") => Self::Light,
            _ => Self::System,
        }
    }

    /// The next choice when the switch is pressed.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::System => Self::Dark,
            Self::Dark => Self::Light,
            Self::Light => Self::System,
        }
    }

    /// Shown name.
    pub fn name(self) -> &'static str {
        match self {
            Self::System => "System",
            Self::Dark => "Dark",
            Self::Light => "Light",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

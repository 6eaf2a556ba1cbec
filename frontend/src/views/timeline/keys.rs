//! What the keys of the timeline do.

/// A movement that goes on while its key is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Motion {
    /// To earlier times.
    Left,
    /// To later times.
    Right,
    /// Less time on screen.
    ZoomIn,
    /// More time on screen.
    ZoomOut,
    /// Tracks further up.
    Up,
    /// Tracks further down.
    Down,
}

/// Something that a key does once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Shows the selection, or everything where nothing is selected or the selection is shown already.
    Fit,
    /// Shows everything.
    FitAll,
    /// Shows the span in which devices worked.
    FitDevice,
    /// Takes back selection, highlight and dialogs.
    Clear,
    /// Opens or closes the help.
    Help,
    /// Goes to the first command that the selected one had to wait for.
    Before,
    /// Goes to the first command that waited for the selected one.
    After,
    /// Goes from a submission to its execution or back.
    Partner,
    /// The slice before on the same lane.
    Previous,
    /// The slice after on the same lane.
    Next,
}

/// What a key means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A movement while it is held.
    Hold(Motion),
    /// A command.
    Press(Command),
}

/// The keys as the help lists them: keys, then what they do.
pub const HELP: [(&[&str], &str); 14] = [
    (&["W", "S"], "Zoom in and out at the pointer"),
    (&["A", "D"], "Move to earlier and later times"),
    (&["←", "→"], "Move to earlier and later times"),
    (&["↑", "↓"], "Scroll the tracks"),
    (&["+", "−"], "Zoom in and out"),
    (&["F"], "Fit the selected slice; again: the whole run"),
    (&["0"], "Fit the whole run"),
    (&["E"], "Fit the executions: the span in which devices worked"),
    (&[",", "."], "Select the previous or next slice on the lane"),
    (&["["], "Go to the first command this one waited for"),
    (&["]"], "Go to the first command that waited for this one"),
    (&["Enter"], "Go from a submission to its execution and back"),
    (&["Esc"], "Clear selection and highlight"),
    (&["?"], "This help"),
];

/// What the pointer does, for the help.
pub const POINTER_HELP: [(&[&str], &str); 8] = [
    (&["Ctrl", "wheel"], "Zoom at the pointer (or pinch on a touchpad)"),
    (&["wheel"], "Scroll the tracks"),
    (&["Shift", "wheel"], "Move through time (or swipe sideways)"),
    (&["drag"], "Move through time and tracks"),
    (&["Shift", "drag"], "Zoom to a box; shows its length"),
    (&["drag on ruler"], "Zoom to a range"),
    (&["click"], "Select a slice; its details open below"),
    (&["double click"], "Zoom to a slice"),
];

/// The meaning of a key by its `KeyboardEvent.key`, pressed without Ctrl, Alt or Meta.
pub fn key(key: &str) -> Option<Key> {
    Some(match key {
        "a" | "A" | "ArrowLeft" => Key::Hold(Motion::Left),
        "d" | "D" | "ArrowRight" => Key::Hold(Motion::Right),
        "w" | "W" | "+" | "=" => Key::Hold(Motion::ZoomIn),
        "s" | "S" | "-" | "_" => Key::Hold(Motion::ZoomOut),
        "ArrowUp" => Key::Hold(Motion::Up),
        "ArrowDown" => Key::Hold(Motion::Down),
        "f" | "F" => Key::Press(Command::Fit),
        "0" => Key::Press(Command::FitAll),
        "e" | "E" => Key::Press(Command::FitDevice),
        "Escape" => Key::Press(Command::Clear),
        "?" => Key::Press(Command::Help),
        "[" => Key::Press(Command::Before),
        "]" => Key::Press(Command::After),
        "Enter" => Key::Press(Command::Partner),
        "," => Key::Press(Command::Previous),
        "." => Key::Press(Command::Next),
        _ => return None,
    })
}

/// How far a movement goes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Step {
    /// Share of the visible span to move by; positive moves to later times.
    pub pan_share: f64,
    /// Factor of the visible span.
    pub zoom_factor: f64,
    /// Pixels to scroll down.
    pub scroll_css_px: f64,
}

/// The step of one key press.
pub fn tap(motion: Motion) -> Step {
    step(motion, 0.12)
}

/// The steps of held keys over a time, together.
pub fn held(motions: impl IntoIterator<Item = Motion>, elapsed_ms: f64) -> Step {
    let seconds = (elapsed_ms / 1_000.0).clamp(0.0, 0.05);
    motions.into_iter().fold(Step { zoom_factor: 1.0, ..Step::default() }, |sum, motion| {
        let step = step(motion, seconds);
        Step {
            pan_share: sum.pan_share + step.pan_share,
            zoom_factor: sum.zoom_factor * step.zoom_factor,
            scroll_css_px: sum.scroll_css_px + step.scroll_css_px,
        }
    })
}

fn step(motion: Motion, seconds: f64) -> Step {
    let still = Step { zoom_factor: 1.0, ..Step::default() };
    match motion {
        Motion::Left => Step { pan_share: -0.9 * seconds, ..still },
        Motion::Right => Step { pan_share: 0.9 * seconds, ..still },
        Motion::ZoomIn => Step { zoom_factor: (-2.4 * seconds).exp(), ..still },
        Motion::ZoomOut => Step { zoom_factor: (2.4 * seconds).exp(), ..still },
        Motion::Up => Step { scroll_css_px: -500.0 * seconds, ..still },
        Motion::Down => Step { scroll_css_px: 500.0 * seconds, ..still },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_the_help_does_something() {
        for (keys, _) in HELP {
            for name in keys {
                let pressed = match *name {
                    "←" => "ArrowLeft",
                    "→" => "ArrowRight",
                    "↑" => "ArrowUp",
                    "↓" => "ArrowDown",
                    "−" => "-",
                    "Esc" => "Escape",
                    name => name,
                };
                assert!(key(pressed).is_some(), "{name}");
            }
        }
        assert_eq!(key("x"), None);
    }

    #[test]
    fn opposite_keys_cancel_out_and_long_frames_do_not_jump() {
        let step = held([Motion::Left, Motion::Right, Motion::ZoomIn, Motion::ZoomOut], 16.0);
        assert!(step.pan_share.abs() < 1e-12 && (step.zoom_factor - 1.0).abs() < 1e-12);
        assert_eq!(held([Motion::Right], 5_000.0), held([Motion::Right], 50.0));
        assert!(tap(Motion::ZoomIn).zoom_factor < 1.0 && tap(Motion::Down).scroll_css_px > 0.0);
    }
}

use crate::state::keys::{self, CommandInfo};
use crate::views::timeline::ID;

/// A movement that continues while its key is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Motion {
    Left,
    Right,
    ZoomIn,
    ZoomOut,
    Up,
    Down,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    Fit,
    FitAll,
    FitDevice,
    Before,
    After,
    Partner,
    Previous,
    Next,
    MeasureTool,
    AreaTool,
    MeasureSelected,
    Gap,
    SelectArea,
    Note,
    Zero,
    CriticalPath,
    Chain,
    Search,
    NextMatch,
    PreviousMatch,
    NextGap,
    PreviousGap,
    Dim,
    FilterTracks,
    Group,
    ShowAllTracks,
    ShowObject,
    SaveSvg,
    SavePng,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Hold(Motion),
    Press(Command),
}

pub static COMMANDS: [(CommandInfo, Key); 35] = [
    ID.while_down("timeline.zoom_in", "Zoom in at the pointer", &["W", "+", "="], Key::Hold(Motion::ZoomIn)),
    ID.while_down(
        "timeline.zoom_out",
        "Zoom out at the pointer",
        &["S", "-", "_"],
        Key::Hold(Motion::ZoomOut),
    ),
    ID.while_down("timeline.left", "Move to earlier times", &["A", "ArrowLeft"], Key::Hold(Motion::Left)),
    ID.while_down("timeline.right", "Move to later times", &["D", "ArrowRight"], Key::Hold(Motion::Right)),
    ID.while_down("timeline.up", "Scroll the tracks up", &["ArrowUp"], Key::Hold(Motion::Up)),
    ID.while_down("timeline.down", "Scroll the tracks down", &["ArrowDown"], Key::Hold(Motion::Down)),
    ID.once(
        "timeline.fit",
        "Fit the selected slice or area; press again for the whole run",
        &["F"],
        Key::Press(Command::Fit),
    ),
    ID.once("timeline.fit_all", "Fit the whole run", &["0"], Key::Press(Command::FitAll)),
    ID.once(
        "timeline.fit_device",
        "Fit device activity, else all slices",
        &["E"],
        Key::Press(Command::FitDevice),
    ),
    ID.again(
        "timeline.previous",
        "Select the previous slice on the lane",
        &[","],
        Key::Press(Command::Previous),
    ),
    ID.again("timeline.next", "Select the next slice on the lane", &["."], Key::Press(Command::Next)),
    ID.once(
        "timeline.previous_gap",
        "Go to the previous idle time of the track that is wide enough to see",
        &["<"],
        Key::Press(Command::PreviousGap),
    ),
    ID.once(
        "timeline.next_gap",
        "Go to the next idle time of the track that is wide enough to see",
        &[">"],
        Key::Press(Command::NextGap),
    ),
    ID.again(
        "timeline.before",
        "Go to the first command this one waited for",
        &["["],
        Key::Press(Command::Before),
    ),
    ID.again(
        "timeline.after",
        "Go to the first command that waited for this one",
        &["]"],
        Key::Press(Command::After),
    ),
    ID.once(
        "timeline.partner",
        "Go from a submission to its execution and back",
        &["Enter"],
        Key::Press(Command::Partner),
    ),
    ID.once(
        "timeline.measure",
        "Measure the selected slice; if none is selected, turn measuring on or off",
        &["M"],
        Key::Press(Command::MeasureTool),
    ),
    ID.once("timeline.area", "Turn selecting an area on or off", &["B"], Key::Press(Command::AreaTool)),
    ID.once(
        "timeline.measure_selected",
        "Measure the selected slice",
        &["R"],
        Key::Press(Command::MeasureSelected),
    ),
    ID.once(
        "timeline.gap",
        "Measure the gap between two slices (press on each)",
        &["G"],
        Key::Press(Command::Gap),
    ),
    ID.once(
        "timeline.choose_area",
        "Select the visible part of the slice's track as the area",
        &["Shift+B"],
        Key::Press(Command::SelectArea),
    ),
    ID.once(
        "timeline.note",
        "Write a note at the selected slice, or at the pointer",
        &["N"],
        Key::Press(Command::Note),
    ),
    ID.once(
        "timeline.zero",
        "Count time from here; press again to count from the start",
        &["Z"],
        Key::Press(Command::Zero),
    ),
    ID.once(
        "timeline.critical_path",
        "Show or hide the critical path",
        &["K"],
        Key::Press(Command::CriticalPath),
    ),
    ID.once(
        "timeline.chain",
        "Show one hop of dependences, or the whole chain",
        &["C"],
        Key::Press(Command::Chain),
    ),
    ID.once("timeline.search", "Search slices", &["/"], Key::Press(Command::Search)),
    ID.again("timeline.next_found", "Go to the next match", &["J"], Key::Press(Command::NextMatch)),
    ID.again(
        "timeline.previous_found",
        "Go to the previous match",
        &["Shift+J"],
        Key::Press(Command::PreviousMatch),
    ),
    ID.once("timeline.dim", "Dim non-matches", &["Shift+D"], Key::Press(Command::Dim)),
    ID.once("timeline.filter_tracks", "Filter the tracks by name", &["T"], Key::Press(Command::FilterTracks)),
    ID.once(
        "timeline.group",
        "Group executions by device, queue or kernel",
        &["Shift+G"],
        Key::Press(Command::Group),
    ),
    ID.once("timeline.all_tracks", "Show all tracks", &["Shift+U"], Key::Press(Command::ShowAllTracks)),
    ID.once(
        "timeline.show_object",
        "Show the selected memory object on its own track",
        &["O"],
        Key::Press(Command::ShowObject),
    ),
    ID.once(
        "timeline.svg",
        "Save the timeline as a picture (SVG)",
        &["Shift+S"],
        Key::Press(Command::SaveSvg),
    ),
    ID.once(
        "timeline.png",
        "Save the timeline as a picture (PNG)",
        &["Shift+P"],
        Key::Press(Command::SavePng),
    ),
];

pub fn meaning(id: &str) -> Option<Key> {
    keys::meaning(&COMMANDS, id)
}

pub const POINTER_HELP: [(&[&str], &str); 10] = [
    (&["Ctrl", "wheel"], "Zoom at the pointer (or pinch on a touchpad)"),
    (&["wheel"], "Scroll the tracks"),
    (&["Shift", "wheel"], "Move through time (or swipe sideways)"),
    (&["drag"], "Move through time and tracks"),
    (&["Shift", "drag"], "Zoom to a box; shows its length"),
    (&["drag on ruler"], "Zoom to a range"),
    (&["Ctrl", "drag"], "Select an area of time and tracks; the panel below sums it up"),
    (&["Ctrl", "click"], "Measure from the selected slice to this one"),
    (&["click"], "Select a slice, or idle time and its cause; details open below"),
    (&["double click"], "Zoom to a slice"),
];

/// The most useful gestures, as short texts.
pub const GESTURES: [(&[&str], &str); 6] = [
    (&["Ctrl", "wheel"], "zoom"),
    (&["drag"], "move"),
    (&["Shift", "drag"], "zoom to a box"),
    (&["Ctrl", "drag"], "sum up an area"),
    (&["double click"], "zoom to a slice"),
    (&["right click"], "menu"),
];

/// The most useful gestures while a drag measures, as short texts.
pub const MEASURING: [(&[&str], &str); 6] =
    [GESTURES[0], (&["drag"], "measure"), GESTURES[2], GESTURES[3], GESTURES[4], GESTURES[5]];

/// The most useful gestures when a drag selects, as short texts.
pub const SELECTING: [(&[&str], &str); 6] = [
    GESTURES[0],
    (&["Shift", "drag"], "move"),
    (&["drag"], "sum up an area"),
    (&["drag on ruler"], "zoom to a range"),
    GESTURES[4],
    GESTURES[5],
];

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Step {
    /// Share of the visible range to move by; positive values move to later times.
    pub pan_share: f64,
    pub zoom_factor: f64,
    pub scroll_css_px: f64,
}

pub fn tap(motion: Motion) -> Step {
    step(motion, 0.12)
}

/// Returns the combined step of held keys over a duration.
pub fn combined_step(motions: impl IntoIterator<Item = Motion>, elapsed_ms: f64) -> Step {
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
    fn commands_are_found_by_their_names() {
        assert_eq!(meaning("timeline.fit"), Some(Key::Press(Command::Fit)));
        assert_eq!(meaning("timeline.nothing"), None);
    }

    #[test]
    fn opposite_keys_cancel_out_and_long_frames_do_not_jump() {
        let step = combined_step([Motion::Left, Motion::Right, Motion::ZoomIn, Motion::ZoomOut], 16.0);
        assert!(step.pan_share.abs() < 1e-12 && (step.zoom_factor - 1.0).abs() < 1e-12);
        assert_eq!(combined_step([Motion::Right], 5_000.0), combined_step([Motion::Right], 50.0));
        assert!(tap(Motion::ZoomIn).zoom_factor < 1.0 && tap(Motion::Down).scroll_css_px > 0.0);
    }
}

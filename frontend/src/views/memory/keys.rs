use crate::state::keys::{self, CommandInfo};
use crate::views::memory::ID;
use crate::views::memory::state::MemoryPart;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Key {
    Show(MemoryPart),
    /// By a share of the visible range.
    MoveTime(f64),
    ZoomTime(f64),
    /// By a share of the visible range.
    MoveAddresses(f64),
    ZoomAddresses(f64),
    Fit,
    FitAll,
    FitUsed,
    Peak,
    Compare,
    Walk(i64),
    Colour,
    Filter,
    SaveSvg,
    SavePng,
}

pub static COMMANDS: [(CommandInfo, Key); 24] = [
    ID.once("memory.use", "Show memory over time", &[], Key::Show(MemoryPart::Use)),
    ID.once("memory.map", "Show memory map", &[], Key::Show(MemoryPart::Map)),
    ID.once(
        "memory.objects",
        "Show memory objects: buffers, images and USM",
        &[],
        Key::Show(MemoryPart::Objects),
    ),
    ID.once("memory.transfers", "Show memory transfers", &[], Key::Show(MemoryPart::Transfers)),
    ID.once("memory.leaks", "Show memory leaks and misuse", &[], Key::Show(MemoryPart::Leaks)),
    ID.again("memory.zoom_in", "Zoom in", &["W", "+", "="], Key::ZoomTime(0.7)),
    ID.again("memory.zoom_out", "Zoom out", &["S", "-", "_"], Key::ZoomTime(1.0 / 0.7)),
    ID.again("memory.left", "Move to earlier times", &["A", "ArrowLeft"], Key::MoveTime(-0.15)),
    ID.again("memory.right", "Move to later times", &["D", "ArrowRight"], Key::MoveTime(0.15)),
    ID.again("memory.addresses_in", "Zoom in on addresses", &["Shift+W"], Key::ZoomAddresses(0.7)),
    ID.again("memory.addresses_out", "Zoom out of addresses", &["Shift+S"], Key::ZoomAddresses(1.0 / 0.7)),
    ID.again("memory.up", "Move to lower addresses", &["ArrowUp"], Key::MoveAddresses(-0.15)),
    ID.again("memory.down", "Move to higher addresses", &["ArrowDown"], Key::MoveAddresses(0.15)),
    ID.once("memory.fit", "Fit the selected allocation; press again for everything", &["F"], Key::Fit),
    ID.once("memory.fit_all", "Fit the whole run and all addresses", &["0"], Key::FitAll),
    ID.once("memory.fit_used", "Fit from the first allocation", &["E"], Key::FitUsed),
    ID.once("memory.peak", "Go to the peak", &["P"], Key::Peak),
    ID.once("memory.compare", "Compare with another time", &["C"], Key::Compare),
    ID.again("memory.previous", "Select the previous allocation", &[","], Key::Walk(-1)),
    ID.again("memory.next", "Select the next allocation", &["."], Key::Walk(1)),
    ID.once("memory.colour", "Colour the map by kind, source, age or object", &["Shift+C"], Key::Colour),
    ID.once("memory.filter", "Filter the table", &["/"], Key::Filter),
    ID.once("memory.svg", "Save the memory view as a picture (SVG)", &[], Key::SaveSvg),
    ID.once("memory.png", "Save the memory view as a picture (PNG)", &[], Key::SavePng),
];

impl Key {
    /// Returns the variant for a held key: movements take small successive steps.
    #[must_use]
    pub fn repeated(self) -> Self {
        const SHARE: f64 = 0.25;
        match self {
            Self::MoveTime(share) => Self::MoveTime(share * SHARE),
            Self::MoveAddresses(share) => Self::MoveAddresses(share * SHARE),
            Self::ZoomTime(factor) => Self::ZoomTime(factor.powf(SHARE)),
            Self::ZoomAddresses(factor) => Self::ZoomAddresses(factor.powf(SHARE)),
            other => other,
        }
    }
}

pub fn meaning(id: &str) -> Option<Key> {
    keys::meaning(&COMMANDS, id)
}

pub const POINTER_HELP: [(&[&str], &str); 8] = [
    (&["Ctrl", "wheel"], "Zoom time at the pointer"),
    (&["Ctrl", "Shift", "wheel"], "Zoom addresses at the pointer"),
    (&["wheel"], "Move through addresses; over the chart, zoom"),
    (&["drag"], "Move through time and addresses"),
    (&["Shift", "drag"], "Zoom to a box"),
    (&["click"], "Show memory at this time; on an allocation: select it"),
    (&["drag a line"], "Change the shown time"),
    (&["double click"], "Zoom to an allocation"),
];

/// The most useful gestures over the chart, as short texts.
pub const CHART_GESTURES: [(&[&str], &str); 4] = [
    (&["wheel"], "zoom"),
    (&["drag"], "move"),
    (&["click"], "what was live then"),
    (&["Shift", "click"], "compare with a second moment"),
];

pub const MAP_GESTURES: [(&[&str], &str); 5] = [
    (&["Ctrl", "wheel"], "zoom time"),
    (&["Ctrl", "Shift", "wheel"], "zoom addresses"),
    (&["drag"], "move"),
    (&["click"], "details, or what was live then"),
    (&["double click"], "zoom to an allocation"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn movements_go_on_in_small_steps_while_their_keys_are_held() {
        for (command, key) in &COMMANDS {
            let moves = matches!(
                key,
                Key::MoveTime(_)
                    | Key::ZoomTime(_)
                    | Key::MoveAddresses(_)
                    | Key::ZoomAddresses(_)
                    | Key::Walk(_)
            );
            assert_eq!(command.repeats, moves, "{}", command.id);
        }
        assert_eq!(Key::MoveTime(0.2).repeated(), Key::MoveTime(0.05));
        let Key::ZoomTime(factor) = Key::ZoomTime(0.7).repeated() else { unreachable!() };
        assert!((factor.powi(4) - 0.7).abs() < 1e-12);
        assert_eq!((Key::Walk(1).repeated(), Key::Fit.repeated()), (Key::Walk(1), Key::Fit));
    }
}

//! Commands, their keys, and the user's changes to them.

use std::fmt;

use crate::data::json;
use crate::ordered::OrderedMap;
use crate::state::view::View;

pub const STORAGE_KEY: &str = "syclscope.keys";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandInfo {
    /// Name in settings and code: `timeline.fit`.
    pub id: &'static str,
    pub title: &'static str,
    /// Default keys, as [`Chord`] writes them.
    pub keys: &'static [&'static str],
    /// The command's view; `None` for the page's own.
    pub view: Option<View>,
    /// True if the command acts as long as its key is down.
    pub acts_while_down: bool,
    /// True if the command repeats while its key is down.
    pub repeats: bool,
}

impl CommandInfo {
    pub const fn of_page(id: &'static str, title: &'static str, keys: &'static [&'static str]) -> Self {
        Self { id, title, keys, view: None, acts_while_down: false, repeats: false }
    }

    pub const fn of_view(
        view: View,
        id: &'static str,
        title: &'static str,
        keys: &'static [&'static str],
    ) -> Self {
        Self { id, title, keys, view: Some(view), acts_while_down: false, repeats: false }
    }

    #[must_use]
    pub const fn while_down(self) -> Self {
        Self { acts_while_down: true, ..self }
    }

    #[must_use]
    pub const fn repeated(self) -> Self {
        Self { repeats: true, ..self }
    }
}

impl View {
    /// Creates a command that runs once per key press.
    pub const fn once<M: Copy>(
        self,
        id: &'static str,
        title: &'static str,
        keys: &'static [&'static str],
        meaning: M,
    ) -> (CommandInfo, M) {
        (CommandInfo::of_view(self, id, title, keys), meaning)
    }

    /// Creates a step that repeats while its key is down.
    pub const fn again<M: Copy>(
        self,
        id: &'static str,
        title: &'static str,
        keys: &'static [&'static str],
        meaning: M,
    ) -> (CommandInfo, M) {
        (CommandInfo::of_view(self, id, title, keys).repeated(), meaning)
    }

    /// Creates a movement that continues while its key is down.
    pub const fn while_down<M: Copy>(
        self,
        id: &'static str,
        title: &'static str,
        keys: &'static [&'static str],
        meaning: M,
    ) -> (CommandInfo, M) {
        (CommandInfo::of_view(self, id, title, keys).while_down(), meaning)
    }
}

pub fn meaning<M: Copy>(commands: &[(CommandInfo, M)], id: &str) -> Option<M> {
    commands.iter().find(|(command, _)| command.id == id).map(|(_, meaning)| *meaning)
}

/// Keys pressed together, in canonical form: `Ctrl+Shift+P`, `?`, `Alt+ArrowLeft`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Chord(String);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyModifiers {
    pub ctrl: bool,
    pub alt: bool,
    pub shift: bool,
}

impl Chord {
    /// Returns the chord of a `KeyboardEvent.key`. `None` for a modifier alone.
    pub fn from_key(key: &str, modifiers: KeyModifiers) -> Option<Self> {
        if key.is_empty()
            || matches!(key, "Control" | "Shift" | "Alt" | "Meta" | "AltGraph" | "Dead" | "Process")
        {
            return None;
        }
        let mut letters = key.chars();
        let single = letters.next().filter(|_| letters.next().is_none());
        let name = match single {
            Some(' ') => "Space".to_owned(),
            Some(letter) => letter.to_uppercase().collect(),
            None => key.to_owned(),
        };
        // For symbols such as `?` Shift is implied; for letters and named keys it counts.
        let shift = modifiers.shift && single.is_none_or(char::is_alphabetic);
        let mut text = String::new();
        for (name, _) in [("Ctrl+", modifiers.ctrl), ("Alt+", modifiers.alt), ("Shift+", shift)]
            .iter()
            .filter(|(_, down)| *down)
        {
            text.push_str(name);
        }
        Some(Self(text + &name))
    }

    pub fn from_text(text: &str) -> Self {
        Self(text.to_owned())
    }

    pub fn labels(&self) -> Vec<String> {
        let (modifiers, key) = match self.0.strip_suffix('+') {
            Some(modifiers) => (modifiers.trim_end_matches('+'), "+"),
            None => self.0.rsplit_once('+').unwrap_or(("", &self.0)),
        };
        let key = match key {
            "ArrowLeft" => "←",
            "ArrowRight" => "→",
            "ArrowUp" => "↑",
            "ArrowDown" => "↓",
            "Escape" => "Esc",
            "-" => "−",
            key => key,
        };
        modifiers.split('+').filter(|name| !name.is_empty()).chain([key]).map(str::to_owned).collect()
    }
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keymap {
    overrides: OrderedMap<String, Vec<Chord>>,
}

impl Keymap {
    pub fn keys(&self, command: &CommandInfo) -> Vec<Chord> {
        match self.overrides.get(command.id) {
            Some(keys) => keys.clone(),
            None => command.keys.iter().map(|key| Chord::from_text(key)).collect(),
        }
    }

    /// Returns a title that ends with a command's default key in brackets, with the user's key instead. The brackets are
    /// omitted if the command has no key.
    pub fn titled(&self, id: &str, title: &str) -> String {
        let (Some(keys), Some((text, _))) = (self.overrides.get(id), title.rsplit_once(" (")) else {
            return title.to_owned();
        };
        keys.first().map_or_else(|| text.to_owned(), |key| format!("{text} ({})", key.labels().join("+")))
    }

    /// Returns the command bound to a chord: one of the active view's, else the page's, else one of another visible
    /// view.
    pub fn find(
        &self,
        chord: &Chord,
        active: View,
        visible: &[View],
        commands: impl Iterator<Item = &'static CommandInfo>,
    ) -> Option<&'static CommandInfo> {
        let rank = |command: &CommandInfo| match command.view {
            Some(view) if view == active => Some(0),
            None => Some(1),
            Some(view) => visible.contains(&view).then_some(2),
        };
        let bound = commands.filter(|command| self.keys(command).contains(chord));
        let ranked = bound.filter_map(|command| Some((rank(command)?, command)));
        ranked.min_by_key(|(rank, _)| *rank).map(|(_, command)| command)
    }

    /// Binds a key to a command, and unbinds it from conflicting ones.
    pub fn set(
        &mut self,
        command: &CommandInfo,
        chord: Chord,
        commands: impl Iterator<Item = &'static CommandInfo>,
    ) {
        for other in commands.filter(|other| other.id != command.id) {
            let could_be_meant = other.view == command.view || other.view.is_none() || command.view.is_none();
            let mut keys = self.keys(other);
            if could_be_meant && keys.contains(&chord) {
                keys.retain(|key| *key != chord);
                self.overrides.insert(other.id.to_owned(), keys);
            }
        }
        self.overrides.insert(command.id.to_owned(), vec![chord]);
    }

    pub fn is_changed(&self, command: &CommandInfo) -> bool {
        self.overrides.contains_key(command.id)
    }

    pub fn is_standard(&self) -> bool {
        self.overrides.is_empty()
    }

    pub fn reset(&mut self, command: &CommandInfo) {
        self.overrides.remove(command.id);
    }

    /// Returns the stored form; `None` for the defaults.
    pub fn to_stored(&self) -> Option<String> {
        let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
        let entries = self.overrides.iter().map(|(id, keys)| {
            let keys: Vec<String> = keys.iter().map(|key| quoted(&key.0)).collect();
            format!("{}:[{}]", quoted(id), keys.join(","))
        });
        let entries: Vec<String> = entries.collect();
        (!entries.is_empty()).then(|| format!("{{{}}}", entries.join(",")))
    }

    /// Parses the stored form; an invalid one is ignored.
    pub fn from_stored(text: Option<&str>) -> Self {
        let read = text.and_then(|text| json::read::<OrderedMap<String, Vec<String>>>(text).ok());
        let overrides = read.unwrap_or_default();
        let chords = |keys: &Vec<String>| keys.iter().cloned().map(Chord).collect();
        Self { overrides: overrides.iter().map(|(id, keys)| (id.clone(), chords(keys))).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMELINE: View = View::new("timeline");
    const CALLS: View = View::new("calls");

    static COMMANDS: [CommandInfo; 4] = [
        CommandInfo::of_page("page.help", "Help", &["?"]),
        CommandInfo::of_view(TIMELINE, "timeline.in", "In", &["W", "+"]).while_down(),
        CommandInfo::of_view(CALLS, "calls.next", "Next", &["W"]),
        CommandInfo::of_page("page.palette", "Palette", &["Ctrl+P", "Ctrl+Shift+P"]),
    ];

    fn chord(key: &str, ctrl: bool, shift: bool) -> String {
        Chord::from_key(key, KeyModifiers { ctrl, shift, alt: false }).unwrap().to_string()
    }

    #[test]
    fn a_chord_is_written_in_one_way() {
        assert_eq!(chord("w", false, false), "W");
        assert_eq!(chord("W", false, false), "W", "with caps lock");
        assert_eq!(chord("P", true, true), "Ctrl+Shift+P");
        assert_eq!(chord("?", false, true), "?");
        assert_eq!(chord("F6", false, true), "Shift+F6");
        assert_eq!(chord(" ", false, false), "Space");
        assert_eq!(Chord::from_key("Shift", KeyModifiers::default()), None);
        let labels = |text: &str| Chord::from_text(text).labels().join(" ");
        assert_eq!(labels("Alt+ArrowLeft"), "Alt ←");
        assert_eq!((labels("+"), labels("Ctrl++"), labels("-")), ("+".into(), "Ctrl +".into(), "−".into()));
    }

    #[test]
    fn the_active_view_comes_first_and_hidden_ones_hear_nothing() {
        let keymap = Keymap::default();
        let find = |key: &str, active, shown: &[View]| {
            keymap.find(&Chord::from_text(key), active, shown, COMMANDS.iter()).map(|command| command.id)
        };
        let both = [TIMELINE, CALLS];
        assert_eq!(find("W", TIMELINE, &both), Some("timeline.in"));
        assert_eq!(find("W", CALLS, &both), Some("calls.next"));
        assert_eq!(find("+", CALLS, &both), Some("timeline.in"));
        assert_eq!(find("+", CALLS, &[CALLS]), None);
        assert_eq!(find("?", CALLS, &both), Some("page.help"));
    }

    #[test]
    fn changed_keys_are_kept_and_taken_from_others() {
        let mut keymap = Keymap::default();
        assert_eq!(keymap.to_stored(), None);
        keymap.set(&COMMANDS[0], Chord::from_text("W"), COMMANDS.iter());
        assert_eq!(keymap.keys(&COMMANDS[0]), [Chord::from_text("W")]);
        assert_eq!(keymap.keys(&COMMANDS[1]), [Chord::from_text("+")]);
        assert_eq!(keymap.titled("page.help", "Help (?)"), "Help (W)");
        assert_eq!(keymap.titled("page.palette", "Palette (Ctrl+P)"), "Palette (Ctrl+P)");
        assert_eq!(keymap.titled("page.help", "Help"), "Help", "without a key");
        keymap.set(&COMMANDS[3], Chord::from_text("Alt+ArrowUp"), COMMANDS.iter());
        keymap.set(&COMMANDS[0], Chord::from_text("Alt+ArrowUp"), COMMANDS.iter());
        assert_eq!(keymap.titled("page.palette", "Palette (Ctrl+P)"), "Palette", "it has no key");
        assert_eq!(keymap.titled("page.help", "Help (?)"), "Help (Alt+↑)");
        let mut stored = Keymap::from_stored(keymap.to_stored().as_deref());
        assert_eq!(stored, keymap);
        for command in &COMMANDS {
            stored.reset(command);
        }
        assert!(stored.is_standard());
        assert!(Keymap::from_stored(Some("{broken")).is_standard());
    }
}

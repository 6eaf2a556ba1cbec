//! Key bindings: keys run commands, wherever the focus is.

use leptos::ev;
use web_sys::KeyboardEvent;

use crate::browser::{focus, is_mac, key_is_taken, window};
use crate::components::local::LocalFiles;
use crate::components::theme::ThemeContext;
use crate::reactive::*;
use crate::shell::commands::{self, Command};
use crate::shell::menu::open_at_focus;
use crate::shell::{panel, share};
use crate::state::call::{Call, Overlay, Phase};
use crate::state::keys::{Chord, CommandInfo, KeyModifiers};
use crate::state::session::Session;
use crate::state::url::Panel;
use crate::state::view::View;
use crate::views::{VIEWS, is_offered, title};

/// Targets of commands besides the session.
#[derive(Clone, Copy)]
pub(crate) struct Tools {
    theme: ThemeContext,
    local: LocalFiles,
}

impl Tools {
    pub(crate) fn from_context() -> Self {
        Self { theme: expect_context(), local: expect_context() }
    }
}

pub(crate) fn listen(session: Session) {
    // Commands whose keys are down, with the physical key. The focus may move before the key is up.
    let down = StoredValue::new(Vec::<(String, &'static CommandInfo, View, Session)>::new());
    let tools = Tools::from_context();
    let keydown = window_event_listener(ev::keydown, move |event: KeyboardEvent| {
        let Some(command) = command_for(session, &event) else { return };
        event.prevent_default();
        if event.repeat() {
            if let Some(view) = command.view.filter(|_| command.repeats) {
                target_session(session, view).call(view, Call::Command(command, Phase::Repeat));
            }
            return;
        }
        if let Some(view) = command.view.filter(|_| command.acts_while_down) {
            let target = target_session(session, view);
            down.update_value(|down| {
                down.retain(|(code, ..)| *code != event.code());
                down.push((event.code(), command, view, target));
            });
        }
        call(session, tools, command);
    });
    let release = move |is_up: &dyn Fn(&str) -> bool| {
        let mut released = Vec::new();
        down.update_value(|down| released.extend(down.extract_if(.., |(code, ..)| is_up(code))));
        for (_, command, view, target) in released {
            target.call(view, Call::Command(command, Phase::Release));
        }
    };
    let keyup = window_event_listener(ev::keyup, move |event: KeyboardEvent| {
        let code = event.code();
        release(&|down| down == code);
    });
    let blur = window_event_listener(ev::blur, move |_| release(&|_| true));
    on_cleanup(move || {
        keydown.remove();
        keyup.remove();
        blur.remove();
    });
}

pub(super) fn modifiers(event: &KeyboardEvent) -> KeyModifiers {
    KeyModifiers {
        ctrl: event.ctrl_key() || event.meta_key(),
        // Option+5 is the way to `[` on some keyboards of a Mac.
        alt: event.alt_key() && !(is_mac() && event.key().chars().count() == 1),
        shift: event.shift_key(),
    }
}

fn command_for(session: Session, event: &KeyboardEvent) -> Option<&'static CommandInfo> {
    let modifiers = modifiers(event);
    let may_be_text = !modifiers.ctrl && (!modifiers.alt || is_mac());
    if event.default_prevented() || (may_be_text && key_is_taken(event)) {
        return None;
    }
    // Escape also ends a drag for which Ctrl or Shift is still held.
    let modifiers = if event.key() == "Escape" { KeyModifiers::default() } else { modifiers };
    let chord = Chord::from_key(&event.key(), modifiers)?;
    let mut active = session.active.get_untracked();
    let mut views = session.panes.with_untracked(|panes| panes.views());
    // If a guest trace within a view has the focus, its view's keys take precedence over the page's.
    if session.focused_guest.with_untracked(Option::is_some) {
        views.insert(0, active);
        active = VIEWS.first;
    }
    let command =
        session.keymap.with_untracked(|keymap| keymap.find(&chord, active, &views, commands::all()))?;
    // While an overlay is open, only the page's commands that close it run.
    let is_covered = session.overlay.with_untracked(Option::is_some);
    let closes_overlay =
        || matches!(commands::meaning(command.id), Some(Command::Clear | Command::Help | Command::Palette));
    (!is_covered || closes_overlay()).then_some(command)
}

/// Returns the session of the view's trace: the page's own, or the focused guest.
fn target_session(session: Session, view: View) -> Session {
    session.focused_guest.get_untracked().filter(|_| view == VIEWS.first).unwrap_or(session)
}

pub(crate) fn call(session: Session, tools: Tools, command: &'static CommandInfo) {
    if let Some(view) = commands::view_of(command).filter(|view| !is_offered(*view, &session.info())) {
        session.announcement.set(format!("This trace has no data for the view {}.", title(view)));
        return;
    }
    if let Some(view) = command.view {
        let session = target_session(session, view);
        session.show(view);
        session.call(view, Call::Command(command, Phase::Press));
        return;
    }
    let Some(command) = commands::meaning(command.id) else { return };
    let active = session.active.get_untracked();
    match command {
        Command::Palette => toggle(session, Overlay::Palette),
        Command::Help => toggle(session, Overlay::Help),
        Command::Contents => toggle(session, Overlay::Contents),
        Command::Back => session.back(),
        Command::Forward => session.forward(),
        Command::Clear => clear(session),
        Command::Show(view) => session.show(view),
        Command::NextPane => step(session, 1),
        Command::PreviousPane => step(session, -1),
        Command::Only => session.only(active),
        Command::Close => session.close(active),
        Command::Panel => panel::toggle(session),
        Command::Open => tools.local.choose(),
        Command::Larger => tools.theme.scale_text(1),
        Command::Smaller => tools.theme.scale_text(-1),
        Command::Theme => tools.theme.next(),
        Command::Menu => open_at_focus(session),
        Command::Link => share::copy_link(session),
        Command::Share => toggle(session, Overlay::Share),
        Command::Comment => panel::comments::begin(session),
        Command::HandOver(viewer) => share::hand_over(session, viewer),
        Command::Export(format) => share::download(session, format),
        Command::Recording => share::download_recording(session),
        Command::Report => share::open_report(session),
        Command::Print => {
            // A browser that can't print does nothing.
            let _ = window().print();
        }
    }
}

fn toggle(session: Session, overlay: Overlay) {
    let is_open = session.overlay.get_untracked() == Some(overlay);
    session.overlay.set((!is_open).then_some(overlay));
}

/// Closes the overlay; else cancels the active view's operation; else clears the selection or the area, starting with
/// the content of the open panel.
fn clear(session: Session) {
    if session.overlay.with_untracked(Option::is_some) {
        session.overlay.set(None);
        return;
    }
    let guest = session.focused_guest.get_untracked();
    let was_cancelled = guest.is_some_and(|guest| guest.call(VIEWS.first, Call::BreakOff))
        || session.call(session.active.get_untracked(), Call::BreakOff);
    if was_cancelled {
        return;
    }
    let owner = guest.unwrap_or(session);
    let has_selection = session.selection.with_untracked(Option::is_some);
    if has_selection && session.panel.get_untracked() != Panel::Area {
        session.select(None);
    } else if owner.time.with_untracked(|time| time.area.is_some()) {
        owner.put_area(None);
    } else {
        session.select(None);
    }
}

fn step(session: Session, by: isize) {
    let views = session.panes.with_untracked(|panes| panes.views());
    let at = views.iter().position(|view| *view == session.active.get_untracked()).unwrap_or(0);
    let next = (at as isize + by).rem_euclid(views.len().max(1) as isize) as usize;
    if let Some(view) = views.get(next) {
        session.activate(*view);
        focus(&format!("[data-testid=pane-{}] [tabindex='0']", view.as_str()));
    }
}

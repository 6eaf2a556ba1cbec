//! What a view gives to the page: an entry of the table that stands between the views and what is around them.

#[cfg(target_arch = "wasm32")]
use std::rc::Rc;

#[cfg(target_arch = "wasm32")]
use syclscope_language::api::ObjectHistory;

#[cfg(target_arch = "wasm32")]
use crate::reactive::AnyView;
use crate::state::call::Goal;
#[cfg(target_arch = "wasm32")]
use crate::state::call::Handler;
use crate::state::keys::CommandInfo;
#[cfg(target_arch = "wasm32")]
use crate::state::selection::Selection;
#[cfg(target_arch = "wasm32")]
use crate::state::session::Session;
use crate::state::url::Panel;
#[cfg(test)]
use crate::state::url::part::AddressPart;
use crate::state::url::part::ViewState;
use crate::state::view::View;

/// Keys and a movement of the pointer, and what they do.
pub type PointerLine = (&'static [&'static str], &'static str);

/// What the page knows of a view.
#[derive(Debug)]
pub struct Plug {
    pub view: View,
    /// Its name for people.
    pub title: &'static str,
    /// The page's command that shows it.
    pub show: CommandInfo,
    /// Its own commands by their number, from zero on without a gap. What carries them out is in what `start` gives.
    pub commands: fn(usize) -> Option<&'static CommandInfo>,
    /// What the pointer does in it, for the help.
    pub pointer_help: &'static [PointerLine],
    /// What else the help says of it: titles and texts.
    pub remarks: &'static [(&'static str, &'static str)],
    /// What it has in the address; `None` for a view that always opens as at first.
    pub address: Option<Address>,
    /// What it can show when somebody wants to see it.
    pub can_show: fn(&Goal) -> bool,
    /// What the panel would only repeat while it is on screen.
    pub repeats: &'static [Panel],
    /// Called once for a trace's page, before anything is on screen.
    #[cfg(target_arch = "wasm32")]
    pub(crate) start: fn(Session) -> Running,
    /// How it tells the panel of a buffer, an image or USM that is selected.
    #[cfg(target_arch = "wasm32")]
    pub object_details: Option<fn(ObjectHistory, Selection) -> AnyView>,
}

/// A view of a trace's page.
#[cfg(target_arch = "wasm32")]
pub struct Running {
    /// Makes what its pane shows; called whenever the view comes on screen.
    pub mount: Box<dyn Fn() -> AnyView>,
    /// Carries out its commands and whatever else it is asked for.
    pub handle: Handler,
}

#[cfg(target_arch = "wasm32")]
impl Running {
    /// A view without commands, which nobody asks for anything.
    pub(crate) fn passive(mount: fn() -> AnyView) -> Self {
        Self { mount: Box::new(mount), handle: Rc::new(|_| false) }
    }
}

/// What kind of part a view has in the address.
#[derive(Clone, Copy, Debug)]
pub struct Address {
    /// Makes the session's slot for it.
    #[cfg(target_arch = "wasm32")]
    pub(crate) open: fn(Session),
    /// One as at first.
    #[cfg(test)]
    pub fresh: fn() -> Box<dyn AddressPart>,
}

impl Address {
    pub const fn of<S: ViewState>() -> Self {
        Self {
            #[cfg(target_arch = "wasm32")]
            open: Session::open_slot::<S>,
            #[cfg(test)]
            fresh: || Box::new(S::default()),
        }
    }
}

/// The commands of a view that has none.
pub fn no_commands(_number: usize) -> Option<&'static CommandInfo> {
    None
}

/// What a view can show that waits for nobody's wish.
pub fn shows_nothing(_goal: &Goal) -> bool {
    false
}

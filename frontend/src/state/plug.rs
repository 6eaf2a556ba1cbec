//! What a view gives to the page: an entry of the table that stands between the views and what is around them.

#[cfg(target_arch = "wasm32")]
use std::pin::Pin;
#[cfg(target_arch = "wasm32")]
use std::rc::Rc;

#[cfg(target_arch = "wasm32")]
use leptos::wasm_split::SplitLoaderError;
#[cfg(target_arch = "wasm32")]
use syclscope_language::api::ObjectHistory;

#[cfg(target_arch = "wasm32")]
use crate::reactive::*;
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
    /// Whether it tells the panel of a buffer, an image or USM that is selected.
    pub tells_of_objects: bool,
    /// What it does, and when that is loaded.
    #[cfg(target_arch = "wasm32")]
    pub(crate) code: ViewCode,
}

/// When the code of a view is loaded.
#[cfg(target_arch = "wasm32")]
#[derive(Clone, Copy, Debug)]
pub(crate) enum ViewCode {
    /// With the page.
    Here(Code),
    /// When the view is needed first, from a module of its own.
    Later(fn() -> LoadingCode),
}

/// The code of a view.
#[cfg(target_arch = "wasm32")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code {
    /// Called once for a trace's page, before the view is on screen.
    pub(crate) start: fn(Session) -> Running,
    /// How it tells the panel of a buffer, an image or USM that is selected.
    pub(crate) object_details: fn(ObjectHistory, Selection) -> AnyView,
}

#[cfg(target_arch = "wasm32")]
impl Code {
    /// That of a view that tells nothing of objects.
    pub(crate) const fn of(start: fn(Session) -> Running) -> Self {
        Self { start, object_details: |_, _| ().into_any() }
    }
}

/// Code on its way.
#[cfg(target_arch = "wasm32")]
pub(crate) type LoadingCode = Pin<Box<dyn Future<Output = Result<Code, SplitLoaderError>>>>;

/// [`ViewCode`] in the module `$name`, which is loaded when the view is needed. Where the page is built as one module, it is
/// in that.
#[cfg(target_arch = "wasm32")]
macro_rules! later {
    ($name:ident, $code:expr) => {{
        use crate::state::plug::{Code, LoadingCode, ViewCode};

        #[cfg_attr(
                        split,
                        leptos::wasm_split::wasm_split($name, wasm_split_path = leptos::wasm_split, fallible)
                    )]
        fn load() -> Result<Code, leptos::wasm_split::SplitLoaderError> {
            Ok($code)
        }
        fn begin() -> LoadingCode {
            #[cfg(not(split))]
            return Box::pin(std::future::ready(load()));
            #[cfg(split)]
            Box::pin(load())
        }
        ViewCode::Later(begin)
    }};
}
#[cfg(target_arch = "wasm32")]
pub(crate) use later;

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

//! Interface of a view to the page: its entry in the table of views.

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

/// Keys or a pointer movement, and their effect.
pub type PointerLine = (&'static [&'static str], &'static str);

#[derive(Debug)]
pub struct ViewDescriptor {
    pub view: View,
    pub title: &'static str,
    pub show: CommandInfo,
    /// The view's own commands by index, from zero without a gap. The handler from `start` runs them.
    pub commands: fn(usize) -> Option<&'static CommandInfo>,
    pub pointer_help: &'static [PointerLine],
    /// Further sections of the help: titles and texts.
    pub remarks: &'static [(&'static str, &'static str)],
    /// The view's part of the address; `None` if it has no state there.
    pub address: Option<Address>,
    pub can_show: fn(&Goal) -> bool,
    /// Panel tabs that would only repeat the view.
    pub repeats: &'static [Panel],
    /// True if the view supplies the details of a selected buffer, image or USM.
    pub tells_of_objects: bool,
    #[cfg(target_arch = "wasm32")]
    pub(crate) code: ViewCode,
}

#[cfg(target_arch = "wasm32")]
#[derive(Clone, Copy, Debug)]
pub(crate) enum ViewCode {
    Here(Code),
    /// Loaded on first use, from a separate module.
    Later(fn() -> Loading<Code>),
}

#[cfg(target_arch = "wasm32")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code {
    /// Called once per trace page, before the view is on screen.
    pub(crate) start: fn(Session) -> Running,
    pub(crate) object_details: fn(ObjectHistory, Selection) -> AnyView,
}

#[cfg(target_arch = "wasm32")]
impl Code {
    /// Creates the code of a view without object details.
    pub(crate) const fn new(start: fn(Session) -> Running) -> Self {
        Self { start, object_details: |_, _| ().into_any() }
    }
}

#[cfg(target_arch = "wasm32")]
pub(crate) type Loading<T> = Pin<Box<dyn Future<Output = Result<T, SplitLoaderError>>>>;

/// [`ViewCode`] in the module `$name`, which is loaded on first use.
#[cfg(target_arch = "wasm32")]
macro_rules! later {
    ($name:ident, $code:expr) => {{
        use crate::state::view_descriptor::{Code, ViewCode, loading};

        ViewCode::Later(loading!($name, Code, $code))
    }};
}
#[cfg(target_arch = "wasm32")]
pub(crate) use later;

/// A function that loads the module `$name` and returns its `$code`; the page is busy until then. A page built as one
/// module contains the code already.
#[cfg(target_arch = "wasm32")]
macro_rules! loading {
    ($name:ident, $type:ty, $code:expr) => {{
        #[cfg_attr(
                        split,
                        leptos::wasm_split::wasm_split($name, wasm_split_path = leptos::wasm_split, fallible)
                    )]
        fn load() -> Result<$type, leptos::wasm_split::SplitLoaderError> {
            Ok($code)
        }
        fn begin() -> crate::state::view_descriptor::Loading<$type> {
            let busy = crate::idle::Busy::start();
            #[cfg(not(split))]
            let loading = std::future::ready(load());
            #[cfg(split)]
            let loading = load();
            Box::pin(async move {
                let _busy = busy;
                loading.await
            })
        }
        begin
    }};
}
#[cfg(target_arch = "wasm32")]
pub(crate) use loading;

#[cfg(target_arch = "wasm32")]
pub struct Running {
    /// Builds the pane's content; called whenever the view appears on screen.
    pub mount: Box<dyn Fn() -> AnyView>,
    pub handle: Handler,
}

#[cfg(target_arch = "wasm32")]
impl Running {
    pub(crate) fn passive(mount: fn() -> AnyView) -> Self {
        Self { mount: Box::new(mount), handle: Rc::new(|_| false) }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Address {
    #[cfg(target_arch = "wasm32")]
    pub(crate) open: fn(Session),
    #[cfg(test)]
    pub fresh: fn() -> Box<dyn AddressPart>,
}

impl Address {
    pub const fn new<S: ViewState>() -> Self {
        Self {
            #[cfg(target_arch = "wasm32")]
            open: Session::open_slot::<S>,
            #[cfg(test)]
            fresh: || Box::new(S::default()),
        }
    }
}

pub fn no_commands(_number: usize) -> Option<&'static CommandInfo> {
    None
}

/// Returns false: the `can_show` of views that support no goals.
pub fn shows_nothing(_goal: &Goal) -> bool {
    false
}

use crate::state::keys::CommandInfo;
use crate::state::url::Panel;
#[cfg(target_arch = "wasm32")]
use crate::state::view_descriptor::later;
use crate::state::view_descriptor::{Address, ViewDescriptor, no_commands, shows_nothing};
use crate::views::summary::ID;
use crate::views::summary::state::SummaryState;
#[cfg(target_arch = "wasm32")]
use crate::views::summary::view::start;

pub static DESCRIPTOR: ViewDescriptor = ViewDescriptor {
    view: ID,
    title: "Summary",
    show: CommandInfo::of_page("page.summary", "Show summary", &["1"]),
    commands: no_commands,
    pointer_help: &[],
    remarks: &[],
    address: Some(Address::new::<SummaryState>()),
    can_show: shows_nothing,
    repeats: &[Panel::Kernels],
    tells_of_objects: false,
    #[cfg(target_arch = "wasm32")]
    code: later!(others, Code::new(start)),
};

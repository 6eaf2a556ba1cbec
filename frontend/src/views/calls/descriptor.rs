use crate::state::keys::CommandInfo;
#[cfg(target_arch = "wasm32")]
use crate::state::view_descriptor::later;
use crate::state::view_descriptor::{Address, ViewDescriptor, no_commands, shows_nothing};
use crate::views::calls::ID;
use crate::views::calls::state::CallsState;
#[cfg(target_arch = "wasm32")]
use crate::views::calls::view::start;

pub static DESCRIPTOR: ViewDescriptor = ViewDescriptor {
    view: ID,
    title: "Calls",
    show: CommandInfo::of_page("page.calls", "Show calls", &["6"]),
    commands: no_commands,
    pointer_help: &[],
    remarks: &[],
    address: Some(Address::new::<CallsState>()),
    can_show: shows_nothing,
    repeats: &[],
    tells_of_objects: false,
    #[cfg(target_arch = "wasm32")]
    code: later!(others, Code::new(start)),
};

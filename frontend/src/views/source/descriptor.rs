use crate::state::call::Goal;
use crate::state::keys::CommandInfo;
#[cfg(target_arch = "wasm32")]
use crate::state::view_descriptor::later;
use crate::state::view_descriptor::{Address, ViewDescriptor, no_commands};
use crate::views::source::ID;
use crate::views::source::state::OpenedFile;
#[cfg(target_arch = "wasm32")]
use crate::views::source::view::start;

pub static DESCRIPTOR: ViewDescriptor = ViewDescriptor {
    view: ID,
    title: "Source",
    show: CommandInfo::of_page("page.source", "Show source", &["5"]),
    commands: no_commands,
    pointer_help: &[],
    remarks: &[],
    address: Some(Address::new::<OpenedFile>()),
    can_show: |goal| matches!(goal, Goal::Line | Goal::File(_)),
    repeats: &[],
    tells_of_objects: false,
    #[cfg(target_arch = "wasm32")]
    code: later!(others, Code::new(start)),
};

use crate::state::call::Goal;
use crate::state::keys::CommandInfo;
#[cfg(target_arch = "wasm32")]
use crate::state::view_descriptor::later;
use crate::state::view_descriptor::{Address, ViewDescriptor};
use crate::views::memory::ID;
use crate::views::memory::keys::{COMMANDS, POINTER_HELP};
use crate::views::memory::state::MemoryState;
#[cfg(target_arch = "wasm32")]
use crate::views::memory::view::{object_details, start};

pub static DESCRIPTOR: ViewDescriptor = ViewDescriptor {
    view: ID,
    title: "Memory",
    show: CommandInfo::of_page("page.memory", "Show memory", &["4"]),
    commands: |number| COMMANDS.get(number).map(|(command, _)| command),
    pointer_help: &POINTER_HELP,
    remarks: &[],
    address: Some(Address::new::<MemoryState>()),
    can_show: |goal| matches!(goal, Goal::MemoryAt(_) | Goal::Unreleased),
    repeats: &[],
    tells_of_objects: true,
    #[cfg(target_arch = "wasm32")]
    code: later!(memory, Code { start, object_details }),
};

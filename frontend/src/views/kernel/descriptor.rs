use crate::state::call::Goal;
use crate::state::keys::CommandInfo;
#[cfg(target_arch = "wasm32")]
use crate::state::view_descriptor::later;
use crate::state::view_descriptor::{Address, ViewDescriptor};
use crate::views::kernel::ID;
use crate::views::kernel::keys::COMMANDS;
use crate::views::kernel::state::KernelState;
#[cfg(target_arch = "wasm32")]
use crate::views::kernel::view::start;

pub static DESCRIPTOR: ViewDescriptor = ViewDescriptor {
    view: ID,
    title: "Kernel",
    show: CommandInfo::of_page("page.kernel", "Show kernel", &["7"]),
    commands: |number| COMMANDS.get(number).map(|(command, _)| command),
    pointer_help: &[
        (&["drag"], "Select a range of durations"),
        (&["click"], "Over time: select an execution"),
    ],
    remarks: &[],
    address: Some(Address::new::<KernelState>()),
    can_show: |goal| matches!(goal, Goal::Kernel(_)),
    repeats: &[],
    tells_of_objects: false,
    #[cfg(target_arch = "wasm32")]
    code: later!(others, Code::new(start)),
};

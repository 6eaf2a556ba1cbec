use crate::state::keys::CommandInfo;
#[cfg(target_arch = "wasm32")]
use crate::state::view_descriptor::later;
use crate::state::view_descriptor::{Address, ViewDescriptor, shows_nothing};
use crate::views::graph::ID;
use crate::views::graph::keys::{COMMANDS, POINTER_HELP};
use crate::views::graph::state::GraphState;
#[cfg(target_arch = "wasm32")]
use crate::views::graph::view::start;

pub static DESCRIPTOR: ViewDescriptor = ViewDescriptor {
    view: ID,
    title: "Graph",
    show: CommandInfo::of_page("page.graph", "Show task graph", &["3"]),
    commands: |number| COMMANDS.get(number).map(|(command, _)| command),
    pointer_help: &POINTER_HELP,
    remarks: &[],
    address: Some(Address::new::<GraphState>()),
    can_show: shows_nothing,
    repeats: &[],
    tells_of_objects: false,
    #[cfg(target_arch = "wasm32")]
    code: later!(graph, Code::new(start)),
};

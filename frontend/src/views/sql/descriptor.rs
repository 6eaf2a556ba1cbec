use crate::state::keys::CommandInfo;
#[cfg(target_arch = "wasm32")]
use crate::state::view_descriptor::later;
use crate::state::view_descriptor::{Address, ViewDescriptor, no_commands, shows_nothing};
use crate::views::sql::ID;
use crate::views::sql::state::SqlState;
#[cfg(target_arch = "wasm32")]
use crate::views::sql::view::start;

pub static DESCRIPTOR: ViewDescriptor = ViewDescriptor {
    view: ID,
    title: "SQL",
    show: CommandInfo::of_page("page.sql", "Select rows with SQL", &["9"]),
    commands: no_commands,
    pointer_help: &[],
    remarks: &[],
    address: Some(Address::new::<SqlState>()),
    can_show: shows_nothing,
    repeats: &[],
    tells_of_objects: false,
    #[cfg(target_arch = "wasm32")]
    code: later!(sql, Code::new(start)),
};

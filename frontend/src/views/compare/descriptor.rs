use crate::state::keys::CommandInfo;
use crate::state::url::Panel;
#[cfg(target_arch = "wasm32")]
use crate::state::view_descriptor::later;
use crate::state::view_descriptor::{Address, ViewDescriptor, shows_nothing};
use crate::views::compare::ID;
use crate::views::compare::keys::COMMANDS;
use crate::views::compare::state::CompareState;
#[cfg(target_arch = "wasm32")]
use crate::views::compare::view::start;

pub static DESCRIPTOR: ViewDescriptor = ViewDescriptor {
    view: ID,
    title: "Compare",
    show: CommandInfo::of_page("page.compare", "Compare with another run", &["8"]),
    commands: |number| COMMANDS.get(number).map(|(command, _)| command),
    pointer_help: &[
        (&["click"], "Select a row: its commands one by one, and the first of them in every view"),
        (&["drag"], "In a timeline: move through time, in both"),
        (
            &["click"],
            "In a timeline: select a command, in both; the keys are those of the view Timeline then",
        ),
        (&["drop"], "A recording on this page: compare with it; of several the others are further runs"),
    ],
    remarks: &[
        (
            "Sides",
            "A is what was before, B what is now. This trace is A until you swap the sides; a ratio above 1 says that B takes \
             longer.",
        ),
        (
            "Is it real?",
            "One run of each side shows differences, but not their significance: record five of each, and run syclscope compare.",
        ),
    ],
    address: Some(Address::new::<CompareState>()),
    can_show: shows_nothing,
    repeats: &[Panel::Kernels],
    tells_of_objects: false,
    #[cfg(target_arch = "wasm32")]
    code: later!(compare, Code::new(start)),
};

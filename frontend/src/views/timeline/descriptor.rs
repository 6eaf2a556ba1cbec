use crate::state::call::Goal;
use crate::state::keys::CommandInfo;
use crate::state::view_descriptor::{Address, ViewDescriptor};
#[cfg(target_arch = "wasm32")]
use crate::state::view_descriptor::{Code, ViewCode};
use crate::views::timeline::ID;
use crate::views::timeline::keys::{COMMANDS, POINTER_HELP};
use crate::views::timeline::state::TimelineState;
#[cfg(target_arch = "wasm32")]
use crate::views::timeline::view::start;

pub static DESCRIPTOR: ViewDescriptor = ViewDescriptor {
    view: ID,
    title: "Timeline",
    show: CommandInfo::of_page("page.timeline", "Show timeline", &["2"]),
    commands: |number| COMMANDS.get(number).map(|(command, _)| command),
    pointer_help: &POINTER_HELP,
    remarks: &[(
        "Overview",
        "The strip at the top shows the whole run. Drag the brush to move it, drag its edges to resize it, or drag \
         elsewhere to select a range. The wheel zooms.",
    )],
    address: Some(Address::new::<TimelineState>()),
    can_show: |goal| {
        matches!(
            goal,
            Goal::Time
                | Goal::Slice(_)
                | Goal::Track(_)
                | Goal::Range(..)
                | Goal::Object(_)
                | Goal::Matches(_)
        )
    },
    repeats: &[],
    tells_of_objects: false,
    #[cfg(target_arch = "wasm32")]
    code: ViewCode::Here(Code::new(start)),
};

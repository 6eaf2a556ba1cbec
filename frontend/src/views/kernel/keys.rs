use crate::state::keys::CommandInfo;
use crate::views::kernel::ID;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    Next,
    Previous,
    Pick,
    Timeline,
}

pub static COMMANDS: [(CommandInfo, Command); 4] = [
    ID.again("kernel.next", "Next kernel by device time", &["."], Command::Next),
    ID.again("kernel.previous", "Previous kernel by device time", &[","], Command::Previous),
    ID.once("kernel.pick", "Go to the list of kernels", &["/"], Command::Pick),
    ID.once("kernel.timeline", "Find these executions in the timeline", &["E"], Command::Timeline),
];

use crate::state::keys::CommandInfo;
use crate::views::compare::ID;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    Swap,
    Other,
    Filter,
    Next,
    Previous,
    Timeline,
}

pub static COMMANDS: [(CommandInfo, Command); 6] = [
    ID.once("compare.swap", "Swap the sides: before and now", &["X"], Command::Swap),
    ID.once("compare.other", "Choose another trace to compare with", &["O"], Command::Other),
    ID.once("compare.filter", "Filter the compared commands", &["/"], Command::Filter),
    ID.again("compare.next", "Next row", &["."], Command::Next),
    ID.again("compare.previous", "Previous row", &[","], Command::Previous),
    ID.once("compare.timeline", "Show selection in timeline", &["E"], Command::Timeline),
];

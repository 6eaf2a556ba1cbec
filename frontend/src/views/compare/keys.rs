//! What the keys of the compare view do.

use crate::state::keys::CommandInfo;
use crate::views::compare::ID;

/// Something that a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Makes what was before what is now.
    Swap,
    /// Goes back to the choice of the other trace.
    Other,
    /// Goes to the filter of the commands.
    Filter,
    /// The row after this one.
    Next,
    /// The row before it.
    Previous,
    /// Shows what is selected over time.
    Timeline,
}

/// The commands and what each does.
pub static COMMANDS: [(CommandInfo, Command); 6] = [
    ID.once("compare.swap", "Swap the sides: before and now", &["X"], Command::Swap),
    ID.once("compare.other", "Choose another trace to compare with", &["O"], Command::Other),
    ID.once("compare.filter", "Filter the compared commands", &["/"], Command::Filter),
    ID.again("compare.next", "Next row", &["."], Command::Next),
    ID.again("compare.previous", "Previous row", &[","], Command::Previous),
    ID.once("compare.timeline", "Show selection in timeline", &["E"], Command::Timeline),
];

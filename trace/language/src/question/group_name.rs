//! Names of node groups.

use std::fmt;
use std::str::FromStr;

/// Name of a group: number of its first node and number of nodes (`12x500`), or `12` for a single node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupName {
    /// Number of the first node.
    pub node: u64,
    /// Number of nodes.
    pub count: u64,
}

impl fmt::Display for GroupName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            1 => write!(f, "{}", self.node),
            count => write!(f, "{}x{count}", self.node),
        }
    }
}

/// Parse error of a group name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "not the name of a group of nodes: {0} (expected the first node's number, x and the number of nodes)"
)]
pub struct GroupNameError(String);

impl FromStr for GroupName {
    type Err = GroupNameError;

    fn from_str(text: &str) -> Result<Self, GroupNameError> {
        let (node, count) = text.split_once('x').unwrap_or((text, "1"));
        let name = node.parse().ok().zip(count.parse().ok().filter(|count| *count > 0));
        let (node, count) = name.ok_or_else(|| GroupNameError(text.to_owned()))?;
        Ok(Self { node, count })
    }
}

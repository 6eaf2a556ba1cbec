//! Groups of nodes: each is one node of a folded graph.
//!
//! A group is named by its first member and its size ([`GroupName`](syclscope_language::question::GroupName)).
//! Unfolded, it is replaced by its members; if there are more than [`PARTS`], by at most that many groups of
//! consecutive members, which unfold in turn.

use crate::id::{NONE, some};

/// Maximum number of nodes into which one group unfolds.
pub const PARTS: usize = 50;

/// A partition of nodes into groups. Members are ordered by time, groups by their first members.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    /// Members of each group, group by group.
    members: Vec<u32>,
    starts: Vec<u32>,
    group_of: Vec<u32>,
}

impl Groups {
    /// Returns groups of nodes with equal keys. `order` lists the grouped nodes by time.
    pub(crate) fn new(order: &[u32], key: &[u32]) -> Self {
        let kinds = order.iter().map(|node| key[*node as usize] as usize + 1).max().unwrap_or(0);
        let mut number = vec![NONE; kinds];
        let mut sizes: Vec<u32> = Vec::new();
        for node in order {
            let number = &mut number[key[*node as usize] as usize];
            if *number == NONE {
                *number = sizes.len() as u32;
                sizes.push(0);
            }
            sizes[*number as usize] += 1;
        }
        let mut starts = vec![0];
        starts.extend(sizes.iter().scan(0, |end, size| {
            *end += size;
            Some(*end)
        }));
        let mut next = starts.clone();
        let mut groups = Self { members: vec![0; order.len()], starts, group_of: vec![NONE; key.len()] };
        for node in order {
            let group = number[key[*node as usize] as usize];
            let place = &mut next[group as usize];
            groups.members[*place as usize] = *node;
            groups.group_of[*node as usize] = group;
            *place += 1;
        }
        groups
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    pub(crate) fn of_node(&self, node: u32) -> Option<u32> {
        some(*self.group_of.get(node as usize)?)
    }

    pub(crate) fn members(&self, group: u32) -> &[u32] {
        let group = group as usize;
        &self.members[self.starts[group] as usize..self.starts[group + 1] as usize]
    }

    /// Returns the groups with one unfolded; `order` has the nodes by time, as for [`Groups::new`].
    pub(crate) fn unfolded(&self, group: u32, order: &[u32]) -> Self {
        let mut key = self.group_of.clone();
        for (next, part) in (self.len() as u32..).zip(parts(self.members(group)).skip(1)) {
            for member in part {
                key[*member as usize] = next;
            }
        }
        Self::new(order, &key)
    }
}

pub(crate) fn parts(members: &[u32]) -> impl Iterator<Item = &[u32]> {
    members.chunks(members.len().div_ceil(PARTS).max(1))
}

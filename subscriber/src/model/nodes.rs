//! Nodes of the task graph, and their submissions.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use syclscope_language::event::NodeKind;

use super::owned_location::OwnedLocation;

/// Maximum number of nodes in memory; older ones have long been submitted.
const MAX_NODES: usize = 1 << 18;
/// Maximum number of open submissions of one source location, in runtimes whose ids identify locations.
const INSTANCES_PER_ID: usize = 256;

#[derive(Default)]
pub(super) struct Nodes {
    count: u64,
    /// The newest nodes, oldest first: their numbers are consecutive, and `count` is the number of the last one.
    recent: VecDeque<Node>,
    /// Submissions by universal id.
    by_id: FxHashMap<u64, Instances>,
    /// Number of ids at which ids of forgotten nodes are removed.
    ids_limit: usize,
    /// Nodes by file, as numbered by [`Files`], and line; `None` if there are several.
    by_location: FxHashMap<(usize, u32), Option<u64>>,
    files: Files,
}

/// The submissions with one universal id, as pairs of an instance and its node. There is only one pair if the runtime's
/// ids identify submissions.
#[derive(Default)]
struct Instances {
    newest: (u64, u64),
    /// Oldest first.
    older: VecDeque<(u64, u64)>,
}

impl Instances {
    fn newest_first(&self) -> impl Iterator<Item = &(u64, u64)> + Clone {
        std::iter::once(&self.newest).chain(self.older.iter().rev())
    }
}

#[derive(Default)]
struct Files {
    /// Numbers by path.
    numbers: FxHashMap<Arc<str>, usize>,
    /// File of the newest node, mostly the next one's too.
    newest: Option<(Arc<str>, usize)>,
    /// Results of [`Nodes::short_name`] among the known files, by full path.
    short_names: FxHashMap<Arc<str>, Arc<str>>,
}

impl Files {
    fn add(&mut self, file: &Arc<str>) -> usize {
        if let Some((newest, number)) = &self.newest
            && newest == file
        {
            return *number;
        }
        let next = self.numbers.len();
        let number = *self.numbers.entry(Arc::clone(file)).or_insert(next);
        if number == next {
            // Another file may match a longer end of a path.
            self.short_names.clear();
        }
        self.newest = Some((Arc::clone(file), number));
        number
    }

    fn short_name(&mut self, whole: &Arc<str>) -> Arc<str> {
        let Self { numbers, short_names, .. } = self;
        let find = || {
            let is_end = |file: &str| {
                let rest = whole.strip_suffix(file.strip_prefix("./").unwrap_or(file));
                !file.is_empty() && rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
            };
            let ends = numbers.keys().filter(|file| is_end(file));
            Arc::clone(ends.max_by_key(|file| file.len()).unwrap_or(whole))
        };
        Arc::clone(short_names.entry(Arc::clone(whole)).or_insert_with(find))
    }
}

pub(super) struct Node {
    pub(super) kind: NodeKind,
    pub(super) name: Arc<str>,
    pub(super) location: OwnedLocation,
    /// Its known dependences: the first one, 0 without any, and the others in ascending order. Most nodes have one.
    first_source: u64,
    other_sources: Vec<u64>,
    /// True for a copy or fill as called by the program, for which the runtime may still create a command with a node.
    pub(super) is_of_interface: bool,
}

impl Nodes {
    pub(super) fn add(&mut self, kind: NodeKind, name: Arc<str>, location: OwnedLocation) -> u64 {
        self.count += 1;
        let node = self.count;
        let line = location.location().line;
        if line != 0 {
            let entry = self.by_location.entry((self.files.add(location.file()), line));
            entry.and_modify(|only| *only = None).or_insert(Some(node));
        }
        if self.recent.len() == MAX_NODES {
            self.recent.pop_front();
        }
        let (first_source, other_sources, is_of_interface) = (0, Vec::new(), false);
        self.recent.push_back(Node { kind, name, location, first_source, other_sources, is_of_interface });
        node
    }

    /// Binds a universal id and instance to a node from now on.
    pub(super) fn bind(&mut self, universal_id: u64, instance: u64, node: u64) {
        let this = (instance, node);
        match self.by_id.entry(universal_id) {
            Entry::Vacant(entry) => {
                entry.insert(Instances { newest: this, older: VecDeque::new() });
            }
            Entry::Occupied(mut entry) => {
                let Instances { newest, older } = entry.get_mut();
                older.push_back(std::mem::replace(newest, this));
                if older.len() == INSTANCES_PER_ID {
                    older.pop_front();
                }
            }
        }
        if self.by_id.len() > self.ids_limit {
            let first = self.first();
            self.by_id.retain(|_, instances| instances.newest.1 >= first);
            self.ids_limit = self.by_id.len() + MAX_NODES;
        }
    }

    /// Returns the current node of a universal id and instance. The runtime gives some submissions another instance
    /// than their node: those use the newest node of their id.
    pub(super) fn find(&self, universal_id: u64, instance: u64) -> Option<u64> {
        let instances = self.by_id.get(&universal_id)?;
        let exact = instances.newest_first().find(|(other, _)| *other == instance);
        Some(exact.unwrap_or(&instances.newest).1)
    }

    /// Returns the newest node of a universal id, among either the placeholders of events or the others; without one, the
    /// newest of all.
    ///
    /// Some versions of the runtime give a command and the placeholders of its awaited events the same id.
    pub(super) fn newest(&self, universal_id: u64, is_virtual: bool) -> Option<u64> {
        let instances = self.by_id.get(&universal_id)?;
        let has_kind = |number: &u64| {
            self.get(*number).is_some_and(|node| (node.kind == NodeKind::Virtual) == is_virtual)
        };
        let mut newest_first = instances.newest_first().map(|(_, node)| *node);
        newest_first.clone().find(has_kind).or_else(|| newest_first.next())
    }

    pub(super) fn forget_ids(&mut self) {
        self.by_id.clear();
    }

    /// Returns the node of a source location, if it is the only one.
    pub(super) fn only_node_at(&self, file: &str, line: u32) -> Option<u64> {
        *self.by_location.get(&(*self.files.numbers.get(file)?, line))?
    }

    /// Returns a file's name as in nodes, given the full path of debug information, whose end may be the path given to
    /// the compiler. Before the first node of the file, that is the full path.
    pub(super) fn short_name(&mut self, whole: &Arc<str>) -> Arc<str> {
        self.files.short_name(whole)
    }

    pub(super) fn get(&self, node: u64) -> Option<&Node> {
        self.recent.get(self.index(node)?)
    }

    pub(super) fn get_mut(&mut self, node: u64) -> Option<&mut Node> {
        let index = self.index(node)?;
        self.recent.get_mut(index)
    }

    fn index(&self, node: u64) -> Option<usize> {
        node.checked_sub(self.first()).map(|index| index as usize)
    }

    fn first(&self) -> u64 {
        self.count + 1 - self.recent.len() as u64
    }

    /// Adds a dependence; false if it was already known. Dependences of a removed node always count as new.
    pub(super) fn add_dependence(&mut self, source: u64, target: u64) -> bool {
        let Some(Node { first_source, other_sources, .. }) = self.get_mut(target) else { return true };
        if *first_source == 0 || *first_source == source {
            return std::mem::replace(first_source, source) != source;
        }
        match other_sources.binary_search(&source) {
            Ok(_) => false,
            Err(index) => {
                other_sources.insert(index, source);
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use syclscope_language::event::SourceLocation;

    use super::*;

    #[test]
    fn a_file_is_named_as_the_nodes_that_are_known_name_it() {
        let mut nodes = Nodes::default();
        let add = |nodes: &mut Nodes, file, line| {
            let place = OwnedLocation::at(SourceLocation { function: "", file, line, column: 0 });
            nodes.add(NodeKind::Kernel, "k".into(), place)
        };
        let whole: Arc<str> = "/src/lib/heat.cpp".into();
        assert_eq!(nodes.short_name(&whole), whole, "nothing is known yet");
        add(&mut nodes, "eat.cpp", 1);
        add(&mut nodes, "lib/heat.cpp", 0);
        assert_eq!(nodes.short_name(&whole), whole, "neither another file nor one without a line");
        for (file, named) in
            [("heat.cpp", "heat.cpp"), ("./lib/heat.cpp", "./lib/heat.cpp"), ("x.cpp", "./lib/heat.cpp")]
        {
            add(&mut nodes, file, 1);
            assert_eq!(&*nodes.short_name(&whole), named);
        }
    }

    #[test]
    fn files_are_looked_through_once_however_many_nodes_there_are() {
        let mut nodes = Nodes::default();
        let whole: Arc<str> = "/src/heat.cpp".into();
        for line in 1..1000 {
            let place = OwnedLocation::at(SourceLocation { function: "", file: "heat.cpp", line, column: 0 });
            nodes.add(NodeKind::Kernel, "k".into(), place);
            nodes.short_name(&whole);
            assert_eq!((nodes.files.numbers.len(), nodes.files.short_names.len()), (1, 1));
        }
    }

    #[test]
    fn ids_of_long_forgotten_nodes_are_forgotten_too() {
        let mut nodes = Nodes::default();
        for id in 1..=4 * MAX_NODES as u64 {
            let node = nodes.add(NodeKind::Kernel, "k".into(), OwnedLocation::default());
            nodes.bind(id, 0, node);
            assert_eq!((nodes.find(id, 0), nodes.find(id, 7)), (Some(node), Some(node)));
            assert!(nodes.get(node).is_some() && nodes.get(node + 1).is_none());
        }
        assert!(nodes.by_id.len() <= 2 * MAX_NODES + 1 && nodes.recent.len() == MAX_NODES);
        let oldest = 3 * MAX_NODES as u64 + 1;
        assert!(nodes.get(oldest).is_some() && nodes.get(oldest - 1).is_none());
        assert_eq!((nodes.find(oldest, 0), nodes.find(1, 0)), (Some(oldest), None));
    }

    #[test]
    fn an_id_that_stands_for_a_place_knows_its_last_submissions() {
        let mut nodes = Nodes::default();
        for instance in 0..=INSTANCES_PER_ID as u64 {
            let node = nodes.add(NodeKind::Kernel, "k".into(), OwnedLocation::default());
            nodes.bind(5, instance, node);
            assert!(
                nodes.add_dependence(node, 1) && !nodes.add_dependence(node, 1),
                "a dependence is known once"
            );
        }
        assert_eq!(nodes.find(5, 1), Some(2));
        assert_eq!(
            nodes.find(5, 0),
            Some(INSTANCES_PER_ID as u64 + 1),
            "forgotten: the newest stands for it"
        );
    }
}

//! Nodes of the task graph, and their submissions.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use syclscope_language::event::NodeKind;

use super::owned_location::OwnedLocation;

/// Nodes that are remembered for what may still come: older ones have long been submitted.
const REMEMBERED: usize = 1 << 18;
/// Submissions of one place in the code that may be open at once, in runtimes whose ids stand for places.
const INSTANCES_PER_ID: usize = 256;

/// What is known of the nodes.
#[derive(Default)]
pub(super) struct Nodes {
    count: u64,
    known: HashMap<u64, KnownNode>,
    /// Numbers of the known nodes, oldest first.
    order: VecDeque<u64>,
    /// Universal ids: the submissions that they stood for, newest last, by instance.
    by_id: HashMap<u64, VecDeque<(u64, u64)>>,
    /// By file and line: the node that was made there, nothing where there are several.
    by_place: HashMap<(Arc<str>, u32), Option<u64>>,
    files: Files,
}

/// The files that nodes were made in.
#[derive(Default)]
struct Files {
    known: HashSet<Arc<str>>,
    /// By whole path: what [`Nodes::file_named`] found among the known ones.
    named: HashMap<Arc<str>, Arc<str>>,
}

impl Files {
    fn add(&mut self, file: Arc<str>) {
        // Another file may be the longer end of a path.
        if self.known.insert(file) {
            self.named.clear();
        }
    }

    fn named(&mut self, whole: &Arc<str>) -> Arc<str> {
        let Self { known, named } = self;
        let find = || {
            let is_end = |file: &str| {
                let rest = whole.strip_suffix(file.strip_prefix("./").unwrap_or(file));
                !file.is_empty() && rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
            };
            let ends = known.iter().filter(|file| is_end(file));
            Arc::clone(ends.max_by_key(|file| file.len()).unwrap_or(whole))
        };
        Arc::clone(named.entry(Arc::clone(whole)).or_insert_with(find))
    }
}

/// A node, as far as later records ask for it.
pub(super) struct KnownNode {
    pub(super) kind: NodeKind,
    pub(super) name: Arc<str>,
    pub(super) place: OwnedLocation,
    /// Nodes that it is known to depend on.
    sources: HashSet<u64>,
    /// It is that of a copy or fill as the program calls it, and the runtime may yet make one for its own command.
    pub(super) is_of_interface: bool,
}

impl Nodes {
    /// A number for a new node.
    pub(super) fn add(&mut self, kind: NodeKind, name: Arc<str>, place: OwnedLocation) -> u64 {
        self.count += 1;
        let node = self.count;
        let location = place.location();
        if location.line != 0 {
            self.files.add(place.file());
            let here = self.by_place.entry((place.file(), location.line));
            here.and_modify(|only| *only = None).or_insert(Some(node));
        }
        self.known
            .insert(node, KnownNode { kind, name, place, sources: HashSet::new(), is_of_interface: false });
        self.order.push_back(node);
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        node
    }

    /// From now on a universal id and instance mean this node.
    pub(super) fn bind(&mut self, universal_id: u64, instance: u64, node: u64) {
        let instances = self.by_id.entry(universal_id).or_default();
        instances.push_back((instance, node));
        if instances.len() > INSTANCES_PER_ID {
            instances.pop_front();
        }
    }

    /// The node that a universal id and instance mean now. The runtime gives some submissions another instance than it
    /// gave their node: they are the newest of their id.
    pub(super) fn find(&self, universal_id: u64, instance: u64) -> Option<u64> {
        let instances = self.by_id.get(&universal_id)?;
        let exact = instances.iter().rev().find(|(known, _)| *known == instance);
        exact.or(instances.back()).map(|(_, node)| *node)
    }

    /// The newest node of a universal id: of those that stand for events or of the others, if there is one.
    ///
    /// Some versions of the runtime give a command and the place-holders of the events that it waits for one id.
    pub(super) fn newest(&self, universal_id: u64, is_virtual: bool) -> Option<u64> {
        let instances = self.by_id.get(&universal_id)?;
        let is_wanted = |node: &u64| {
            self.known(*node).is_some_and(|known| (known.kind == NodeKind::Virtual) == is_virtual)
        };
        let mut newest_first = instances.iter().rev().map(|(_, node)| *node);
        newest_first.clone().find(is_wanted).or_else(|| newest_first.next())
    }

    /// Universal ids mean nothing any more.
    pub(super) fn forget_ids(&mut self) {
        self.by_id.clear();
    }

    /// The node that was made at a place, if there is only one.
    pub(super) fn only_one_of(&self, file: &str, line: u32) -> Option<u64> {
        *self.by_place.get(&(file.into(), line))?
    }

    /// A file as nodes name it, by the whole path of debug information: what the compiler was given may be the end of it.
    /// Until the first node of the file is made, its whole path.
    pub(super) fn file_named(&mut self, whole: &Arc<str>) -> Arc<str> {
        self.files.named(whole)
    }

    pub(super) fn known(&self, node: u64) -> Option<&KnownNode> {
        self.known.get(&node)
    }

    pub(super) fn known_mut(&mut self, node: u64) -> Option<&mut KnownNode> {
        self.known.get_mut(&node)
    }

    /// Notes a dependence; false if it was known.
    pub(super) fn join(&mut self, source: u64, target: u64) -> bool {
        self.known.get_mut(&target).is_none_or(|target| target.sources.insert(source))
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
        assert_eq!(nodes.file_named(&whole), whole, "nothing is known yet");
        add(&mut nodes, "eat.cpp", 1);
        add(&mut nodes, "lib/heat.cpp", 0);
        assert_eq!(nodes.file_named(&whole), whole, "neither another file nor one without a line");
        for (file, named) in
            [("heat.cpp", "heat.cpp"), ("./lib/heat.cpp", "./lib/heat.cpp"), ("x.cpp", "./lib/heat.cpp")]
        {
            add(&mut nodes, file, 1);
            assert_eq!(&*nodes.file_named(&whole), named);
        }
    }

    #[test]
    fn files_are_looked_through_once_however_many_nodes_there_are() {
        let mut nodes = Nodes::default();
        let whole: Arc<str> = "/src/heat.cpp".into();
        for line in 1..1000 {
            let place = OwnedLocation::at(SourceLocation { function: "", file: "heat.cpp", line, column: 0 });
            nodes.add(NodeKind::Kernel, "k".into(), place);
            nodes.file_named(&whole);
            assert_eq!((nodes.files.known.len(), nodes.files.named.len()), (1, 1));
        }
    }
}

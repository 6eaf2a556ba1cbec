//! Nodes of the task graph, and their submissions.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use syclscope_language::event::NodeKind;

use super::owned_location::OwnedLocation;

/// Number of remembered nodes: older ones have long been submitted.
const REMEMBERED: usize = 1 << 18;
/// Maximum number of open submissions of one source location, in runtimes whose ids identify locations.
const INSTANCES_PER_ID: usize = 256;

#[derive(Default)]
pub(super) struct Nodes {
    count: u64,
    /// The newest nodes, oldest first: their numbers are consecutive, and `count` is the number of the last one.
    known: VecDeque<KnownNode>,
    /// Submissions by universal id.
    by_id: FxHashMap<u64, Instances>,
    /// Number of ids at which ids of forgotten nodes are removed.
    most_ids: usize,
    /// Nodes by file, as numbered by [`Files`], and line; `None` if there are several.
    by_place: FxHashMap<(usize, u32), Option<u64>>,
    files: Files,
}

/// The submissions with one universal id: instances with their nodes, newest last. Runtimes whose ids identify
/// submissions have one each.
#[derive(Default)]
struct Instances {
    newest: (u64, u64),
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
    known: FxHashMap<Arc<str>, usize>,
    /// File of the newest node, mostly the next one's too.
    newest: Option<(Arc<str>, usize)>,
    /// By full path: the result of [`Nodes::file_named`] among the known files.
    named: FxHashMap<Arc<str>, Arc<str>>,
}

impl Files {
    fn add(&mut self, file: &Arc<str>) -> usize {
        match &self.newest {
            Some((newest, number)) if newest == file => return *number,
            _ => {}
        }
        let next = self.known.len();
        let number = *self.known.entry(Arc::clone(file)).or_insert(next);
        if number == next {
            // Another file may match a longer end of a path.
            self.named.clear();
        }
        self.newest = Some((Arc::clone(file), number));
        number
    }

    fn named(&mut self, whole: &Arc<str>) -> Arc<str> {
        let Self { known, named, .. } = self;
        let find = || {
            let is_end = |file: &str| {
                let rest = whole.strip_suffix(file.strip_prefix("./").unwrap_or(file));
                !file.is_empty() && rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
            };
            let ends = known.keys().filter(|file| is_end(file));
            Arc::clone(ends.max_by_key(|file| file.len()).unwrap_or(whole))
        };
        Arc::clone(named.entry(Arc::clone(whole)).or_insert_with(find))
    }
}

pub(super) struct KnownNode {
    pub(super) kind: NodeKind,
    pub(super) name: Arc<str>,
    pub(super) place: OwnedLocation,
    /// Its known dependences, in ascending order: mostly one or two.
    sources: Vec<u64>,
    /// True for a copy or fill as called by the program, for which the runtime may still create a command with a node.
    pub(super) is_of_interface: bool,
}

impl Nodes {
    pub(super) fn add(&mut self, kind: NodeKind, name: Arc<str>, place: OwnedLocation) -> u64 {
        self.count += 1;
        let node = self.count;
        let location = place.location();
        if location.line != 0 {
            let line = location.line;
            let here = self.by_place.entry((self.files.add(place.file()), line));
            here.and_modify(|only| *only = None).or_insert(Some(node));
        }
        if self.known.len() == REMEMBERED {
            self.known.pop_front();
        }
        self.known.push_back(KnownNode { kind, name, place, sources: Vec::new(), is_of_interface: false });
        node
    }

    /// Binds a universal id and instance to a node from now on.
    pub(super) fn bind(&mut self, universal_id: u64, instance: u64, node: u64) {
        let this = (instance, node);
        match self.by_id.entry(universal_id) {
            Entry::Vacant(place) => {
                place.insert(Instances { newest: this, older: VecDeque::new() });
            }
            Entry::Occupied(mut place) => {
                let Instances { newest, older } = place.get_mut();
                older.push_back(std::mem::replace(newest, this));
                if older.len() == INSTANCES_PER_ID {
                    older.pop_front();
                }
            }
        }
        if self.by_id.len() > self.most_ids {
            let first = self.first();
            self.by_id.retain(|_, instances| instances.newest.1 >= first);
            self.most_ids = self.by_id.len() + REMEMBERED;
        }
    }

    /// Returns the current node of a universal id and instance. The runtime gives some submissions another instance
    /// than their node: those use the newest node of their id.
    pub(super) fn find(&self, universal_id: u64, instance: u64) -> Option<u64> {
        let instances = self.by_id.get(&universal_id)?;
        let exact = instances.newest_first().find(|(known, _)| *known == instance);
        Some(exact.unwrap_or(&instances.newest).1)
    }

    /// Returns the newest node of a universal id, among either the placeholders of events or the others.
    ///
    /// Some versions of the runtime give a command and the placeholders of its awaited events the same id.
    pub(super) fn newest(&self, universal_id: u64, is_virtual: bool) -> Option<u64> {
        let instances = self.by_id.get(&universal_id)?;
        let is_wanted = |node: &u64| {
            self.known(*node).is_some_and(|known| (known.kind == NodeKind::Virtual) == is_virtual)
        };
        let mut newest_first = instances.newest_first().map(|(_, node)| *node);
        newest_first.clone().find(is_wanted).or_else(|| newest_first.next())
    }

    pub(super) fn forget_ids(&mut self) {
        self.by_id.clear();
    }

    pub(super) fn only_one_of(&self, file: &str, line: u32) -> Option<u64> {
        *self.by_place.get(&(*self.files.known.get(file)?, line))?
    }

    /// Returns a file's name as in nodes, given the full path of debug information, whose end may be the path given to
    /// the compiler. Before the first node of the file, that is the full path.
    pub(super) fn file_named(&mut self, whole: &Arc<str>) -> Arc<str> {
        self.files.named(whole)
    }

    pub(super) fn known(&self, node: u64) -> Option<&KnownNode> {
        self.known.get(self.place_of(node)?)
    }

    pub(super) fn known_mut(&mut self, node: u64) -> Option<&mut KnownNode> {
        let place = self.place_of(node)?;
        self.known.get_mut(place)
    }

    fn place_of(&self, node: u64) -> Option<usize> {
        node.checked_sub(self.first()).map(|place| place as usize)
    }

    fn first(&self) -> u64 {
        self.count + 1 - self.known.len() as u64
    }

    /// Adds a dependence; false if it was already known.
    pub(super) fn join(&mut self, source: u64, target: u64) -> bool {
        let Some(KnownNode { sources, .. }) = self.known_mut(target) else { return true };
        match sources.binary_search(&source) {
            Ok(_) => false,
            Err(place) => {
                sources.insert(place, source);
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

    #[test]
    fn ids_of_long_forgotten_nodes_are_forgotten_too() {
        let mut nodes = Nodes::default();
        for id in 1..=4 * REMEMBERED as u64 {
            let node = nodes.add(NodeKind::Kernel, "k".into(), OwnedLocation::default());
            nodes.bind(id, 0, node);
            assert_eq!((nodes.find(id, 0), nodes.find(id, 7)), (Some(node), Some(node)));
            assert!(nodes.known(node).is_some() && nodes.known(node + 1).is_none());
        }
        assert!(nodes.by_id.len() <= 2 * REMEMBERED + 1 && nodes.known.len() == REMEMBERED);
        let oldest = 3 * REMEMBERED as u64 + 1;
        assert!(nodes.known(oldest).is_some() && nodes.known(oldest - 1).is_none());
        assert_eq!((nodes.find(oldest, 0), nodes.find(1, 0)), (Some(oldest), None));
    }

    #[test]
    fn an_id_that_stands_for_a_place_knows_its_last_submissions() {
        let mut nodes = Nodes::default();
        for instance in 0..=INSTANCES_PER_ID as u64 {
            let node = nodes.add(NodeKind::Kernel, "k".into(), OwnedLocation::default());
            nodes.bind(5, instance, node);
            assert!(nodes.join(node, 1) && !nodes.join(node, 1), "a dependence is known once");
        }
        assert_eq!(nodes.find(5, 1), Some(2));
        assert_eq!(
            nodes.find(5, 0),
            Some(INSTANCES_PER_ID as u64 + 1),
            "forgotten: the newest stands for it"
        );
    }
}

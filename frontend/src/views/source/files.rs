//! The recorded files as a tree of folders.

use syclscope_language::sorting::Sorting as _;

#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Display name: a folder, a chain of folders without other content, or the file's name.
    pub name: String,
    pub depth: usize,
    /// `None` for a folder.
    pub file: Option<u32>,
    /// For a folder, the sum of its contents.
    pub cost: f64,
}

/// Arranges files as a tree, the most expensive first at each level. A folder whose only content is a folder is joined
/// with it.
pub fn tree(files: &[(String, f64)]) -> Vec<Entry> {
    let mut root = Folder::default();
    for (number, (path, cost)) in (0_u32..).zip(files) {
        let path = path.replace('\\', "/");
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", &path));
        let mut at = &mut root;
        // `/src` and `src` are different folders.
        let mut lead = if path.starts_with('/') { "/" } else { "" };
        for part in folders.split('/').filter(|part| !part.is_empty()) {
            at = at.below(&format!("{lead}{part}"));
            lead = "";
        }
        at.files.push((format!("{lead}{name}"), number, *cost));
    }
    let mut entries = Vec::new();
    root.list(0, &mut entries);
    entries
}

#[derive(Default)]
struct Folder {
    folders: Vec<(String, Folder)>,
    files: Vec<(String, u32, f64)>,
}

impl Folder {
    fn below(&mut self, name: &str) -> &mut Self {
        let at = match self.folders.iter().position(|(other, _)| other == name) {
            Some(at) => at,
            None => {
                self.folders.push((name.to_owned(), Self::default()));
                self.folders.len() - 1
            }
        };
        &mut self.folders[at].1
    }

    fn cost(&self) -> f64 {
        let folders: f64 = self.folders.iter().map(|(_, folder)| folder.cost()).sum();
        folders + self.files.iter().map(|(_, _, cost)| cost).sum::<f64>()
    }

    fn list(mut self, depth: usize, entries: &mut Vec<Entry>) {
        self.files.arrange_by(|one, other| other.2.total_cmp(&one.2).then_with(|| one.0.cmp(&other.0)));
        let mut folders: Vec<(String, f64, Self)> =
            self.folders.into_iter().map(|(name, folder)| (name, folder.cost(), folder)).collect();
        folders.arrange_by(|one, other| other.1.total_cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        for (name, number, cost) in self.files {
            entries.push(Entry { name, depth, file: Some(number), cost });
        }
        for (mut name, cost, mut folder) in folders {
            while folder.files.is_empty() && folder.folders.len() == 1 {
                let (below, only) = folder.folders.remove(0);
                name = format!("{name}/{below}");
                folder = only;
            }
            entries.push(Entry { name: format!("{name}/"), depth, file: None, cost });
            folder.list(depth + 1, entries);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_join_and_the_costliest_come_first() {
        let files = [
            ("/home/me/app/src/main.cpp", 5.0),
            ("/home/me/app/src/solver.cpp", 50.0),
            ("/opt/sycl/include/queue.hpp", 70.0),
            ("/home/me/app/src/util/a.hpp", 1.0),
        ];
        let files = files.map(|(path, cost)| (path.to_owned(), cost));
        let shown: Vec<String> = tree(&files)
            .into_iter()
            .map(|entry| format!("{}{} {}", "  ".repeat(entry.depth), entry.name, entry.cost))
            .collect();
        assert_eq!(
            shown,
            [
                "/opt/sycl/include/ 70",
                "  queue.hpp 70",
                "/home/me/app/src/ 56",
                "  solver.cpp 50",
                "  main.cpp 5",
                "  util/ 1",
                "    a.hpp 1",
            ]
        );
    }

    #[test]
    fn files_without_folders_are_listed_as_they_are() {
        let shown = tree(&[("main.cpp".to_owned(), 0.0)]);
        assert_eq!(shown.len(), 1);
        assert_eq!((shown[0].name.as_str(), shown[0].file), ("main.cpp", Some(0)));
        assert!(tree(&[]).is_empty());
    }

    #[test]
    fn relative_files_are_not_below_the_root() {
        let files = ["/opt/sycl/queue.hpp", "main.cpp", "src/a.cpp", "/src/a.cpp"];
        let files = files.map(|path| (path.to_owned(), 1.0));
        let mut shown: Vec<String> =
            tree(&files).into_iter().filter(|entry| entry.depth == 0).map(|entry| entry.name).collect();
        shown.sort_unstable();
        assert_eq!(shown, ["/opt/sycl/", "/src/", "main.cpp", "src/"]);
    }
}

//! Watches files by polling their modification times, which needs no crate or system call for some hundred files.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use crate::files;

/// Pause that ends a burst of writes by an editor.
const QUIET: Duration = Duration::from_millis(100);

pub(super) struct Watch {
    paths: Vec<PathBuf>,
    seen: Seen,
}

type Seen = BTreeMap<PathBuf, Option<SystemTime>>;

impl Watch {
    pub(super) fn of(paths: Vec<PathBuf>) -> Self {
        let seen = look(&paths);
        Watch { paths, seen }
    }

    /// A file that was changed, added or removed since the last call, once the changes stop.
    pub(super) fn changed(&mut self) -> Option<PathBuf> {
        let mut now = look(&self.paths);
        let changed = difference(&self.seen, &now)?;
        loop {
            std::thread::sleep(QUIET);
            let later = look(&self.paths);
            if later == now {
                break;
            }
            now = later;
        }
        self.seen = now;
        Some(changed)
    }
}

/// Every file with its modification time. Unreadable ones count as absent.
fn look(paths: &[PathBuf]) -> Seen {
    let files = paths.iter().flat_map(|path| files::below(path).unwrap_or_default());
    let written = |file: &PathBuf| file.metadata().and_then(|data| data.modified()).ok();
    files.map(|file| (file.clone(), written(&file))).collect()
}

fn difference(before: &Seen, now: &Seen) -> Option<PathBuf> {
    let is_other = |(file, written): &(&PathBuf, &Option<SystemTime>)| before.get(*file) != Some(written);
    let gone = before.keys().find(|file| !now.contains_key(*file));
    now.iter().find(is_other).map(|(file, _)| file).or(gone).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_written_appears_or_goes_is_noticed_once() {
        let folder = files::Scratch::for_test("watch");
        let (one, two) = (folder.join("one"), folder.join("below/two"));
        files::write(&one, "1").unwrap();
        let mut watch = Watch::of(vec![folder.to_owned()]);
        assert_eq!(watch.changed(), None);
        files::write(&two, "2").unwrap();
        assert_eq!(watch.changed(), Some(two.clone()));
        assert_eq!(watch.changed(), None);
        let later = SystemTime::now() + Duration::from_secs(5);
        std::fs::File::options().append(true).open(&one).unwrap().set_modified(later).unwrap();
        assert_eq!(watch.changed(), Some(one));
        std::fs::remove_file(&two).unwrap();
        assert_eq!(watch.changed(), Some(two));
    }
}

//! Watches files by polling their modification times, which needs no crate or system call for some hundred files.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use crate::files;

/// Pause that ends a burst of writes by an editor.
const QUIET: Duration = Duration::from_millis(100);

pub(super) struct Watch {
    paths: Vec<PathBuf>,
    times: Times,
}

type Times = BTreeMap<PathBuf, Option<SystemTime>>;

impl Watch {
    pub(super) fn new(paths: Vec<PathBuf>) -> Self {
        let times = look(&paths);
        Watch { paths, times }
    }

    /// Returns a file that was changed, added or removed since the last call, once the changes stop.
    pub(super) fn changed(&mut self) -> Option<PathBuf> {
        let mut now = look(&self.paths);
        let changed = difference(&self.times, &now)?;
        loop {
            std::thread::sleep(QUIET);
            let later = look(&self.paths);
            if later == now {
                break;
            }
            now = later;
        }
        self.times = now;
        Some(changed)
    }
}

/// Returns every file with its modification time. Unreadable ones count as absent.
fn look(paths: &[PathBuf]) -> Times {
    let files = paths.iter().flat_map(|path| files::below(path).unwrap_or_default());
    let written = |file: &PathBuf| file.metadata().and_then(|data| data.modified()).ok();
    files.map(|file| (file.clone(), written(&file))).collect()
}

fn difference(before: &Times, now: &Times) -> Option<PathBuf> {
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
        let mut watch = Watch::new(vec![folder.to_owned()]);
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

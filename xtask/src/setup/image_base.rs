//! Contents of the container image in addition to the program: the C library and the certificates of Debian's
//! packages, pinned by version and checksum in `xtask/requirements/image.txt`, so that the image is reproducible.

use std::cell::OnceCell;
use std::rc::Rc;

use super::{State, Step, debian};
use crate::fingerprint::Fingerprint;
use crate::prelude::*;

const RELEASE: &str = "bookworm";
/// Folder of libraries in a package, and path of a program's interpreter.
const LIBRARIES: &str = "lib/x86_64-linux-gnu";
const INTERPRETER: &str = "lib64/ld-linux-x86-64.so.2";
/// Libraries for debuggers and obsolete ones.
const LEFT_OUT: [&str; 8] = [
    "libBrokenLocale.so.1",
    "libc_malloc_debug.so.0",
    "libmemusage.so",
    "libmvec.so.1",
    "libnsl.so.1",
    "libnss_hesiod.so.2",
    "libpcprofile.so",
    "libthread_db.so.1",
];
/// Folder of certificates in the packages, one per file, and the bundle that programs read.
const CERTIFICATES: &str = "usr/share/ca-certificates/mozilla";
const BUNDLE: &str = "etc/ssl/certs/ca-certificates.crt";

struct Pinned<'a> {
    name: &'a str,
    version: &'a str,
    sum: &'a str,
}

pub(crate) fn folder(workspace: &Workspace) -> Result<Option<PathBuf>> {
    Ok(Some(place(workspace)?).filter(|folder| folder.is_dir()))
}

fn place(workspace: &Workspace) -> Result<PathBuf> {
    Ok(workspace.cache.join(format!("image-base-{}", Fingerprint::new().text(&list(workspace)?).finish())))
}

fn list(workspace: &Workspace) -> Result<String> {
    files::read(&workspace.root.join("xtask/requirements/image.txt"))
}

fn pinned(list: &str) -> Option<Vec<Pinned<'_>>> {
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    let pinned = lines.map(|line| match line.split(' ').collect::<Vec<_>>()[..] {
        [name, version, sum] => Some(Pinned { name, version, sum }),
        _ => None,
    });
    pinned.collect()
}

/// Returns the step that fetches the contents. Without `is_needed`, a machine that can't fetch them skips
/// them.
pub(super) fn step(workspace: &Workspace, is_needed: bool) -> Step<'_> {
    step_by(workspace, is_needed, || install(workspace))
}

fn step_by<'a>(workspace: &'a Workspace, is_needed: bool, install: impl Fn() -> Result<()> + 'a) -> Step<'a> {
    let by_hand = "where Debian has newer packages, write their versions and checksums into xtask/requirements/image.txt";
    let failed = Rc::new(OnceCell::new());
    let noted = Rc::clone(&failed);
    let state = move || match debian::lacks().or_else(|| noted.get().cloned()) {
        Some(reason) => Ok(State::LeftOut(reason)),
        None => Ok(match folder(workspace)? {
            Some(folder) => State::Ready(folder.display().to_string()),
            None => State::Missing("a download of 12 MB".to_owned()),
        }),
    };
    Step::new("base of the container's image", by_hand, state, move || match install() {
        Err(failure) if !is_needed => {
            let _ = failed.set(format!("Debian's packages can't be fetched: {}", failure.headline()));
            Ok(())
        }
        done => done,
    })
}

fn install(workspace: &Workspace) -> Result<()> {
    let list = list(workspace)?;
    let packages = pinned(&list)
        .ok_or_else(|| Failure::new("a line of xtask/requirements/image.txt is not NAME VERSION SHA-256"))?;
    let named: Vec<String> = packages.iter().map(|one| format!("{}={}", one.name, one.version)).collect();
    let scratch = debian::unpacked(workspace, (RELEASE, "amd64"), &named, |file| {
        let sum = files::sha256(file)?;
        if packages.iter().any(|one| sum == one.sum) {
            return Ok(());
        }
        Err(Failure::new(format!("{} is not what image.txt names: {sum}", file.display())))
    })?;
    let partial = scratch.join("root");
    let names: Vec<&str> = packages.iter().map(|one| one.name).collect();
    keep(&scratch.join("unpacked"), &partial, &names)?;
    files::copy_folder(&partial, &place(workspace)?)
}

fn keep(unpacked: &Path, root: &Path, packages: &[&str]) -> Result<()> {
    for file in files::entries(&unpacked.join(LIBRARIES))? {
        let name = files::name(&file);
        if file.is_file() && !LEFT_OUT.contains(&name.as_str()) {
            files::copy(&file, &root.join(LIBRARIES).join(name))?;
        }
    }
    files::link(&Path::new("/").join(LIBRARIES).join("ld-linux-x86-64.so.2"), &root.join(INTERPRETER))?;
    let mut bundle = Vec::new();
    for file in files::below(&unpacked.join(CERTIFICATES))? {
        bundle.extend(files::bytes(&file)?);
    }
    files::write(&root.join(BUNDLE), bundle)?;
    for package in packages {
        // The copyright of libgcc-s1 is in gcc-12-base.
        let copyright = Path::new("usr/share/doc").join(package).join("copyright");
        if unpacked.join(&copyright).is_file() {
            files::copy(&unpacked.join(&copyright), &root.join(copyright))?;
        }
    }
    for (name, text) in [
        ("etc/passwd", "root:x:0:0:root:/:/sbin/nologin\nsyclscope:x:10001:10001::/data:/sbin/nologin\n"),
        ("etc/group", "root:x:0:\nsyclscope:x:10001:\n"),
        ("etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"),
    ] {
        files::write(&root.join(name), text)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_names_version_and_checksum_of_each_package() {
        let read = pinned("# about\na 1 00\nb 2~1 ff\n").unwrap();
        assert_eq!(read.iter().map(|one| one.version).collect::<Vec<_>>(), ["1", "2~1"]);
        assert!(pinned("a 1\n").is_none());
    }

    #[test]
    fn tests_go_on_without_packages_that_a_release_needs() {
        let scratch = files::Scratch::for_test("image-base-missing");
        let workspace = Workspace { cache: scratch.join("cache"), ..Workspace::of_this_clone() };
        let brought = |is_needed| {
            let gone = || Err(Failure::new("Version '1' for 'libc6' was not found"));
            crate::setup::bring(&step_by(&workspace, is_needed, gone))
        };
        assert!(brought(false).is_ok());
        assert_eq!(brought(true).is_err(), debian::lacks().is_none());
    }

    #[test]
    fn the_root_has_libraries_certificates_and_licences_and_nothing_else() {
        let scratch = files::Scratch::for_test("image-base");
        let (unpacked, root) = (scratch.join("unpacked"), scratch.join("root"));
        for (name, text) in [
            ("lib/x86_64-linux-gnu/libc.so.6", "c"),
            ("lib/x86_64-linux-gnu/libmvec.so.1", "left out"),
            ("lib/x86_64-linux-gnu/gconv/X.so", "left out"),
            ("usr/share/ca-certificates/mozilla/b.crt", "two\n"),
            ("usr/share/ca-certificates/mozilla/a.crt", "one\n"),
            ("usr/share/doc/libc6/copyright", "LGPL"),
            ("usr/share/doc/libc6/NEWS", "left out"),
        ] {
            files::write(&unpacked.join(name), text).unwrap();
        }
        keep(&unpacked, &root, &["libc6", "libgcc-s1"]).unwrap();
        assert_eq!(files::read(&root.join(BUNDLE)).unwrap(), "one\ntwo\n");
        assert!(root.join(LIBRARIES).join("libc.so.6").is_file());
        assert!(std::fs::read_link(root.join(INTERPRETER)).unwrap().starts_with("/lib"));
        assert!(root.join("usr/share/doc/libc6/copyright").is_file());
        let left_out = |file: &PathBuf| std::fs::read(file).unwrap_or_default() == b"left out";
        assert!(!files::below(&root).unwrap().iter().any(left_out));
    }
}

//! Contents of the container image beside the program: the C library and the certificates of Debian's packages, pinned
//! by version and checksum in `xtask/requirements/image.txt`, so that the image is reproducible.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Step, debian};
use crate::failure::{AtPath, Failure, Result};
use crate::fingerprint::{self, Fingerprint};
use crate::process;
use crate::workspace::Workspace;

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

pub(crate) struct ImageBase;

struct Pinned {
    name: String,
    version: String,
    sum: String,
}

pub(crate) fn folder(workspace: &Workspace) -> Result<Option<PathBuf>> {
    let folder = place(workspace)?;
    Ok(folder.is_dir().then_some(folder))
}

fn place(workspace: &Workspace) -> Result<PathBuf> {
    Ok(workspace.cache.join(format!("image-base-{}", Fingerprint::new().text(&list(workspace)?).finish())))
}

fn list(workspace: &Workspace) -> Result<String> {
    let file = workspace.root.join("xtask/requirements/image.txt");
    std::fs::read_to_string(&file).at("read", &file)
}

fn pinned(list: &str) -> Option<Vec<Pinned>> {
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| match line.split(' ').collect::<Vec<_>>()[..] {
            [name, version, sum] => {
                Some(Pinned { name: name.to_owned(), version: version.to_owned(), sum: sum.to_owned() })
            }
            _ => None,
        })
        .collect()
}

impl Step for ImageBase {
    fn name(&self) -> String {
        "base of the container's image".to_owned()
    }

    fn unavailable(&self, _: &Workspace) -> Option<String> {
        debian::lacks()
    }

    fn check(&self, workspace: &Workspace) -> std::result::Result<String, String> {
        match folder(workspace) {
            Ok(Some(folder)) => Ok(folder.display().to_string()),
            Ok(None) => Err("a download of 12 MB".to_owned()),
            Err(failure) => Err(failure.headline().to_owned()),
        }
    }

    fn install(&self, workspace: &Workspace) -> Result<()> {
        let packages = pinned(&list(workspace)?).ok_or_else(|| {
            Failure::new("a line of xtask/requirements/image.txt is not NAME VERSION SHA-256")
        })?;
        let scratch = workspace.target.join("xtask/apt-image");
        let named: Vec<String> = packages.iter().map(|one| format!("{}={}", one.name, one.version)).collect();
        let files = debian::download(workspace, RELEASE, "amd64", &named, &scratch)?;
        let unpacked = scratch.join("unpacked");
        for file in files {
            let sum = process::answer(Command::new("sha256sum").arg(&file))?;
            if !packages.iter().any(|one| sum.starts_with(&one.sum)) {
                return Err(Failure::new(format!("{} is not what image.txt names: {sum}", file.display())));
            }
            debian::unpack(&file, &unpacked)?;
        }
        let partial = scratch.join("root");
        let names: Vec<&str> = packages.iter().map(|one| one.name.as_str()).collect();
        keep(&unpacked, &partial, &names)?;
        let folder = place(workspace)?;
        // The cache may be on another file system.
        process::answer(
            Command::new("cp").arg("--recursive").arg("--no-dereference").arg(&partial).arg(&folder),
        )?;
        std::fs::remove_dir_all(&scratch).at("remove", &scratch)
    }

    fn by_hand(&self, _: &Workspace) -> String {
        "where Debian has newer packages, write their versions and checksums into xtask/requirements/image.txt".to_owned()
    }
}

/// Copies the needed files of unpacked packages: libraries, certificates and the packages' licences.
fn keep(unpacked: &Path, root: &Path, packages: &[&str]) -> Result<()> {
    let copy = |from: &Path, to: PathBuf| {
        std::fs::create_dir_all(to.parent().unwrap_or(root)).at("create", &to)?;
        std::fs::copy(from, &to).at("copy", from).map(|_| ())
    };
    for file in fingerprint::files_below(&unpacked.join(LIBRARIES))? {
        let name = file.file_name().unwrap_or_default();
        if file.parent() == Some(&unpacked.join(LIBRARIES)) && LEFT_OUT.iter().all(|left| name != *left) {
            copy(&file, root.join(LIBRARIES).join(name))?;
        }
    }
    let interpreter = root.join(INTERPRETER);
    std::fs::create_dir_all(interpreter.parent().unwrap_or(root)).at("create", &interpreter)?;
    std::os::unix::fs::symlink(Path::new("/").join(LIBRARIES).join("ld-linux-x86-64.so.2"), &interpreter)
        .at("link", &interpreter)?;
    let mut bundle = Vec::new();
    for file in fingerprint::files_below(&unpacked.join(CERTIFICATES))? {
        bundle.extend(std::fs::read(&file).at("read", &file)?);
    }
    let file = root.join(BUNDLE);
    std::fs::create_dir_all(file.parent().unwrap_or(root)).at("create", &file)?;
    std::fs::write(&file, bundle).at("write", &file)?;
    for package in packages {
        // That of libgcc-s1 is in gcc-12-base.
        let copyright = Path::new("usr/share/doc").join(package).join("copyright");
        if unpacked.join(&copyright).is_file() {
            copy(&unpacked.join(&copyright), root.join(copyright))?;
        }
    }
    let user = [
        ("etc/passwd", "root:x:0:0:root:/:/sbin/nologin\nsyclscope:x:10001:10001::/data:/sbin/nologin\n"),
        ("etc/group", "root:x:0:\nsyclscope:x:10001:\n"),
        ("etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"),
    ];
    for (name, text) in user {
        let file = root.join(name);
        std::fs::write(&file, text).at("write", &file)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_names_version_and_checksum_of_each_package() {
        let read = pinned("# about\na 1 00\nb 2~1 ff\n").unwrap();
        assert_eq!(read.iter().map(|one| one.version.as_str()).collect::<Vec<_>>(), ["1", "2~1"]);
        assert!(pinned("a 1\n").is_none());
    }

    #[test]
    fn the_root_has_libraries_certificates_and_licences_and_nothing_else() {
        let scratch = std::env::temp_dir().join(format!("syclscope-image-base-{}", std::process::id()));
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
            let file = unpacked.join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        keep(&unpacked, &root, &["libc6", "libgcc-s1"]).unwrap();
        assert_eq!(std::fs::read_to_string(root.join(BUNDLE)).unwrap(), "one\ntwo\n");
        assert!(root.join(LIBRARIES).join("libc.so.6").is_file());
        assert!(std::fs::read_link(root.join(INTERPRETER)).unwrap().starts_with("/lib"));
        assert!(root.join("usr/share/doc/libc6/copyright").is_file());
        let left_out = |file: &PathBuf| std::fs::read(file).unwrap_or_default() == b"left out";
        assert!(!fingerprint::files_below(&root).unwrap().iter().any(left_out));
        std::fs::remove_dir_all(scratch).unwrap();
    }
}

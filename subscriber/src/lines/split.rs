//! Debug information in a file of its own, in the places that GDB's manual names ("Separate Debug Files").

use std::fs::File;
use std::io::{Read as _, copy, sink};
use std::path::{Path, PathBuf};

use flate2::CrcReader;

use super::elf::Elf;
use super::refused::Refused;

/// Folder of the system's debug information.
pub(super) const DEBUG_FILES: &str = "/usr/lib/debug";
/// Maximum size of a file whose checksum is computed, in bytes: the recording waits for it.
const MAX_CHECKED_BYTES: u64 = 1 << 30;

/// Returns the first file split off from `own` that satisfies `is_wanted`. A file of another build is skipped, and is
/// an error if no other one is found.
pub(super) fn find(
    own: &Elf,
    debug_files: &Path,
    is_wanted: fn(&Elf) -> bool,
) -> Result<Option<Elf>, Refused> {
    let mut refused = None;
    let id = own.build_id();
    let of_id = id.as_deref().and_then(|id| by_id(id, debug_files)).map(|place| (place, None));
    let linked = own.debug_link().map_or_else(Vec::new, |(name, sum)| {
        if name.contains('/') {
            refused = Some(Refused::Path(name));
            return Vec::new();
        }
        by_link(&name, own, debug_files).into_iter().map(|place| (place, Some(sum))).collect()
    });
    for (place, sum) in of_id.into_iter().chain(linked) {
        let Some(file) = open(&place) else { continue };
        let checked = match Elf::read(file) {
            None => Err(Refused::OtherBuild(place)),
            Some(split) if !is_wanted(&split) => continue,
            Some(split) => check(&split, &place, id.as_deref(), sum).map(|()| split),
        };
        match checked {
            Ok(split) => return Ok(Some(split)),
            Err(why) => refused = refused.or(Some(why)),
        }
    }
    refused.map_or(Ok(None), Err)
}

/// Returns the file with the debug information that `file` shares with others.
pub(super) fn shared(file: &Elf, debug_files: &Path) -> Option<Elf> {
    let (path, id) = file.shared_link()?;
    let places = [by_id(&id, debug_files), file.folder().map(|folder| folder.join(path))];
    let files = places.iter().flatten().filter_map(|place| Elf::read(open(place)?));
    files.into_iter().find(|file| file.build_id().as_deref() == Some(&id))
}

/// Opens a regular file only, because opening a pipe would wait for its writer.
fn open(place: &Path) -> Option<File> {
    place.is_file().then(|| File::open(place).ok()).flatten()
}

fn by_id(id: &str, debug_files: &Path) -> Option<PathBuf> {
    let (folder, name) = id.split_at_checked(2)?;
    Some(debug_files.join(".build-id").join(folder).join(format!("{name}.debug")))
}

fn by_link(name: &str, own: &Elf, debug_files: &Path) -> Vec<PathBuf> {
    let Some(folder) = own.folder() else { return Vec::new() };
    let of_system = debug_files.join(folder.strip_prefix("/").unwrap_or(&folder));
    [&folder, &folder.join(".debug"), &of_system].map(|folder| folder.join(name)).to_vec()
}

/// Checks that a file has this build id, or this checksum if either file has no id. With equal ids, a large file need
/// not be read.
fn check(split: &Elf, place: &Path, id: Option<&str>, sum: Option<u32>) -> Result<(), Refused> {
    let is_its = match (id, split.build_id(), sum) {
        (Some(id), Some(of_split), _) => id == of_split,
        (_, _, Some(sum)) if split.file.metadata().is_ok_and(|file| file.len() <= MAX_CHECKED_BYTES) => {
            let mut bytes = CrcReader::new((&split.file).take(MAX_CHECKED_BYTES));
            copy(&mut bytes, &mut sink()).is_ok() && bytes.crc().sum() == sum
        }
        (_, _, Some(_)) => return Err(Refused::Unchecked(place.to_owned())),
        _ => false,
    };
    is_its.then_some(()).ok_or_else(|| Refused::OtherBuild(place.to_owned()))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::super::symbols::Symbols;
    use super::super::{MAX_BYTES, load};
    use super::*;
    use crate::os::callers::Module;

    /// Folder of a library and of its debug information.
    struct Built {
        folder: tempfile::TempDir,
    }

    fn run(program: &str, arguments: &[&str]) -> bool {
        Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
    }

    impl Built {
        /// Compiles a library with a function that contains an inlined one, and many more functions.
        fn with(options: &[&str]) -> Self {
            let built = Self { folder: tempfile::tempdir().unwrap() };
            let source = built.path("answer.cpp");
            let mut text = "static inline __attribute__((always_inline)) int twice(volatile int *n)\n\
                { return *n * 2; }\n\
                static __attribute__((noinline)) int hidden(volatile int *n)\n\
                { return twice(n); }\n\
                extern \"C\" int answer(volatile int *n) { return hidden(n); }\n"
                .to_owned();
            for number in 0..100 {
                text += &format!("int other_{number}(int number) {{ return number + {number}; }}\n");
            }
            std::fs::write(&source, text).unwrap();
            let library = built.path("answer.so");
            let arguments = [&["-g", "-O1", "-shared", "-fPIC", "-o", &library, &source], options].concat();
            assert!(run("g++", &arguments), "the tests need g++");
            built
        }

        fn path(&self, name: &str) -> String {
            self.folder.path().join(name).to_str().unwrap().to_owned()
        }

        fn elf(&self, name: &str) -> Elf {
            Elf::read(File::open(self.path(name)).unwrap()).unwrap()
        }

        /// Moves the library's debug information into another file, and links to it by name.
        fn split(&self, name: &str) {
            let (library, split) = (self.path("answer.so"), self.path(name));
            assert!(run("objcopy", &["--only-keep-debug", &library, &split]));
            assert!(run("objcopy", &["--strip-all", &format!("--add-gnu-debuglink={split}"), &library]));
            assert!(!self.elf("answer.so").has_lines());
        }

        fn move_to(&self, name: &str, to: &str) {
            std::fs::create_dir_all(Path::new(&self.path(to)).parent().unwrap()).unwrap();
            std::fs::rename(self.path(name), self.path(to)).unwrap();
        }

        /// Returns the functions and lines at an address of the library.
        fn frames(&self, address: u64) -> Result<Vec<(String, u32)>, String> {
            let module = Module { path: self.path("answer.so"), base: 1 << 40 };
            let loaded = load(&module, MAX_BYTES, Path::new(&self.path("system")));
            let Some(loaded) = loaded.map_err(|why| why.to_string())? else { return Ok(Vec::new()) };
            let mut frames = loaded.context.find_frames(address).skip_all_loads().unwrap();
            let mut found = Vec::new();
            while let Some(frame) = frames.next().unwrap() {
                let location = frame.location.unwrap();
                let name = frame.function.map(|name| name.demangle().unwrap().into_owned());
                assert_eq!(location.file, Some(self.path("answer.cpp").as_str()));
                found.push((name.unwrap_or_default(), location.line.unwrap()));
            }
            Ok(found)
        }

        /// Returns the address of the static function.
        fn hidden(&self) -> u64 {
            let functions = self.elf("answer.so").functions();
            functions.into_iter().find(|(.., name)| name == b"_ZL6hiddenPVi").unwrap().0
        }
    }

    /// True if there is an `objcopy`. Prints a message otherwise.
    fn can_split() -> bool {
        let can = run("objcopy", &["--version"]);
        if !can {
            eprintln!("skipped: there is no objcopy, which splits off debug information");
        }
        can
    }

    fn frames() -> Vec<(String, u32)> {
        vec![("twice".to_owned(), 2), ("hidden".to_owned(), 4)]
    }

    #[test]
    fn compressed_debug_information_is_as_if_it_were_not() {
        let plain = Built::with(&[]);
        let size = |built: &Built| std::fs::metadata(built.path("answer.so")).unwrap().len();
        assert_eq!(plain.frames(plain.hidden()), Ok(frames()));
        for option in ["-gz=zlib", "-gz=zlib-gnu"] {
            if !run("g++", &[option, "-E", "-x", "c++", "/dev/null"]) {
                eprintln!("skipped: this g++ has no {option}");
                continue;
            }
            let built = Built::with(&[option]);
            assert!(size(&built) < size(&plain), "it is packed");
            assert_eq!(built.frames(built.hidden()), Ok(frames()), "{option}");
        }
        // Few toolchains support zstd.
        let built = Built::with(&[]);
        if run("objcopy", &["--compress-debug-sections=zstd", &built.path("answer.so")]) {
            assert!(size(&built) < size(&plain), "it is packed");
            assert_eq!(built.frames(built.hidden()), Ok(frames()), "zstd");
        } else {
            eprintln!("skipped: there is no objcopy that compresses with zstd");
        }
    }

    #[test]
    fn a_file_of_debug_information_is_found_wherever_debuggers_look() {
        if !can_split() {
            return;
        }
        for option in ["-Wl,--build-id", "-Wl,--build-id=none"] {
            let built = Built::with(&[option, "-gz=zlib"]);
            let hidden = built.hidden();
            built.split("answer.debug");
            let system =
                format!("system{}/answer.debug", built.folder.path().canonicalize().unwrap().display());
            let mut places = vec!["answer.debug".to_owned(), ".debug/answer.debug".to_owned(), system];
            // By build id, the name differs from the link's.
            let id = built.elf("answer.so").build_id();
            places.extend(id.map(|id| format!("system/.build-id/{}/{}.debug", &id[..2], &id[2..])));
            assert_eq!(places.len() == 4, option == "-Wl,--build-id");
            let mut at = "answer.debug".to_owned();
            for place in places {
                built.move_to(&at, &place);
                assert_eq!(built.frames(hidden), Ok(frames()), "{place} {option}");
                at = place;
            }
            built.move_to(&at, "elsewhere");
            assert_eq!(built.frames(hidden), Ok(Vec::new()));
        }
    }

    #[test]
    fn functions_of_a_stripped_library_have_the_names_that_were_split_off() {
        if !can_split() {
            return;
        }
        let built = Built::with(&[]);
        let hidden = built.hidden();
        built.split("answer.debug");
        let function = || {
            let symbols = Symbols::read(&built.elf("answer.so"), Path::new("/none"));
            symbols.function(hidden)
        };
        assert_eq!(function().as_deref(), Some("hidden"));
        built.move_to("answer.debug", "elsewhere");
        assert_ne!(function().as_deref(), Some("hidden"));
    }

    #[test]
    fn a_file_of_another_build_is_passed_over_and_told() {
        if !can_split() {
            return;
        }
        for option in ["-Wl,--build-id", "-Wl,--build-id=none"] {
            let built = Built::with(&[option]);
            let hidden = built.hidden();
            built.split("answer.debug");
            let other = Built::with(&[option, "-DOTHER", "-O0"]);
            other.split("answer.debug");
            let place = built.path("answer.debug");
            std::fs::create_dir(built.path(".debug")).unwrap();
            std::fs::rename(&place, built.path(".debug/answer.debug")).unwrap();
            std::fs::copy(other.path("answer.debug"), &place).unwrap();
            assert_eq!(built.frames(hidden), Ok(frames()), "there is a better one");
            let told = Err(format!("{place} is damaged or belongs to another build"));
            std::fs::remove_file(built.path(".debug/answer.debug")).unwrap();
            assert_eq!(built.frames(hidden), told);
            for bytes in [&b""[..], b"text", &[0x7f; 100]] {
                std::fs::write(&place, bytes).unwrap();
                assert_eq!(built.frames(hidden), told);
            }
        }
    }

    #[test]
    fn links_lead_to_nothing_but_files_in_the_folders_of_debuggers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let find = |link: &[u8]| {
            super::super::elf::write(&path, 0, &[(".gnu_debuglink", link.len() as u64)], link);
            let own = Elf::read(File::open(&path).unwrap()).unwrap();
            super::find(&own, folder.path(), Elf::has_lines).map(|found| found.is_some())
        };
        assert_eq!(find(b"../x/d\0\0sums"), Err(Refused::Path("../x/d".to_owned())));
        assert_eq!(find(b"/etc/hosts\0\0sums"), Err(Refused::Path("/etc/hosts".to_owned())));
        for link in
            [&b"\0\0\0\0sums"[..], b".\0\0\0sums", b"..\0\0sums", b"file\0\0\0\0sums", b"none\0\0\0\0sums"]
        {
            assert_eq!(find(link), Ok(false));
        }
        assert!(run("mkfifo", &[folder.path().join("pipe").to_str().unwrap()]), "the tests need mkfifo");
        assert_eq!(find(b"pipe\0\0\0\0sums"), Ok(false));
        let large = folder.path().join("large");
        super::super::elf::write(&large, 0, &[(".debug_line", 0)], &[]);
        File::options().write(true).open(&large).unwrap().set_len(MAX_CHECKED_BYTES + 1).unwrap();
        assert_eq!(find(b"large\0\0\0sums"), Err(Refused::Unchecked(large)));
    }

    #[test]
    fn what_two_files_share_may_be_in_a_third() {
        let built = Built::with(&["-Wl,--build-id"]);
        let hidden = built.hidden();
        let (library, twin) = (built.path("answer.so"), built.path("twin.so"));
        std::fs::copy(&library, &twin).unwrap();
        if !run("dwz", &["--version"]) {
            eprintln!("skipped: there is no dwz, which moves what files share into another one");
            return;
        }
        assert!(run("dwz", &["-m", &built.path("third"), "-M", "third", &library, &twin]));
        assert_eq!(built.frames(hidden), Ok(frames()));
        let id = built.elf("third").build_id().unwrap();
        built.move_to("third", &format!("system/.build-id/{}/{}.debug", &id[..2], &id[2..]));
        assert_eq!(built.frames(hidden), Ok(frames()));
        // A file of another build at the same path.
        std::fs::remove_dir_all(built.path("system")).unwrap();
        std::fs::copy(&twin, built.path("third")).unwrap();
        let lines = built.frames(hidden).unwrap().into_iter().map(|(_, line)| line);
        assert_eq!(lines.collect::<Vec<_>>(), [2, 4]);
    }
}

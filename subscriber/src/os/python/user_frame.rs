//! Choice of the frame that represents a thread, by the owners of the files.
//!
//! The relevant line is that of the user's program, not that of a library. A file belongs to a library if it is in a
//! folder of installed packages. Such folders also contain test suites of libraries, which count as the user's code.
//! They have the names that pytest searches for.

use super::frames::Frame;
use super::memo::{Memo, hash};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owner {
    User,
    /// A package, by the hash of its folder.
    Package(u64),
    /// The standard library, the interpreter, and scripts that start packages.
    Python,
}

const PACKAGES: [&[u8]; 2] = [b"site-packages", b"dist-packages"];
/// Prefixes of the names that the interpreter gives to code typed by the user. Other names in angle brackets denote
/// generated code.
const TYPED: [&[u8]; 8] = [
    b"<string>",
    b"<stdin>",
    b"<stdin-",
    b"<console>",
    b"<python-input-",
    b"<ipython-input-",
    b"<timeit-src>",
    b"<doctest ",
];

/// Maximum number of packages in a stack. Frames of further ones are never chosen.
const MAX_PACKAGES: usize = 8;

/// Returns the innermost frame of the user's code, or else of the package in which the program started, which is the
/// outermost one.
pub(super) fn users<'a>(frames: impl Iterator<Item = Frame<'a>>, scripts: &[u8]) -> Option<Frame<'a>> {
    let mut packages: [Option<(u64, Frame<'a>)>; MAX_PACKAGES] = [None; MAX_PACKAGES];
    let (mut outermost, mut innermost) = (None, None);
    for frame in frames {
        innermost = innermost.or(Some(frame));
        match frame.file.utf8(|path| remembered_owner(path, scripts)) {
            Owner::User => return Some(frame),
            Owner::Package(package) => {
                let is_it = |place: &Option<(u64, _)>| place.is_none_or(|(other, _)| other == package);
                if let Some(place) = packages.iter_mut().find(|place| is_it(place)) {
                    outermost = Some(place.get_or_insert((package, frame)).1);
                }
            }
            Owner::Python => {}
        }
    }
    outermost.or(innermost)
}

pub(super) fn is_users(path: &[u8], scripts: &[u8]) -> bool {
    remembered_owner(path, scripts) == Owner::User
}

thread_local! {
    static OWNERS: Memo<256> = const { Memo::new() };
}

fn remembered_owner(path: &[u8], scripts: &[u8]) -> Owner {
    const USER: u64 = 0;
    const PYTHON: u64 = 1;
    let number = OWNERS.with(|owners| {
        owners.get(path, || match owner(path, scripts) {
            Owner::User => USER,
            Owner::Python => PYTHON,
            Owner::Package(package) => package.max(PYTHON + 1),
        })
    });
    match number {
        USER => Owner::User,
        PYTHON => Owner::Python,
        package => Owner::Package(package),
    }
}

fn owner(path: &[u8], scripts: &[u8]) -> Owner {
    if path.first() == Some(&b'<') {
        let is_typed = TYPED.iter().any(|begin| path.starts_with(begin));
        return if is_typed { Owner::User } else { Owner::Python };
    }
    let mut begin = 0;
    let mut before: &[u8] = b"";
    let mut is_python = false;
    while let Some(length) = path[begin..].iter().position(|byte| *byte == b'/') {
        let part = &path[begin..begin + length];
        begin += length + 1;
        if PACKAGES.contains(&part) {
            let rest = &path[begin..];
            if is_test(rest) {
                return Owner::User;
            }
            let package = rest.iter().position(|byte| *byte == b'/').unwrap_or(rest.len());
            return Owner::Package(hash(&path[..begin + package]));
        }
        is_python |= part.starts_with(b"python3.") && before.starts_with(b"lib");
        before = part;
    }
    let is_script = begin == scripts.len() && begin > 0 && path.starts_with(scripts);
    if is_python || is_script { Owner::Python } else { Owner::User }
}

/// True if a file in a folder of packages is a test that pytest would find.
fn is_test(path: &[u8]) -> bool {
    let mut parts = path.split(|byte| *byte == b'/');
    let name = parts.next_back().unwrap_or_default();
    parts.any(|part| part == b"tests" || part == b"test")
        || name.starts_with(b"test_")
        || name.ends_with(b"_test.py")
        || name == b"conftest.py"
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPTS: &[u8] = b"/home/a/venv/bin/";

    fn owner_of(path: &str) -> Owner {
        owner(path.as_bytes(), SCRIPTS)
    }

    #[test]
    fn the_path_shows_whose_code_it_is() {
        let user = [
            "solver.py",
            "/home/a/solver.py",
            "/home/a/bin/solver",
            "/home/a/lib/solver.py",
            "/home/a/venv/bin/tools/solver.py",
            "<string>",
            "<ipython-input-3-1f>",
            "/tmp/ipykernel_7/12.py",
            "/v/lib/python3.11/site-packages/dpnp/tests/test_sum.py",
            "/v/lib/python3.11/site-packages/dpnp/tests/third_party/cupy/testing/_loops.py",
            "/v/lib/python3.11/site-packages/one/sum_test.py",
            "/usr/lib/python3/dist-packages/one/conftest.py",
            "",
        ];
        for path in user {
            assert_eq!(owner_of(path), Owner::User, "{path}");
        }
        let python = [
            "/usr/lib/python3.11/threading.py",
            "/opt/lib64/python3.13/test/test_sys.py",
            "<frozen runpy>",
            "<__array_function__ internals>",
            "/home/a/venv/bin/pytest",
        ];
        for path in python {
            assert_eq!(owner_of(path), Owner::Python, "{path}");
        }
        for (path, package) in [
            ("/v/lib/python3.11/site-packages/dpnp/dpnp_array.py", "/v/lib/python3.11/site-packages/dpnp"),
            ("/usr/lib/python3/dist-packages/six.py", "/usr/lib/python3/dist-packages/six.py"),
            (
                "/v/lib/python3.11/site-packages/numpy/testing/_private/utils.py",
                "/v/lib/python3.11/site-packages/numpy",
            ),
        ] {
            assert_eq!(owner_of(path), Owner::Package(hash(package.as_bytes())), "{path}");
        }
    }

    #[test]
    fn the_users_innermost_frame_is_chosen() {
        let chosen = |paths: &[&str]| {
            let frames: Vec<Frame<'_>> = paths.iter().map(|path| Frame::for_test(path)).collect();
            let frame = users(frames.into_iter(), SCRIPTS)?;
            Some(frame.file.utf8(|path| String::from_utf8_lossy(path).into_owned()))
        };
        let (dpctl, dpnp) = ("/l/site-packages/dpctl/a.py", "/l/site-packages/dpnp/b.py");
        let (app, app_main) = ("/l/site-packages/app/c.py", "/l/site-packages/app/__main__.py");
        let (runpy, script) = ("<frozen runpy>", "/home/a/venv/bin/app");
        assert_eq!(chosen(&[dpctl, dpnp, "/h/mine.py", "/h/main.py"]).unwrap(), "/h/mine.py");
        assert_eq!(chosen(&[dpctl, dpnp, app, dpnp, app_main, runpy]).unwrap(), app);
        assert_eq!(chosen(&[dpctl, dpnp, app_main, script]).unwrap(), app_main);
        assert_eq!(chosen(&[runpy, script]).unwrap(), runpy);
        assert_eq!(chosen(&[]), None);
    }
}

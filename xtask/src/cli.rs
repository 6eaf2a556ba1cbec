use std::path::PathBuf;

use crate::bench;
use crate::demo;
use crate::dev;
use crate::failure::{Failure, Result};
use crate::fuzz;
use crate::release;
use crate::setup::Scope;
use crate::test;

pub(crate) const USAGE: &str = "\
usage: cargo xtask <command>

  setup [page|release|demo|all|soak]
                           get what is missing: what the page's build needs, what a release or the demo
                           needs too, or (by default) what the tests need as well, or what `soak` needs;
                           each step is skipped when it is already right
  build                    target/release/syclscope, with the page and the subscriber inside
  wheel                    target/wheels/syclscope-….whl: the Python package with that program inside
  release [--trial [FILE]] target/release-artefacts/VERSION: archive, Debian package, wheel, bill of
                           materials, licences, changes, checksums, of a program for glibc 2.28 with the
                           same bytes wherever it is built; `--trial` makes them of what is here, with the
                           program FILE and the recorder beside it, or those of `build`
  demo [--no-browser] [--port N] [--python]
                           record an example on a real SYCL runtime and open its timeline
  dev [FILE] [--port N] [--no-browser]
                           the page for whoever changes it: built unoptimised, served with a trace,
                           built and loaded again when one of its files changes
  test [--only NAME]… [--gpu]
                           every check and test; `--only list` names the steps, `--gpu` is the one that
                           needs an NVIDIA GPU, `--only release` packs and tries a release's artefacts
  test --changed [REVISION]
                           the checks and tests that files can break which differ from REVISION (or
                           from HEAD), in minutes: for use while you work
  soak [--only NAME]…      the tests of the server in full, on PostgreSQL, Garage and azurite: takes
                           hours; Garage, which `test` leaves out where it is not in the cache, is
                           built first
  lint                     the checks that need no test run: format, clippy, architecture, licences
  pictures                 docs/images, taken anew of the page that is built, in Chromium
  fuzz [--seconds N] [--only TARGET]… [--no-coverage]
                           the fuzz targets, each for 600 seconds or N
  bench NAME[,NAME…] [--json FILE]
                           measure: import, tiles, memory, served, graph, compare, recorder, page, viewers,
                           or all; `tiles --large` is for 10^8 slices, which take 12 GB of memory

environment:
  SYCLSCOPE_CACHE          where tools and runtimes are kept (default: ~/.cache/syclscope)
  SYCLSCOPE_WASM_TOOLCHAIN rustup or debian: where wasm32's standard library comes from
  CHROMIUM                 the browser of the tests";

#[derive(Debug, PartialEq)]
pub(crate) enum Action {
    Help,
    Setup(Scope),
    Build,
    Wheel,
    Release(release::Options),
    Demo(demo::Options),
    Dev(dev::Options),
    Test(test::Options),
    Soak { only: Vec<String> },
    Lint,
    Pictures,
    Fuzz(fuzz::Options),
    Bench { name: String, json: Option<PathBuf> },
}

pub(crate) fn parse(arguments: impl Iterator<Item = String>) -> Result<Action> {
    let mut rest = Arguments(arguments.collect::<Vec<_>>().into_iter());
    let Some(command) = rest.0.next() else { return Ok(Action::Help) };
    let action = match command.as_str() {
        "help" | "-h" | "--help" => Action::Help,
        "setup" => Action::Setup(match rest.0.next().as_deref() {
            None | Some("all") => Scope::Tests,
            Some("page") => Scope::Page,
            Some("release") => Scope::Release,
            Some("demo") => Scope::Demo,
            Some("soak") => Scope::Soak,
            Some(other) => return Err(unknown(other)),
        }),
        "build" => Action::Build,
        "wheel" => Action::Wheel,
        "release" => parse_release(&mut rest)?,
        "lint" => Action::Lint,
        "pictures" => Action::Pictures,
        "demo" => Action::Demo(parse_demo(&mut rest)?),
        "dev" => Action::Dev(parse_dev(&mut rest)?),
        "test" => parse_test(&mut rest)?,
        "soak" => parse_soak(&mut rest)?,
        "fuzz" => Action::Fuzz(parse_fuzz(&mut rest)?),
        "bench" => parse_bench(&mut rest)?,
        other => return Err(unknown(other)),
    };
    match rest.0.next() {
        None => Ok(action),
        Some(extra) => Err(unknown(&extra)),
    }
}

struct Arguments(std::vec::IntoIter<String>);

impl Arguments {
    fn value_of(&mut self, option: &str) -> Result<String> {
        self.0.next().ok_or_else(|| Failure::new(format!("{option} needs a value")))
    }

    fn port(&mut self) -> Result<u16> {
        let text = self.value_of("--port")?;
        text.parse().map_err(|_| Failure::new(format!("{text} is no port number")))
    }
}

fn parse_release(rest: &mut Arguments) -> Result<Action> {
    let mut options = release::Options::default();
    for argument in rest.0.by_ref() {
        match argument.as_str() {
            "--trial" => options.is_trial = true,
            file if options.is_trial && options.program.is_none() && !file.starts_with('-') => {
                options.program = Some(file.into());
            }
            other => return Err(unknown(other)),
        }
    }
    Ok(Action::Release(options))
}

fn parse_demo(rest: &mut Arguments) -> Result<demo::Options> {
    let mut options = demo::Options::default();
    while let Some(argument) = rest.0.next() {
        match argument.as_str() {
            "--no-browser" => options.no_browser = true,
            "--python" => options.python = true,
            "--port" => options.port = Some(rest.port()?),
            other => return Err(unknown(other)),
        }
    }
    Ok(options)
}

fn parse_dev(rest: &mut Arguments) -> Result<dev::Options> {
    let mut options = dev::Options::default();
    while let Some(argument) = rest.0.next() {
        match argument.as_str() {
            "--no-browser" => options.no_browser = true,
            "--port" => options.port = Some(rest.port()?),
            file if !file.starts_with('-') && options.trace.is_none() => options.trace = Some(file.into()),
            other => return Err(unknown(other)),
        }
    }
    Ok(options)
}

fn parse_test(rest: &mut Arguments) -> Result<Action> {
    let mut options = test::Options::default();
    while let Some(argument) = rest.0.next() {
        match argument.as_str() {
            "--only" => options.only.push(rest.value_of("--only")?),
            "--gpu" => options.only.push("gpu".to_owned()),
            "--changed" => options.changed = Some("HEAD".to_owned()),
            revision if options.changed.is_some() && !revision.starts_with('-') => {
                options.changed = Some(revision.to_owned());
            }
            other => return Err(unknown(other)),
        }
    }
    Ok(Action::Test(options))
}

fn parse_soak(rest: &mut Arguments) -> Result<Action> {
    let mut only = Vec::new();
    while let Some(argument) = rest.0.next() {
        match argument.as_str() {
            "--only" => only.push(rest.value_of("--only")?),
            other => return Err(unknown(other)),
        }
    }
    Ok(Action::Soak { only })
}

fn parse_fuzz(rest: &mut Arguments) -> Result<fuzz::Options> {
    let mut options = fuzz::Options { seconds: 600, only: Vec::new(), without_coverage: false };
    while let Some(argument) = rest.0.next() {
        match argument.as_str() {
            "--only" => options.only.push(rest.value_of("--only")?),
            "--no-coverage" => options.without_coverage = true,
            "--seconds" => {
                let text = rest.value_of("--seconds")?;
                options.seconds =
                    text.parse().map_err(|_| Failure::new(format!("{text} is no number of seconds")))?;
            }
            other => return Err(unknown(other)),
        }
    }
    Ok(options)
}

fn parse_bench(rest: &mut Arguments) -> Result<Action> {
    let mut name = rest.value_of("bench")?;
    let mut json = None;
    while let Some(argument) = rest.0.next() {
        match argument.as_str() {
            "--json" => json = Some(PathBuf::from(rest.value_of("--json")?)),
            "--large" if name == "tiles" => bench::LARGE.clone_into(&mut name),
            other => return Err(unknown(other)),
        }
    }
    Ok(Action::Bench { name, json })
}

fn unknown(argument: &str) -> Failure {
    Failure::new(format!("what {argument} means here is not known"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Action> {
        parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn commands_and_options_are_read() {
        assert_eq!(parsed("setup").unwrap(), Action::Setup(Scope::Tests));
        assert_eq!(parsed("wheel").unwrap(), Action::Wheel);
        assert_eq!(
            parsed("release --trial a/b").unwrap(),
            Action::Release(release::Options { is_trial: true, program: Some("a/b".into()) })
        );
        assert_eq!(parsed("setup page").unwrap(), Action::Setup(Scope::Page));
        assert_eq!(
            parsed("demo --port 8080 --no-browser").unwrap(),
            Action::Demo(demo::Options { no_browser: true, port: Some(8080), python: false })
        );
        assert_eq!(
            parsed("dev run.json --port 8080").unwrap(),
            Action::Dev(dev::Options { trace: Some("run.json".into()), port: Some(8080), no_browser: false })
        );
        assert_eq!(parsed("soak --only killed").unwrap(), Action::Soak { only: vec!["killed".into()] });
        assert_eq!(
            parsed("test --only format --only e2e").unwrap(),
            Action::Test(test::Options { only: vec!["format".into(), "e2e".into()], changed: None })
        );
        assert_eq!(
            parsed("test --changed main").unwrap(),
            Action::Test(test::Options { only: vec![], changed: Some("main".into()) })
        );
        assert_eq!(
            parsed("fuzz --seconds 5 --only tile").unwrap(),
            Action::Fuzz(fuzz::Options { seconds: 5, only: vec!["tile".into()], without_coverage: false })
        );
        assert_eq!(
            parsed("bench page --json out.jsonl").unwrap(),
            Action::Bench { name: "page".into(), json: Some("out.jsonl".into()) }
        );
        assert_eq!(
            parsed("bench tiles --large").unwrap(),
            Action::Bench { name: "large".into(), json: None }
        );
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for line in [
            "fly",
            "demo --port",
            "demo --port x",
            "dev a b",
            "release a",
            "test format",
            "build now",
            "setup moon",
            "bench",
        ] {
            assert!(parsed(line).is_err(), "{line}");
        }
    }

    /// Arguments after `cargo xtask` in a document: up to the end of the backticks, or of the line in a code block.
    fn mentioned(text: &str) -> Vec<String> {
        let places = text.match_indices("cargo xtask ");
        let ended = places.map(|(place, name)| {
            let rest = &text[place + name.len()..];
            let is_in_sentence = text[..place].ends_with('`');
            let end = if is_in_sentence { rest.find('`') } else { rest.find(['\n', '#', '`']) };
            rest[..end.unwrap_or(rest.len())].replace('\n', " ")
        });
        ended.map(|command| command.trim_end_matches('…').trim().to_owned()).collect()
    }

    #[test]
    fn what_documents_call_a_command_is_one() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut documents: Vec<PathBuf> =
            ["README.md", "CONTRIBUTING.md", "bench/README.md", "fuzz/README.md", "e2e/README.md"]
                .map(|name| root.join(name))
                .into();
        documents.extend(crate::fingerprint::files_below(&root.join("docs")).unwrap());
        documents.retain(|file| file.extension().is_some_and(|extension| extension == "md"));
        let mut found = 0;
        for document in documents {
            let text = std::fs::read_to_string(&document).unwrap();
            for command in mentioned(&text) {
                let action = parsed(&command)
                    .unwrap_or_else(|error| panic!("{}: {command}: {error}", document.display()));
                if let Action::Test(test::Options { only, .. }) = action
                    && only != ["list"]
                {
                    assert!(crate::test::chosen(&only).is_ok(), "{}: {command}", document.display());
                }
                found += 1;
            }
        }
        assert!(found > 30, "only {found} commands were found");
    }
}

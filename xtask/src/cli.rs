use crate::prelude::*;
use crate::setup::Scope;
use crate::{bench, demo, dev, fuzz, release, test};

pub(crate) const USAGE: &str = "\
usage: cargo xtask <command>

  demo [--no-browser] [--port N] [--python]
                           Record an example on a real SYCL runtime and open its timeline
  build                    Build target/release/syclscope, with the page and the recorder inside
  test [--only NAME]… [--gpu]
                           Run every check and test. `--only list` lists the steps. `--gpu` runs only the
                           tests on an NVIDIA GPU. `--only release` packs a release's artefacts and tries
                           them, which no other run does
  test --changed [REVISION]
                           Run in minutes the checks and tests of the files that differ from REVISION
                           [default: HEAD]
  lint                     Run the checks without tests: format, clippy, rustdoc, architecture, licences
  dev [FILE] [--port N] [--no-browser]
                           Serve a trace with an unoptimised page, which is built and loaded again
                           after each change of its sources
  bench NAME[,NAME…] [--json FILE]
                           Measure: import, tiles, memory, served, graph, compare, recorder, page, viewers
                           or all. `tiles --large` has 10^8 slices and takes 12 GB of memory
  fuzz [--seconds N] [--only TARGET]… [--no-coverage]
                           Run each fuzz target for N seconds [default: 600]
  soak [--only NAME]…      Run the server's long tests on PostgreSQL, Garage and azurite. Takes hours, and
                           builds Garage first if the cache lacks it
  setup [page|release|demo|all|soak]
                           Install what the page's build, a release, the demo, the tests or `soak` need
                           [default: all, which are the tests' needs]. Skips installed parts
  wheel                    Build target/wheels/syclscope-….whl: the Python package with the program
  release [--trial [FILE]] Build target/release-artefacts/VERSION for glibc 2.28, reproducibly: archive,
                           Debian package, wheel, bill of materials, licences, changes, checksums.
                           `--trial` packs the program FILE with the recorder beside it [default: those
                           of `build`]
  pictures                 Take docs/images anew from the built page, in Chromium
  help                     Print this text

environment:
  SYCLSCOPE_CACHE          Folder of tools and runtimes [default: ~/.cache/syclscope]
  CHROMIUM                 Browser of the tests";

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
    let mut rest = Arguments(arguments.collect());
    if rest.0.iter().any(|argument| argument == "-h" || argument == "--help") {
        return Ok(Action::Help);
    }
    let Some(command) = rest.free() else {
        return rest.0.first().map_or(Ok(Action::Help), |argument| Err(unknown(argument)));
    };
    let action = match command.as_str() {
        "help" => Action::Help,
        "setup" => Action::Setup(match rest.free().as_deref() {
            None | Some("all") => Scope::Tests,
            Some("page") => Scope::Page,
            Some("release") => Scope::Release,
            Some("demo") => Scope::Demo,
            Some("soak") => Scope::Soak,
            Some(other) => return Err(unknown(other)),
        }),
        "build" => Action::Build,
        "wheel" => Action::Wheel,
        "release" => {
            let is_trial = rest.flag("--trial");
            let program = if is_trial { rest.free().map(PathBuf::from) } else { None };
            Action::Release(release::Options { is_trial, program })
        }
        "lint" => Action::Lint,
        "pictures" => Action::Pictures,
        "demo" => Action::Demo(demo::Options {
            no_browser: rest.flag("--no-browser"),
            port: rest.number("--port")?,
            python: rest.flag("--python"),
        }),
        "dev" => Action::Dev(dev::Options {
            port: rest.number("--port")?,
            no_browser: rest.flag("--no-browser"),
            trace: rest.free().map(PathBuf::from),
        }),
        "test" => {
            let mut only = rest.values("--only")?;
            only.extend(rest.flag("--gpu").then(|| "gpu".to_owned()));
            let is_changed = rest.flag("--changed");
            let changed = is_changed.then(|| rest.free().unwrap_or_else(|| "HEAD".to_owned()));
            Action::Test(test::Options { only, changed })
        }
        "soak" => Action::Soak { only: rest.values("--only")? },
        "fuzz" => Action::Fuzz(fuzz::Options {
            seconds: rest.number("--seconds")?.unwrap_or(600),
            only: rest.values("--only")?,
            without_coverage: rest.flag("--no-coverage"),
        }),
        "bench" => {
            let json = rest.values("--json")?.pop().map(PathBuf::from);
            let name = rest.free().ok_or_else(|| Failure::new("bench needs a name"))?;
            let is_large = name == "tiles" && rest.flag("--large");
            Action::Bench { name: if is_large { bench::LARGE.to_owned() } else { name }, json }
        }
        other => return Err(unknown(other)),
    };
    rest.0.first().map_or(Ok(action), |extra| Err(unknown(extra)))
}

struct Arguments(Vec<String>);

impl Arguments {
    fn flag(&mut self, name: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|argument| argument != name);
        self.0.len() < before
    }

    fn values(&mut self, option: &str) -> Result<Vec<String>> {
        let mut found = Vec::new();
        while let Some(place) = self.0.iter().position(|argument| argument == option) {
            if place + 1 == self.0.len() {
                return Err(Failure::new(format!("{option} needs a value")));
            }
            found.extend(self.0.drain(place..place + 2).nth(1));
        }
        Ok(found)
    }

    fn number<N: std::str::FromStr>(&mut self, option: &str) -> Result<Option<N>> {
        let Some(text) = self.values(option)?.pop() else { return Ok(None) };
        text.parse().map(Some).map_err(|_| Failure::new(format!("{option}: {text} is no number")))
    }

    fn free(&mut self) -> Option<String> {
        let place = self.0.iter().position(|argument| !argument.starts_with('-'))?;
        Some(self.0.remove(place))
    }
}

fn unknown(argument: &str) -> Failure {
    Failure::new(format!("unknown argument {argument}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Action> {
        parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn commands_and_options_are_read() {
        let own = str::to_owned;
        for (line, action) in [
            ("", Action::Help),
            ("--help", Action::Help),
            ("test -h", Action::Help),
            ("setup", Action::Setup(Scope::Tests)),
            ("setup page", Action::Setup(Scope::Page)),
            ("wheel", Action::Wheel),
            (
                "release --trial a/b",
                Action::Release(release::Options { is_trial: true, program: Some("a/b".into()) }),
            ),
            (
                "demo --port 8080 --no-browser",
                Action::Demo(demo::Options { no_browser: true, port: Some(8080), python: false }),
            ),
            (
                "dev run.json --port 8080",
                Action::Dev(dev::Options {
                    trace: Some("run.json".into()),
                    port: Some(8080),
                    no_browser: false,
                }),
            ),
            ("soak --only killed", Action::Soak { only: vec![own("killed")] }),
            (
                "test --only format --only e2e",
                Action::Test(test::Options { only: vec![own("format"), own("e2e")], changed: None }),
            ),
            ("test --changed main", Action::Test(test::Options { only: vec![], changed: Some(own("main")) })),
            (
                "fuzz --seconds 5 --only tile",
                Action::Fuzz(fuzz::Options { seconds: 5, only: vec![own("tile")], without_coverage: false }),
            ),
            (
                "bench page --json out.jsonl",
                Action::Bench { name: own("page"), json: Some("out.jsonl".into()) },
            ),
            ("bench tiles --large", Action::Bench { name: own("large"), json: None }),
        ] {
            assert_eq!(parsed(line).unwrap(), action, "{line}");
        }
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for line in [
            "fly",
            "demo --port",
            "demo --port x",
            "demo --fast",
            "dev a b",
            "--fast",
            "release a",
            "test format",
            "build now",
            "setup moon",
            "bench",
        ] {
            assert!(parsed(line).is_err(), "{line}");
        }
    }

    /// Returns the arguments after `cargo xtask` in a document: up to the end of the backticks, or of the line in a
    /// code block.
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
        let root = Workspace::of_this_clone().root;
        let mut documents: Vec<PathBuf> =
            ["README.md", "CONTRIBUTING.md", "bench/README.md", "fuzz/README.md", "e2e/README.md"]
                .map(|name| root.join(name))
                .into();
        documents.extend(files::below(&root.join("docs")).unwrap());
        documents.retain(|file| files::has_extension(file, "md"));
        let mut found = 0;
        for document in documents {
            let text = files::read(&document).unwrap();
            for command in mentioned(&text) {
                let action = parsed(&command)
                    .unwrap_or_else(|error| panic!("{}: {command}: {error}", document.display()));
                if let Action::Test(test::Options { only, .. }) = action
                    && only != ["list"]
                {
                    assert!(crate::test::select(&only).is_ok(), "{}: {command}", document.display());
                }
                found += 1;
            }
        }
        assert!(found > 30, "only {found} commands were found");
    }
}

//! The bill of materials, in the format CycloneDX 1.5 (JSON).

use super::dependencies::{Crate, Dependencies};
use crate::json::{Json, list, object};
use crate::prelude::*;

pub(super) fn text(dependencies: &Dependencies, version: &str, epoch: &str) -> Result<String> {
    let own = format!("pkg:generic/syclscope@{version}");
    let all = || dependencies.0.values();
    let depends = |whole: Json, parts: Json| object([("ref", whole), ("dependsOn", parts)]);
    let ours = list(all().filter(|one| one.is_ours).map(reference));
    let each = all().map(|one| {
        let needs = one.needs.iter().filter_map(|id| dependencies.0.get(id));
        depends(reference(one).into(), list(needs.map(reference)))
    });
    let program = object([
        ("type", "application".into()),
        ("bom-ref", own.as_str().into()),
        ("name", "syclscope".into()),
        ("version", version.into()),
        ("purl", own.as_str().into()),
        ("licenses", list([object([("expression", "MIT OR Apache-2.0".into())])])),
    ]);
    let bill = object([
        ("bomFormat", "CycloneDX".into()),
        ("specVersion", "1.5".into()),
        ("version", 1.0.into()),
        ("metadata", object([("timestamp", time(epoch)?.into()), ("component", program)])),
        ("components", list(all().map(component))),
        ("dependencies", list([depends(own.as_str().into(), ours)].into_iter().chain(each))),
    ]);
    Ok(format!("{bill:#}\n"))
}

fn reference(one: &Crate) -> String {
    format!("pkg:cargo/{}@{}", one.name, one.version)
}

fn component(one: &Crate) -> Json {
    let mut component = object([
        ("type", "library".into()),
        ("bom-ref", reference(one).into()),
        ("name", one.name.as_str().into()),
        ("version", one.version.as_str().into()),
        ("purl", reference(one).into()),
    ]);
    if !one.licence.is_empty() {
        // Old crates write `MIT/Apache-2.0`, which is no SPDX expression.
        let licence = one.licence.replace('/', " OR ");
        component = component.with("licenses", list([object([("expression", licence.into())])]));
    }
    if let Some(checksum) = &one.checksum {
        let hash = object([("alg", "SHA-256".into()), ("content", checksum.as_str().into())]);
        component = component.with("hashes", list([hash]));
    }
    if let Some(repository) = &one.repository {
        let reference = object([("type", "vcs".into()), ("url", repository.as_str().into())]);
        component = component.with("externalReferences", list([reference]));
    }
    component
}

/// `1700000000` as `2023-11-14T22:13:20Z`.
pub(super) fn time(epoch: &str) -> Result<String> {
    process::answer(Command::new("date").args(["--utc", &format!("--date=@{epoch}"), "+%Y-%m-%dT%H:%M:%SZ"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_days_of_the_calendar() {
        assert_eq!(time("1700000000").unwrap(), "2023-11-14T22:13:20Z");
        assert!(time("today").is_err());
    }
}

//! The bill of materials, in the format CycloneDX 1.5 (JSON).

use serde_json::{Value, json};

use super::dependencies::{Crate, Dependencies};
use crate::prelude::*;

pub(super) fn text(dependencies: &Dependencies, version: &str, epoch: &str) -> Result<String> {
    let own = format!("pkg:generic/syclscope@{version}");
    let all = || dependencies.0.values();
    let ours: Vec<String> = all().filter(|one| one.is_ours).map(reference).collect();
    let each = all().map(|one| {
        let needs = one.needs.iter().filter_map(|id| dependencies.0.get(id));
        json!({ "ref": reference(one), "dependsOn": needs.map(reference).collect::<Vec<_>>() })
    });
    let depends = std::iter::once(json!({ "ref": own, "dependsOn": ours })).chain(each);
    let bill = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": time(epoch)?,
            "component": {
                "type": "application", "bom-ref": own, "name": "syclscope", "version": version, "purl": own,
                "licenses": [{ "expression": "MIT OR Apache-2.0" }],
            },
        },
        "components": all().map(component).collect::<Vec<_>>(),
        "dependencies": depends.collect::<Vec<_>>(),
    });
    Ok(format!("{bill:#}\n"))
}

fn reference(one: &Crate) -> String {
    format!("pkg:cargo/{}@{}", one.name, one.version)
}

fn component(one: &Crate) -> Value {
    let mut component = json!({
        "type": "library", "bom-ref": reference(one), "name": one.name, "version": one.version, "purl": reference(one),
    });
    if !one.licence.is_empty() {
        // Old crates write `MIT/Apache-2.0`, which is no SPDX expression.
        component["licenses"] = json!([{ "expression": one.licence.replace('/', " OR ") }]);
    }
    if let Some(checksum) = &one.checksum {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    if let Some(repository) = &one.repository {
        component["externalReferences"] = json!([{ "type": "vcs", "url": repository }]);
    }
    component
}

/// Formats `1700000000` as `2023-11-14T22:13:20Z`.
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

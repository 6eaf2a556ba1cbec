//! The bill of materials, in the format CycloneDX 1.5 (JSON).

use serde_json::{Value, json};

use super::dependencies::{Crate, Dependencies};
use crate::failure::{Failure, Result};

pub(super) fn text(dependencies: &Dependencies, version: &str, epoch: &str) -> Result<String> {
    let own = format!("pkg:generic/syclscope@{version}");
    let ours: Vec<Value> =
        dependencies.0.values().filter(|one| one.is_ours).map(|one| reference(one).into()).collect();
    let mut depends = vec![json!({ "ref": own, "dependsOn": ours })];
    depends.extend(dependencies.0.values().map(|one| {
        let needs: Vec<String> =
            one.needs.iter().filter_map(|id| dependencies.0.get(id)).map(reference).collect();
        json!({ "ref": reference(one), "dependsOn": needs })
    }));
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
        "components": dependencies.0.values().map(component).collect::<Vec<_>>(),
        "dependencies": depends,
    });
    Ok(serde_json::to_string_pretty(&bill).unwrap_or_default() + "\n")
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

/// `1700000000` as `2023-11-14T22:13:20Z`.
pub(super) fn time(epoch: &str) -> Result<String> {
    let seconds: u64 = epoch.parse().map_err(|_| Failure::new(format!("{epoch} is no number of seconds")))?;
    let (day, second) = (seconds / 86_400, seconds % 86_400);
    // Days since the first of March of the year 0, so that a leap day is the last of its year.
    let day = day + 719_468;
    let (era, of_era) = (day / 146_097, day % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let date = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    let (hour, minute) = (second / 3_600, second / 60 % 60);
    Ok(format!("{year:04}-{month:02}-{date:02}T{hour:02}:{minute:02}:{:02}Z", second % 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_days_of_the_calendar() {
        for (epoch, text) in [
            ("0", "1970-01-01T00:00:00Z"),
            ("951782399", "2000-02-28T23:59:59Z"),
            ("951782400", "2000-02-29T00:00:00Z"),
            ("1700000000", "2023-11-14T22:13:20Z"),
            ("4107542400", "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(time(epoch).unwrap(), text);
        }
        assert!(time("today").is_err());
    }
}

//! The tables' history: files of `server/migrations`, each with its way back. What has been released is never changed.

use sqlx::SqlSafeStr as _;
use sqlx::migrate::{Migration, MigrationType, Migrator};

/// A migration's number and name, which name its two files.
macro_rules! migration {
    ($version:literal, $name:literal) => {
        (
            $version,
            $name,
            include_str!(concat!("../../migrations/", $name, ".up.sql")),
            include_str!(concat!("../../migrations/", $name, ".down.sql")),
        )
    };
}

/// In the order of their numbers.
const ALL: &[(i64, &str, &str, &str)] = &[
    migration!(1, "0001_traces"),
    migration!(10, "0010_access"),
    migration!(11, "0011_sign_ins"),
    migration!(20, "0020_comments"),
    migration!(30, "0030_figures"),
    migration!(31, "0031_retention"),
    migration!(32, "0032_link_ranges"),
    migration!(33, "0033_samples"),
];

/// The number of the last one.
pub(super) fn newest() -> i64 {
    ALL.iter().map(|(version, ..)| *version).max().unwrap_or(0)
}

/// What brings a database's tables forward and back.
pub(super) fn all() -> Migrator {
    let both = ALL.iter().flat_map(|(version, name, up, down)| {
        let step = |kind, sql: &'static str| {
            Migration::new(*version, (*name).into(), kind, sql.into_sql_str(), false)
        };
        [step(MigrationType::ReversibleUp, up), step(MigrationType::ReversibleDown, down)]
    });
    Migrator::with_migrations(both.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_a_migration() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations");
        let files = std::fs::read_dir(folder).unwrap().flatten();
        let mut files: Vec<String> = files.map(|file| file.file_name().into_string().unwrap()).collect();
        files.sort();
        let named =
            ALL.iter().flat_map(|(_, name, ..)| [format!("{name}.down.sql"), format!("{name}.up.sql")]);
        assert_eq!(files, named.collect::<Vec<_>>());
        assert!(ALL.iter().all(|(version, name, ..)| name.starts_with(&format!("{version:04}_"))));
    }
}

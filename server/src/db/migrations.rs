//! Migrations of the tables: files in `server/migrations`, each with its reversal. Released ones never
//! change.

use sqlx::SqlSafeStr as _;
use sqlx::migrate::{Migration, MigrationType, Migrator};

/// A migration's number and name, from which its two file names derive.
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

/// In numerical order.
const ALL: &[(i64, &str, &str, &str)] = &[
    migration!(1, "0001_traces"),
    migration!(10, "0010_access"),
    migration!(11, "0011_sign_ins"),
    migration!(20, "0020_comments"),
    migration!(30, "0030_figures"),
    migration!(31, "0031_retention"),
    migration!(32, "0032_link_ranges"),
    migration!(33, "0033_samples"),
    migration!(34, "0034_identities"),
    migration!(35, "0035_people"),
    migration!(36, "0036_scripts"),
];

pub(super) fn newest() -> i64 {
    ALL.iter().map(|(version, ..)| *version).max().unwrap_or(0)
}

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
    use sqlx::{AssertSqlSafe, Row as _};

    use super::super::{Connection, testing};
    use super::*;

    async fn run(connection: &mut Connection, text: String) {
        sqlx::raw_sql(AssertSqlSafe(text)).execute(connection).await.unwrap();
    }

    #[tokio::test]
    async fn names_of_before_become_those_of_people_and_tokens_and_nobody_gains_any() {
        for base in testing::databases().await {
            base.db.migrate_back(33).await.unwrap();
            let connection = &mut *base.db.reading().await.unwrap();
            for (name, token, member, session) in all_names() {
                let (trace, end) = (format!("trace-{name}"), i64::MAX);
                run(
                    connection,
                    format!(
                        "INSERT INTO traces (id, project, name, size_bytes, stored_unix_ns, uploaded_by) \
                         VALUES ('{trace}', 'default', 'a', 1, 1, '{name}'); \
                         INSERT INTO uploads (id, project, name, size_bytes, sha256, labels, uploaded_by, begun_unix_ns, state) \
                         VALUES ('upload-{name}', 'default', 'a', 1, '', '{{}}', '{name}', 1, 'open'); \
                         INSERT INTO comments (id, trace, words, made_by, made_unix_ns, change) \
                         SELECT 'comment-{name}', '{trace}', '', '{name}', 1, 1 + COUNT(*) FROM comments"
                    ),
                )
                .await;
                if token {
                    let row = format!("('{name}', '{name}', 'secret of {name}', 'admin', 1)");
                    run(
                        connection,
                        format!(
                            "INSERT INTO tokens (id, name, secret_sha256, role, made_unix_ns) VALUES {row}"
                        ),
                    )
                    .await;
                }
                if member {
                    run(connection, format!("INSERT INTO members (project, person, role) VALUES ('default', '{name}', 'viewer')"))
                        .await;
                }
                if session {
                    let row = format!("('session of {name}', '{name}', {end})");
                    run(
                        connection,
                        format!("INSERT INTO sessions (secret_sha256, person, expires_unix_ns) VALUES {row}"),
                    )
                    .await;
                }
            }
            base.db.migrate().await.unwrap();
            for (name, token, member, session) in all_names() {
                let want = match (token, member || session) {
                    (false, _) => Some("user"),
                    (true, false) => Some("token"),
                    (true, true) => None,
                };
                for (table, kind) in [("traces", "trace"), ("uploads", "upload"), ("comments", "comment")] {
                    let text = format!("SELECT by_kind FROM {table} WHERE id = '{kind}-{name}'");
                    let row = sqlx::query(AssertSqlSafe(text)).fetch_one(&mut *connection).await.unwrap();
                    assert_eq!(row.get::<Option<String>, _>("by_kind").as_deref(), want, "{table} of {name}");
                }
            }
        }
    }

    /// Returns names, each with three flags: used by a token, by a member, by a session.
    fn all_names() -> impl Iterator<Item = (String, bool, bool, bool)> {
        (0..8_u8).map(|bits| (format!("name{bits}"), bits & 1 != 0, bits & 2 != 0, bits & 4 != 0))
    }

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

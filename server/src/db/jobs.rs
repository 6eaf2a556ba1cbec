//! Jobs: work that any replica can do, one replica per job at a time.
//!
//! A replica leases a job, and extends the lease while it works. If it dies, the lease expires and another
//! replica takes over, so repeating a job must be harmless. A replica renews its lease when a third of it is over, so the
//! clocks of the replicas may differ by less than two thirds of [`LEASE`].

use std::time::Duration;

use sqlx::{AssertSqlSafe, Row as _};

use super::figures::FIGURES;
use super::{Connection, Db, DbError, Kind, corrupt, found, stored};
use syclscope_system::id::Id;

/// Duration of a lease, which the replica extends while working.
pub const LEASE: Duration = Duration::from_secs(15);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    pub id: Id,
    pub subject: Id,
    /// Number of leases so far, including this one.
    pub attempts: u64,
}

/// Adds a job, unless there is one of this kind for this subject.
pub async fn add(
    connection: &mut Connection,
    kind: &str,
    subject: &Id,
    now_unix_ns: u64,
) -> Result<(), DbError> {
    let insert = sqlx::query(
        "INSERT INTO jobs (id, kind, subject, made_unix_ns) VALUES ($1, $2, $3, $4) \
         ON CONFLICT DO NOTHING",
    );
    let id = Id::random().map_err(|error| corrupt(&error))?;
    let insert = insert.bind(id.as_str()).bind(kind).bind(subject.as_str()).bind(stored(now_unix_ns));
    insert.execute(connection).await?;
    Ok(())
}

/// Adds a job for each trace without metrics or without a sample, unless there is one.
pub async fn add_missing_figures(connection: &mut Connection, now_unix_ns: u64) -> Result<(), DbError> {
    // A job has the id of its trace, as in the migrations.
    let insert = sqlx::query(
        "INSERT INTO jobs (id, kind, subject, made_unix_ns) \
         SELECT trace, $1, trace, $2 FROM figures WHERE known = 0 OR sample = '' ON CONFLICT DO NOTHING",
    );
    insert.bind(FIGURES).bind(stored(now_unix_ns)).execute(connection).await?;
    Ok(())
}

/// Leases the oldest free job of a kind. Concurrent calls get different jobs.
pub async fn take(db: &Db, kind: &str, by: &Id, now_unix_ns: u64) -> Result<Option<Job>, DbError> {
    let oldest = "SELECT id, subject, attempts FROM jobs \
        WHERE kind = $1 AND claimed_until_unix_ns <= $2 ORDER BY made_unix_ns LIMIT 1";
    let skip = match db.kind() {
        // Only one transaction writes at a time.
        Kind::Sqlite => "",
        Kind::Postgres => " FOR UPDATE SKIP LOCKED",
    };
    let mut transaction = db.writing().await?;
    let select = sqlx::query(AssertSqlSafe(format!("{oldest}{skip}"))).bind(kind).bind(stored(now_unix_ns));
    let Some(row) = select.fetch_optional(&mut *transaction).await? else { return Ok(None) };
    let id = |name: &str| row.try_get::<String, _>(name)?.parse::<Id>().map_err(|error| corrupt(&error));
    let attempts = found(row.try_get("attempts")?) + 1;
    let job = Job { id: id("id")?, subject: id("subject")?, attempts };
    let update = sqlx::query(
        "UPDATE jobs SET claimed_by = $2, claimed_until_unix_ns = $3, attempts = $4 WHERE id = $1",
    );
    let update = update.bind(job.id.as_str()).bind(by.as_str()).bind(stored(lease_from(now_unix_ns)));
    update.bind(stored(attempts)).execute(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(Some(job))
}

/// Extends a lease. True if the replica still has it.
pub async fn hold(connection: &mut Connection, job: &Id, by: &Id, now_unix_ns: u64) -> Result<bool, DbError> {
    let update = sqlx::query("UPDATE jobs SET claimed_until_unix_ns = $3 WHERE id = $1 AND claimed_by = $2");
    let update = update.bind(job.as_str()).bind(by.as_str()).bind(stored(lease_from(now_unix_ns)));
    Ok(update.execute(connection).await?.rows_affected() > 0)
}

/// Releases a job, which replicas may lease again from `until_unix_ns`, in ns since 1970-01-01 UTC. An attempt that
/// an outage ended does not count.
pub async fn give_up(
    connection: &mut Connection,
    job: &Id,
    by: &Id,
    until_unix_ns: u64,
    is_outage: bool,
) -> Result<(), DbError> {
    let update = sqlx::query(
        "UPDATE jobs SET claimed_by = NULL, claimed_until_unix_ns = $3, attempts = attempts - $4 \
         WHERE id = $1 AND claimed_by = $2",
    );
    let update = update.bind(job.as_str()).bind(by.as_str()).bind(stored(until_unix_ns));
    update.bind(i64::from(is_outage)).execute(connection).await?;
    Ok(())
}

/// Releases all jobs of a replica that shuts down, whose attempts do not count.
pub async fn give_up_all(connection: &mut Connection, by: &Id) -> Result<(), DbError> {
    let update = sqlx::query(
        "UPDATE jobs SET claimed_by = NULL, claimed_until_unix_ns = 0, attempts = attempts - 1 \
         WHERE claimed_by = $1",
    );
    update.bind(by.as_str()).execute(connection).await?;
    Ok(())
}

/// Removes the job of a kind for a subject, unless a replica has leased it. True if it was removed.
pub async fn remove_free(connection: &mut Connection, kind: &str, subject: &Id) -> Result<bool, DbError> {
    let delete = sqlx::query("DELETE FROM jobs WHERE kind = $1 AND subject = $2 AND claimed_by IS NULL");
    let delete = delete.bind(kind).bind(subject.as_str());
    Ok(delete.execute(connection).await?.rows_affected() > 0)
}

pub async fn remove(connection: &mut Connection, job: &Id) -> Result<(), DbError> {
    sqlx::query("DELETE FROM jobs WHERE id = $1").bind(job.as_str()).execute(connection).await?;
    Ok(())
}

fn lease_from(now_unix_ns: u64) -> u64 {
    now_unix_ns.saturating_add(u64::try_from(LEASE.as_nanos()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::testing;
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    #[tokio::test]
    async fn a_job_is_one_copys_until_it_is_silent_for_long() {
        for base in testing::databases().await {
            let (db, lease) = (&base.db, u64::try_from(LEASE.as_nanos()).unwrap());
            let (one, two) = (Id::for_bytes(b"one"), Id::for_bytes(b"two"));
            let subject = Id::for_bytes(b"subject");
            for _ in 0..2 {
                add(&mut db.reading().await.unwrap(), "import", &subject, 1).await.unwrap();
            }
            let job = take(db, "import", &one, 10 * SECOND).await.unwrap().unwrap();
            assert_eq!((&job.subject, job.attempts), (&subject, 1));
            assert_eq!(take(db, "import", &two, 11 * SECOND).await.unwrap(), None);
            let connection = &mut *db.reading().await.unwrap();
            assert!(hold(connection, &job.id, &one, 20 * SECOND).await.unwrap());
            assert_eq!(take(db, "import", &two, 10 * SECOND + lease).await.unwrap(), None);
            let again = take(db, "import", &two, 20 * SECOND + lease).await.unwrap().unwrap();
            assert_eq!((&again.id, again.attempts), (&job.id, 2));
            assert!(!hold(connection, &job.id, &one, 99 * SECOND).await.unwrap(), "it is another's now");
            give_up_all(connection, &two).await.unwrap();
            let third = take(db, "import", &one, 30 * SECOND).await.unwrap().unwrap();
            assert!(!remove_free(connection, "import", &subject).await.unwrap(), "it is leased");
            give_up(connection, &third.id, &one, 50 * SECOND, false).await.unwrap();
            assert_eq!(take(db, "import", &one, 49 * SECOND).await.unwrap(), None);
            assert_eq!(take(db, "import", &one, 50 * SECOND).await.unwrap().unwrap().attempts, 3);
            remove(connection, &job.id).await.unwrap();
            assert_eq!(take(db, "import", &one, u64::MAX / 4).await.unwrap(), None);
        }
    }

    #[tokio::test]
    async fn outages_and_shutdowns_are_no_attempts() {
        for base in testing::databases().await {
            let (db, own) = (&base.db, Id::for_bytes(b"own"));
            let connection = &mut *db.reading().await.unwrap();
            add(connection, "import", &Id::for_bytes(b"subject"), 1).await.unwrap();
            for second in 1..20 {
                let job = take(db, "import", &own, second * SECOND).await.unwrap().unwrap();
                assert_eq!(job.attempts, 1);
                give_up(connection, &job.id, &own, 0, true).await.unwrap();
            }
            take(db, "import", &own, SECOND).await.unwrap().unwrap();
            give_up_all(connection, &own).await.unwrap();
            let job = take(db, "import", &own, SECOND).await.unwrap().unwrap();
            assert_eq!(job.attempts, 1);
            give_up(connection, &job.id, &own, 0, false).await.unwrap();
            assert_eq!(take(db, "import", &own, SECOND).await.unwrap().unwrap().attempts, 2);
        }
    }

    #[tokio::test]
    async fn copies_that_ask_at_once_get_different_jobs() {
        for base in testing::databases().await {
            let connection = &mut *base.db.reading().await.unwrap();
            for number in 0..20 {
                add(connection, "import", &Id::for_bytes(&[number]), 1).await.unwrap();
            }
            let copies = (0..4).map(|copy: u8| {
                let db = base.db.clone();
                tokio::spawn(async move {
                    let mut taken = Vec::new();
                    while let Some(job) = take(&db, "import", &Id::for_bytes(&[copy]), SECOND).await.unwrap()
                    {
                        taken.push(job.subject);
                    }
                    taken
                })
            });
            let mut all = Vec::new();
            for copy in copies.collect::<Vec<_>>() {
                all.extend(copy.await.unwrap());
            }
            assert_eq!(all.len(), 20);
            assert_eq!(all.into_iter().collect::<HashSet<_>>().len(), 20);
        }
    }
}

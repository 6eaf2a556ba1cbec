//! Share links to traces for people without an account: limits, and number of openings.

use sqlx::Row as _;
use sqlx::any::AnyRow;
use syclscope_language::api::{LinkEntry, LinkRange, LinkState};

use super::{Connection, DbError, corrupt, found, stored};
use syclscope_system::id::Id;

/// Duration of a visit after opening a link, in ns: twelve hours.
pub const VISIT_NS: u64 = 12 * 3600 * 1_000_000_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkRow {
    /// Its id, which grants no permission.
    pub id: Id,
    /// The trace that it was created for.
    pub trace: Id,
    /// The visible part, with its copy; `None` for the whole trace.
    pub part: Option<(Id, LinkRange)>,
    /// Digest of its secret, in hexadecimal.
    pub secret_sha256: String,
    /// Purpose.
    pub name: Option<String>,
    pub made_by: Option<String>,
    pub made_unix_ns: u64,
    pub expires_unix_ns: Option<u64>,
    /// Maximum number of openings.
    pub openings: Option<u32>,
    pub opened: u32,
    pub withdrawn_unix_ns: Option<u64>,
}

impl LinkRow {
    /// Returns the visible trace: the copy of the part, or the whole trace.
    pub fn shows(&self) -> &Id {
        self.part.as_ref().map_or(&self.trace, |(copy, _)| copy)
    }

    /// Returns the state for a new visitor, at a time in ns since 1970-01-01 UTC.
    pub fn state_at(&self, now_unix_ns: u64) -> LinkState {
        if self.withdrawn_unix_ns.is_some() {
            LinkState::Withdrawn
        } else if self.expires_unix_ns.is_some_and(|end| now_unix_ns >= end) {
            LinkState::Expired
        } else if self.openings.is_some_and(|openings| self.opened >= openings) {
            LinkState::UsedUp
        } else {
            LinkState::Open
        }
    }

    /// Returns the public fields, without the secret's digest.
    pub fn entry_at(&self, now_unix_ns: u64) -> LinkEntry {
        LinkEntry {
            id: self.id.to_string(),
            name: self.name.clone(),
            made_by: self.made_by.clone(),
            made_unix_ns: self.made_unix_ns,
            expires_unix_ns: self.expires_unix_ns,
            openings: self.openings,
            opened: self.opened,
            range: self.part.as_ref().map(|(_, range)| *range),
            state: self.state_at(now_unix_ns),
        }
    }
}

pub async fn add(connection: &mut Connection, row: &LinkRow) -> Result<(), DbError> {
    let insert = sqlx::query(
        "INSERT INTO links (id, trace, secret_sha256, name, made_by, made_unix_ns, expires_unix_ns, openings, \
         opened, withdrawn_unix_ns, shows, start_ns, end_ns) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
    );
    let insert = insert.bind(row.id.as_str()).bind(row.trace.as_str()).bind(&row.secret_sha256);
    let insert = insert.bind(&row.name).bind(&row.made_by).bind(stored(row.made_unix_ns));
    let insert = insert.bind(row.expires_unix_ns.map(stored)).bind(row.openings.map(i64::from));
    let insert = insert.bind(i64::from(row.opened));
    let insert = insert.bind(row.withdrawn_unix_ns.map(stored));
    let (copy, range) = row.part.as_ref().map(|(copy, range)| (copy.as_str(), *range)).unzip();
    let insert = insert.bind(copy).bind(range.map(|range| stored(range.start_ns)));
    insert.bind(range.map(|range| stored(range.end_ns))).execute(connection).await?;
    Ok(())
}

/// Makes a link to a part show another copy of that part.
pub async fn show(connection: &mut Connection, id: &Id, copy: &Id) -> Result<(), DbError> {
    let update = sqlx::query("UPDATE links SET shows = $2 WHERE id = $1 AND shows IS NOT NULL");
    update.bind(id.as_str()).bind(copy.as_str()).execute(connection).await?;
    Ok(())
}

/// Removes a link that nobody has got.
pub async fn remove(connection: &mut Connection, id: &Id) -> Result<(), DbError> {
    sqlx::query("DELETE FROM links WHERE id = $1").bind(id.as_str()).execute(connection).await?;
    Ok(())
}

/// Returns the link with this digest of its secret, valid or not.
pub async fn with_secret(
    connection: &mut Connection,
    secret_sha256: &str,
) -> Result<Option<LinkRow>, DbError> {
    let select = sqlx::query("SELECT * FROM links WHERE secret_sha256 = $1");
    select.bind(secret_sha256).fetch_optional(connection).await?.map(|row| read(&row)).transpose()
}

/// Returns the link with this id, valid or not.
pub async fn find(connection: &mut Connection, id: &Id) -> Result<Option<LinkRow>, DbError> {
    let select = sqlx::query("SELECT * FROM links WHERE id = $1");
    select.bind(id.as_str()).fetch_optional(connection).await?.map(|row| read(&row)).transpose()
}

/// Returns the links of a trace, newest first.
pub async fn on_trace(connection: &mut Connection, trace: &Id) -> Result<Vec<LinkRow>, DbError> {
    let select = sqlx::query("SELECT * FROM links WHERE trace = $1 ORDER BY made_unix_ns DESC, id");
    select.bind(trace.as_str()).fetch_all(connection).await?.iter().map(read).collect()
}

/// Revokes a trace's link. True if it exists and wasn't revoked before.
pub async fn withdraw(
    connection: &mut Connection,
    trace: &Id,
    id: &Id,
    now_unix_ns: u64,
) -> Result<bool, DbError> {
    let update = sqlx::query(
        "UPDATE links SET withdrawn_unix_ns = $3 WHERE id = $1 AND trace = $2 AND withdrawn_unix_ns IS NULL",
    );
    let done = update.bind(id.as_str()).bind(trace.as_str()).bind(stored(now_unix_ns));
    Ok(done.execute(connection).await?.rows_affected() > 0)
}

pub async fn is_visiting(
    connection: &mut Connection,
    id: &Id,
    visit_sha256: &str,
    now_unix_ns: u64,
) -> Result<bool, DbError> {
    let select = sqlx::query(
        "SELECT at_unix_ns FROM link_uses WHERE link = $1 AND visit_sha256 = $2 AND at_unix_ns > $3",
    );
    let select = select.bind(id.as_str()).bind(visit_sha256).bind(oldest(now_unix_ns));
    Ok(select.fetch_optional(connection).await?.is_some())
}

/// Opens a link for a visitor, counting once for all requests of a visit. Returns true if they may see the
/// trace; otherwise the transaction must be rolled back.
pub async fn open(
    connection: &mut Connection,
    id: &Id,
    visit_sha256: &str,
    now_unix_ns: u64,
) -> Result<bool, DbError> {
    // The link's row is updated first, which serializes concurrent openings.
    let update = sqlx::query(
        "UPDATE links SET opened = opened + 1 WHERE id = $1 AND withdrawn_unix_ns IS NULL \
         AND (expires_unix_ns IS NULL OR expires_unix_ns > $2)",
    );
    let update = update.bind(id.as_str()).bind(stored(now_unix_ns));
    if update.execute(&mut *connection).await?.rows_affected() == 0 {
        return Ok(false);
    }
    if is_visiting(connection, id, visit_sha256, now_unix_ns).await? {
        let undo = sqlx::query("UPDATE links SET opened = opened - 1 WHERE id = $1");
        undo.bind(id.as_str()).execute(connection).await?;
        return Ok(true);
    }
    let select = sqlx::query(
        "SELECT 1 AS one FROM links WHERE id = $1 AND openings IS NOT NULL AND opened > openings",
    );
    if select.bind(id.as_str()).fetch_optional(&mut *connection).await?.is_some() {
        return Ok(false);
    }
    let delete = sqlx::query("DELETE FROM link_uses WHERE link = $1 AND at_unix_ns <= $2");
    delete.bind(id.as_str()).bind(oldest(now_unix_ns)).execute(&mut *connection).await?;
    let insert = sqlx::query("INSERT INTO link_uses (link, visit_sha256, at_unix_ns) VALUES ($1, $2, $3)");
    insert.bind(id.as_str()).bind(visit_sha256).bind(stored(now_unix_ns)).execute(connection).await?;
    Ok(true)
}

/// Counts an opening of a link without a maximum, for display.
pub async fn count(connection: &mut Connection, id: &Id) -> Result<(), DbError> {
    let update = sqlx::query("UPDATE links SET opened = opened + 1 WHERE id = $1 AND openings IS NULL");
    update.bind(id.as_str()).execute(connection).await?;
    Ok(())
}

/// Returns the start of the oldest visit that is still valid.
fn oldest(now_unix_ns: u64) -> i64 {
    stored(now_unix_ns).saturating_sub(stored(VISIT_NS))
}

fn read(row: &AnyRow) -> Result<LinkRow, DbError> {
    let number = |name: &str| Ok::<_, DbError>(row.try_get::<Option<i64>, _>(name)?.map(found));
    let count = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    let part = match row.try_get::<Option<String>, _>("shows")? {
        None => None,
        Some(copy) => {
            let copy = copy.parse().map_err(|error| corrupt(&error))?;
            let (start_ns, end_ns) = (number("start_ns")?.unwrap_or(0), number("end_ns")?.unwrap_or(0));
            Some((copy, LinkRange { start_ns, end_ns }))
        }
    };
    Ok(LinkRow {
        id: row.try_get::<String, _>("id")?.parse().map_err(|error| corrupt(&error))?,
        trace: row.try_get::<String, _>("trace")?.parse().map_err(|error| corrupt(&error))?,
        part,
        secret_sha256: row.try_get("secret_sha256")?,
        name: row.try_get("name")?,
        made_by: row.try_get("made_by")?,
        made_unix_ns: found(row.try_get("made_unix_ns")?),
        expires_unix_ns: number("expires_unix_ns")?,
        openings: number("openings")?.map(count),
        opened: count(found(row.try_get("opened")?)),
        withdrawn_unix_ns: number("withdrawn_unix_ns")?,
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing;
    use super::*;

    fn link(openings: Option<u32>) -> LinkRow {
        LinkRow {
            id: Id::for_bytes(&openings.unwrap_or(0).to_be_bytes()),
            trace: Id::for_bytes(b"trace"),
            part: openings.map(|_| (Id::for_bytes(b"copy"), LinkRange { start_ns: 3, end_ns: 9 })),
            secret_sha256: format!("digest {openings:?}"),
            name: Some("for Bob".to_owned()),
            made_by: None,
            made_unix_ns: 10,
            expires_unix_ns: Some(VISIT_NS * 2),
            openings,
            opened: 0,
            withdrawn_unix_ns: None,
        }
    }

    async fn opens(db: &super::super::Db, row: &LinkRow, visit: &str, now: u64) -> bool {
        let mut transaction = db.writing().await.unwrap();
        let may = open(&mut transaction, &row.id, visit, now).await.unwrap();
        if may {
            transaction.commit().await.unwrap();
        }
        may
    }

    #[tokio::test]
    async fn links_are_opened_so_often_and_taken_back() {
        for base in testing::databases().await {
            let (twice, often) = (link(Some(2)), link(None));
            let connection = &mut *base.db.reading().await.unwrap();
            for row in [&twice, &often] {
                add(connection, row).await.unwrap();
                assert_eq!(with_secret(connection, &row.secret_sha256).await.unwrap().as_ref(), Some(row));
            }
            assert!(opens(&base.db, &twice, "ada", 11).await);
            assert!(opens(&base.db, &twice, "ada", 12).await, "the same visit");
            assert!(opens(&base.db, &twice, "bob", 13).await);
            assert!(!opens(&base.db, &twice, "eve", 14).await);
            assert!(is_visiting(connection, &twice.id, "bob", VISIT_NS).await.unwrap());
            assert!(!is_visiting(connection, &twice.id, "bob", VISIT_NS + 13).await.unwrap(), "a visit ends");
            assert!(!opens(&base.db, &twice, "bob", VISIT_NS + 13).await, "and the next counts");
            for _ in 0..3 {
                count(connection, &often.id).await.unwrap();
            }
            let seen = on_trace(connection, &twice.trace).await.unwrap();
            let mut seen: Vec<_> = seen.iter().map(|row| (row.opened, row.state_at(15))).collect();
            seen.sort_by_key(|(opened, _)| *opened);
            assert_eq!(seen, [(2, LinkState::UsedUp), (3, LinkState::Open)]);
            assert!(!withdraw(connection, &Id::for_bytes(b"another"), &often.id, 20).await.unwrap());
            assert!(withdraw(connection, &often.trace, &often.id, 20).await.unwrap());
            assert!(!withdraw(connection, &often.trace, &often.id, 21).await.unwrap());
            assert!(!opens(&base.db, &often, "ada", 22).await);
            let other = Id::for_bytes(b"another copy");
            for row in [&twice, &often] {
                show(connection, &row.id, &other).await.unwrap();
                let shown = find(connection, &row.id).await.unwrap().unwrap();
                let expected = if row.part.is_some() { &other } else { &row.trace };
                assert_eq!(shown.shows(), expected);
            }
            remove(connection, &twice.id).await.unwrap();
            assert_eq!(find(connection, &twice.id).await.unwrap(), None);
            let late = LinkRow { opened: 0, ..twice };
            assert_eq!(late.state_at(VISIT_NS * 2), LinkState::Expired);
        }
    }
}

//! People: accounts of an identity provider, and their user names here.
//!
//! Permissions depend on the name, which a provider may let people change, or assign to another account. So
//! the first account that signs in with a name owns it, whatever the provider calls it later.

use sqlx::Row as _;

use super::{Connection, DbError};
use crate::auth::provider::Person;

/// Returns an account's user name. A new account gets the provider's name; `None` if that belongs to another
/// account.
pub async fn name_of(
    connection: &mut Connection,
    issuer: &str,
    person: &Person,
) -> Result<Option<String>, DbError> {
    let insert =
        sqlx::query("INSERT INTO people (issuer, subject, name) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING");
    insert.bind(issuer).bind(&person.subject).bind(&person.name).execute(&mut *connection).await?;
    let select = sqlx::query("SELECT name FROM people WHERE issuer = $1 AND subject = $2");
    let row = select.bind(issuer).bind(&person.subject).fetch_optional(connection).await?;
    Ok(row.map(|row| row.try_get("name")).transpose()?)
}

/// Removes the owner of a name, and ends their sessions. True if there was an owner.
pub async fn forget(connection: &mut Connection, name: &str) -> Result<bool, DbError> {
    let delete = sqlx::query("DELETE FROM people WHERE name = $1").bind(name);
    let done = delete.execute(&mut *connection).await?;
    sqlx::query("DELETE FROM sessions WHERE person = $1").bind(name).execute(connection).await?;
    Ok(done.rows_affected() > 0)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use proptest::strategy::ValueTree as _;

    use super::super::testing;
    use super::*;

    fn person(subject: &str, name: &str) -> Person {
        Person { subject: subject.to_owned(), name: name.to_owned() }
    }

    /// Accounts of a few providers sign in under a few names, in any order, and names are forgotten in between.
    fn steps() -> impl Strategy<Value = Vec<(u8, u8, u8, bool)>> {
        proptest::collection::vec((0..3_u8, 0..3_u8, 0..3_u8, proptest::bool::weighted(0.1)), 1..40)
    }

    #[tokio::test]
    async fn a_name_has_one_account_and_an_account_one_name() {
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        for _ in 0..20 {
            let steps = steps().new_tree(&mut runner).unwrap().current();
            for base in testing::databases().await {
                let connection = &mut *base.db.reading().await.unwrap();
                let mut names: BTreeMap<(u8, u8), String> = BTreeMap::new();
                for (issuer, subject, number, is_forgotten) in &steps {
                    let (account, name) = ((*issuer, *subject), format!("name{number}"));
                    if *is_forgotten {
                        let was = names.values().any(|known| *known == name);
                        names.retain(|_, known| *known != name);
                        assert_eq!(forget(connection, &name).await.unwrap(), was);
                        continue;
                    }
                    if !names.contains_key(&account) && !names.values().any(|known| *known == name) {
                        names.insert(account, name.clone());
                    }
                    let person = person(&format!("subject{subject}"), &name);
                    let found = name_of(connection, &format!("https://{issuer}"), &person).await.unwrap();
                    assert_eq!(found.as_ref(), names.get(&account));
                }
            }
        }
    }
}

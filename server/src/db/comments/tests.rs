use syclscope_language::api::Role;
use syclscope_language::entity::Entity;

use super::*;
use crate::db::projects::{self, ProjectId};
use crate::db::tokens::{self, TokenRow};
use crate::db::traces::{self, TraceRow};
use crate::db::{Db, members, testing};

async fn with_trace(db: &Db, name: &str) -> Id {
    with_trace_in(db, ProjectId::default(), name).await
}

async fn with_trace_in(db: &Db, project: ProjectId, name: &str) -> Id {
    let row = TraceRow {
        id: Id::for_bytes(name.as_bytes()),
        project,
        name: name.to_owned(),
        size_bytes: 1,
        sha256: None,
        stored_unix_ns: 1,
        uploaded_by: None,
        is_pinned: false,
    };
    traces::add(&mut db.reading().await.unwrap(), &row).await.unwrap();
    row.id
}

fn comment(number: u64, text: &str) -> CommentEntry {
    CommentEntry {
        id: Id::for_bytes(&number.to_le_bytes()).to_string(),
        pin: Some(Entity::Line { file: "/a b.cpp".to_owned(), line: 7 }),
        about: Some("a b.cpp, line 7".to_owned()),
        text: text.to_owned(),
        by: Some("ada".to_owned()),
        made_unix_ns: number,
        change: number,
        ..CommentEntry::default()
    }
}

async fn write(db: &Db, trace: &Id, entry: &CommentEntry) -> Result<CommentEntry, DbError> {
    let mut transaction = db.writing().await?;
    let change = next_change(&mut transaction).await?;
    let entry = CommentEntry { change, ..entry.clone() };
    add(&mut transaction, trace, &entry, None).await?;
    transaction.commit().await?;
    Ok(entry)
}

#[tokio::test]
async fn comments_come_change_and_go() {
    for base in testing::databases().await {
        let trace = with_trace(&base.db, "run").await;
        let bare = CommentEntry { pin: None, about: None, by: None, ..comment(2, "") };
        let said = CommentEntry { mentions: vec!["bob".into(), "eve".into()], ..comment(1, "@bob @eve") };
        let said = write(&base.db, &trace, &said).await.unwrap();
        let bare = write(&base.db, &trace, &bare).await.unwrap();
        let answer = CommentEntry { reply_to: Some(said.id.clone()), ..comment(3, "so?") };
        let answer = write(&base.db, &trace, &answer).await.unwrap();
        let nowhere = write(&base.db, &Id::for_bytes(b"nowhere"), &comment(4, "x")).await;
        assert!(matches!(nowhere, Err(DbError::Missing)));
        let connection = &mut *base.db.reading().await.unwrap();
        assert_eq!(
            on_trace(connection, &trace, 0).await.unwrap(),
            [said.clone(), bare.clone(), answer.clone()]
        );
        assert_eq!(on_trace(connection, &trace, bare.change).await.unwrap(), std::slice::from_ref(&answer));
        let id = |entry: &CommentEntry| entry.id.parse::<Id>().unwrap();
        assert_eq!(find(connection, &trace, &id(&said)).await.unwrap().as_ref(), Some(&said));
        assert_eq!(find(connection, &Id::for_bytes(b"other"), &id(&said)).await.unwrap(), None);

        let mut transaction = base.db.writing().await.unwrap();
        let change_number = next_change(&mut transaction).await.unwrap();
        let gone = CommentEntry {
            text: String::new(),
            mentions: vec![],
            is_deleted: true,
            change: change_number,
            ..said
        };
        change(&mut transaction, &gone, 50).await.unwrap();
        transaction.commit().await.unwrap();
        assert_eq!(find(connection, &trace, &id(&gone)).await.unwrap().as_ref(), Some(&gone));
        let newest = changed(connection, answer.change, 9).await.unwrap();
        assert_eq!(newest, [CommentRow { trace: trace.clone(), entry: gone.clone() }]);
        assert_eq!(last_change(connection).await.unwrap(), gone.change);
        // A deleted comment with a reply stays, so that the reply keeps its place.
        forget(connection, &trace, 51).await.unwrap();
        assert_eq!(count(connection, &trace).await.unwrap(), 3);
        let mut transaction = base.db.writing().await.unwrap();
        let number = next_change(&mut transaction).await.unwrap();
        let late = CommentEntry { is_deleted: true, change: number, ..answer };
        change(&mut transaction, &late, 60).await.unwrap();
        forget(&mut transaction, &trace, 60).await.unwrap();
        assert_eq!(count(&mut transaction, &trace).await.unwrap(), 3);
        forget(&mut transaction, &trace, 61).await.unwrap();
        assert_eq!(count(&mut transaction, &trace).await.unwrap(), 2);
    }
}

#[tokio::test]
async fn numbers_of_changes_are_seen_in_their_order() {
    for base in testing::databases().await {
        let trace = with_trace(&base.db, "run").await;
        let mut first = base.db.writing().await.unwrap();
        let number = next_change(&mut first).await.unwrap();
        let (db, other) = (base.db.clone(), trace.clone());
        let second = tokio::spawn(async move { write(&db, &other, &comment(2, "second")).await.unwrap() });
        tokio::task::yield_now().await;
        add(&mut first, &trace, &CommentEntry { change: number, ..comment(1, "first") }, None).await.unwrap();
        assert!(!second.is_finished(), "nobody has a later number before this is there");
        first.commit().await.unwrap();
        assert!(second.await.unwrap().change > number);
    }
}

#[tokio::test]
async fn who_is_mentioned_has_a_list_of_it() {
    for base in testing::databases().await {
        let trace = with_trace(&base.db, "run").await;
        let (bob, eve) = (vec!["bob".to_owned()], vec!["bob".to_owned(), "eve".to_owned()]);
        let one = CommentEntry { mentions: bob, ..comment(1, "@bob") };
        let two = CommentEntry { mentions: eve, ..comment(2, "@bob @eve") };
        let one = write(&base.db, &trace, &one).await.unwrap();
        let two = write(&base.db, &trace, &two).await.unwrap();
        let connection = &mut *base.db.reading().await.unwrap();
        let seen = |lines: Vec<Mention>| lines.into_iter().map(|mention| mention.comment).collect::<Vec<_>>();
        let all = ["default".to_owned()];
        let of_bob = mentioning(connection, "bob", &all, 9).await.unwrap();
        assert_eq!(seen(of_bob), [two.clone(), one]);
        let newest = seen(mentioning(connection, "bob", &all, 1).await.unwrap());
        assert_eq!(newest, std::slice::from_ref(&two));
        let mention = mentioning(connection, "eve", &all, 9).await.unwrap().remove(0);
        assert_eq!((mention.trace_name.as_str(), mention.trace), ("run", trace.to_string()));
        assert_eq!(mention.comment, two);
        assert_eq!(mentioning(connection, "ada", &all, 9).await.unwrap(), []);
        traces::delete(connection, &trace, 9).await.unwrap();
        assert_eq!(mentioning(connection, "bob", &all, 9).await.unwrap(), [], "the trace is gone");
        assert!(projects_mentioning(connection, "bob").await.unwrap().is_empty(), "the trace is gone");
    }
}

/// A person who has left a project sees none of its mentions, however many there are.
#[tokio::test]
async fn mentions_are_those_of_the_projects_asked_for() {
    for base in testing::databases().await {
        let left: ProjectId = "left".parse().unwrap();
        projects::add(&mut base.db.reading().await.unwrap(), &left, "Left").await.unwrap();
        let (old, new) = (with_trace_in(&base.db, left, "old").await, with_trace(&base.db, "new").await);
        let bob = |number| CommentEntry { mentions: vec!["bob".to_owned()], ..comment(number, "@bob") };
        let one = write(&base.db, &new, &bob(1)).await.unwrap();
        for number in 2..5 {
            write(&base.db, &old, &bob(number)).await.unwrap();
        }
        let connection = &mut *base.db.reading().await.unwrap();
        let mut projects = projects_mentioning(connection, "bob").await.unwrap();
        projects.sort_unstable();
        assert_eq!(projects, ["default", "left"]);
        let lines = mentioning(connection, "bob", &projects[..1], 2).await.unwrap();
        assert_eq!(lines.into_iter().map(|mention| mention.comment).collect::<Vec<_>>(), [one]);
        assert_eq!(mentioning(connection, "bob", &[], 2).await.unwrap(), []);
    }
}

#[tokio::test]
async fn people_are_members_owners_of_tokens_and_who_has_commented() {
    for base in testing::databases().await {
        let (trace, project) = (with_trace(&base.db, "run").await, ProjectId::default());
        write(&base.db, &trace, &CommentEntry { by: Some("visitor".to_owned()), ..comment(1, "x") })
            .await
            .unwrap();
        let connection = &mut *base.db.reading().await.unwrap();
        for member in ["Ada Lovelace", members::EVERYBODY] {
            members::set(connection, &project, member, Role::Viewer).await.unwrap();
        }
        for (name, end) in [("ci", None), ("old", Some(5))] {
            let row = TokenRow {
                id: Id::for_bytes(name.as_bytes()),
                name: name.to_owned(),
                secret_sha256: name.to_owned(),
                project: None,
                role: Role::Viewer,
                made_unix_ns: 1,
                expires_unix_ns: end,
                revoked_unix_ns: None,
            };
            tokens::add(connection, &row).await.unwrap();
        }
        let mut seen = people(connection, &project, &trace, 10).await.unwrap();
        seen.sort();
        assert_eq!(seen, ["Ada Lovelace", "ci", "visitor"]);
    }
}

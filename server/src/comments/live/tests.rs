//! Subscribers, and the changes they receive.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use syclscope_language::api::Role;

use super::*;
use crate::auth::{Grant, Roles, Secret};
use crate::db::links::{self, LinkRow};
use crate::db::sessions::{self, SessionOwner};
use crate::db::tokens::{self, TokenRow};
use crate::db::{members, now_unix_ns, testing};

fn entry(id: &str, change: u64) -> CommentEntry {
    CommentEntry { id: id.to_owned(), text: "one\ntwo".to_owned(), change, ..CommentEntry::default() }
}

fn who(principal: Principal, address: u32) -> Who {
    let address = std::net::Ipv4Addr::from_bits(address).into();
    Who { principal, project: ProjectId::default(), address, session: None }
}

fn named(name: &str) -> Who {
    who(Principal::Person { name: name.to_owned(), roles: Roles::default() }, 1)
}

fn ada() -> Who {
    named("ada")
}

fn visitor(link: &str, address: u32) -> Who {
    let grant =
        Grant { link: Id::for_bytes(link.as_bytes()), trace: Id::for_bytes(b"here"), is_counted: false };
    who(Principal::Link(grant), address)
}

fn first() -> (u64, Piece) {
    (0, Piece::from(&b"first"[..]))
}

#[test]
fn an_event_is_one_whatever_is_said() {
    let text = String::from_utf8(event(&entry("a", 7)).to_vec()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..2], ["id: 7", "event: comment"]);
    let read: CommentEntry = serde_json::from_str(lines[2].strip_prefix("data: ").unwrap()).unwrap();
    assert_eq!((read, &lines[3..]), (entry("a", 7), &[""][..]));
}

#[tokio::test]
async fn everybody_hears_each_change_of_their_trace_once() {
    let base = testing::databases().await.remove(0);
    let (live, here, there) = (Live::default(), Id::for_bytes(b"here"), Id::for_bytes(b"there"));
    let mut one = live.listen(&base.db, ada(), here.clone(), first()).unwrap();
    let mut late = live.listen(&base.db, ada(), here.clone(), (5, Piece::from(&b"first"[..]))).unwrap();
    let mut other = live.listen(&base.db, ada(), there, first()).unwrap();
    let row = |change| CommentRow { trace: here.clone(), entry: entry("a", change) };
    live.tell(&[row(4), row(6)], 6);
    live.tell(&[row(6)], 6);
    let texts = |received: &mut Receiver<Piece>| {
        std::iter::from_fn(|| received.try_recv().ok()).skip(1).collect::<Vec<_>>()
    };
    let (four, six) = (event(&entry("a", 4)), event(&entry("a", 6)));
    assert_eq!(texts(&mut one), [four, six.clone()]);
    assert_eq!(texts(&mut late), [six]);
    assert_eq!(texts(&mut other), [] as [Piece; 0]);
}

#[tokio::test]
async fn who_listens_too_often_or_too_slowly_is_let_go() {
    let base = testing::databases().await.remove(0);
    let (live, trace) = (Live::default(), Id::for_bytes(b"here"));
    let listen = || live.listen(&base.db, ada(), trace.clone(), first());
    let mut all: Vec<_> = (0..MAX_BY_NAME).map(|_| listen().unwrap()).collect();
    assert!(listen().is_err());
    assert!(live.listen(&base.db, named("bob"), trace.clone(), first()).is_ok());
    drop(all.pop());
    all.push(listen().unwrap());
    for _ in 0..MAX_WAITING {
        live.beat();
    }
    assert!(live.lock().all.is_empty(), "nobody takes what is sent");
    assert!(listen().is_ok());
    live.end();
    assert!(live.oldest().is_none());
    assert!(listen().is_err());
}

#[test]
fn whoever_takes_places_others_get_one() {
    // Few links or many, from few addresses or many: each takes as many places as it can.
    let crowd = prop::collection::vec((0..20_u32, 1..12_u32, any::<bool>()), 1..14);
    let config = Config { cases: 4, failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
        .run(&crowd, |crowd| {
            let mut listeners = Listeners::default();
            let mut received = Vec::new();
            let mut join = |listeners: &mut Listeners, who: Who| {
                let (pieces, pieces_received) = channel(1);
                received.push(pieces_received);
                let (group, until) = (who.group(), Instant::now() + LISTENING);
                listeners.add(Listener {
                    who,
                    group,
                    trace: Id::for_bytes(b"here"),
                    last_change: 0,
                    until,
                    pieces,
                })
            };
            for (number, addresses, is_member) in crowd {
                for address in 0..addresses {
                    for _ in 0..MAX_BY_ADDRESS {
                        let taker = match is_member {
                            true => named(&format!("member {number}")),
                            false => visitor(&format!("link {number}"), number << 8 | address),
                        };
                        if join(&mut listeners, taker).is_err() {
                            break;
                        }
                    }
                }
                prop_assert!(listeners.all.len() <= MAX_LISTENERS);
            }
            for number in 0..20_u32 {
                let another = format!("another {number}");
                prop_assert!(join(&mut listeners, visitor(&another, 1 << 24 | number)).is_ok());
                prop_assert!(join(&mut listeners, named(&another)).is_ok());
            }
            Ok(())
        })
        .unwrap();
}

#[tokio::test]
async fn who_may_no_longer_look_hears_nothing_more() {
    for base in testing::databases().await {
        let (db, project, now) = (&base.db, ProjectId::default(), now_unix_ns());
        let row = testing::trace("here");
        let connection = &mut *db.reading().await.unwrap();
        traces::add(connection, &row).await.unwrap();
        members::set(connection, &project, "ada", Role::Viewer).await.unwrap();
        let token = TokenRow {
            id: Id::for_bytes(b"token"),
            name: "ci".to_owned(),
            secret_sha256: "t".to_owned(),
            project: None,
            role: Role::Viewer,
            made_unix_ns: now,
            expires_unix_ns: None,
            revoked_unix_ns: None,
        };
        tokens::add(connection, &token).await.unwrap();
        let link = |name: &str, expires_unix_ns| LinkRow {
            id: Id::for_bytes(name.as_bytes()),
            trace: row.id.clone(),
            part: None,
            secret_sha256: name.to_owned(),
            name: None,
            made_by: None,
            made_unix_ns: now,
            expires_unix_ns,
            openings: None,
            opened: 0,
            withdrawn_unix_ns: None,
        };
        for link in [link("stays", None), link("withdrawn", None), link("expired", Some(1))] {
            links::add(connection, &link).await.unwrap();
        }
        let session = Secret::random().unwrap().hash();
        sessions::begin(
            connection,
            &session.to_hex(),
            &SessionOwner::Token(token.id.clone()),
            now,
            u64::MAX >> 1,
        )
        .await
        .unwrap();
        let live = Live::default();
        let of_token =
            Principal::Token { id: token.id.clone(), name: "ci".to_owned(), roles: Roles::default() };
        let signed_in = Who { session: Some(session), ..who(of_token.clone(), 1) };
        let all = [
            ("session", signed_in),
            ("token", who(of_token, 1)),
            ("person", ada()),
            ("withdrawn", visitor("withdrawn", 1)),
            ("expired", visitor("expired", 1)),
            ("stays", visitor("stays", 1)),
            ("deleted", who(Principal::Everybody, 1)),
        ];
        let mut received: Vec<(&str, Receiver<Piece>)> = all
            .into_iter()
            .map(|(name, who)| (name, live.listen(db, who, row.id.clone(), first()).unwrap()))
            .collect();
        let mut open = || {
            let open = received.iter_mut().filter(|(_, pieces)| !pieces.is_closed());
            open.map(|(name, _)| *name).collect::<Vec<_>>()
        };
        live.check(db).await;
        assert_eq!(open(), ["session", "token", "person", "withdrawn", "stays", "deleted"]);
        sessions::end(connection, &session.to_hex()).await.unwrap();
        live.check(db).await;
        assert_eq!(open(), ["token", "person", "withdrawn", "stays", "deleted"]);
        assert!(links::withdraw(connection, &row.id, &Id::for_bytes(b"withdrawn"), now).await.unwrap());
        live.check(db).await;
        assert_eq!(open(), ["token", "person", "stays", "deleted"]);
        assert!(members::remove(connection, &project, "ada").await.unwrap());
        live.check(db).await;
        assert_eq!(open(), ["token", "stays", "deleted"]);
        assert!(tokens::revoke(connection, &token.id, now).await.unwrap());
        live.check(db).await;
        assert_eq!(open(), ["stays", "deleted"]);
        assert!(traces::delete(connection, &row.id, now).await.unwrap());
        live.check(db).await;
        assert_eq!(open(), [] as [&str; 0]);
        live.end();
    }
}

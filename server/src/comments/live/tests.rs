//! Who listens, and what they hear.

use super::*;
use crate::db::testing;

fn entry(id: &str, change: u64) -> CommentEntry {
    CommentEntry { id: id.to_owned(), text: "one\ntwo".to_owned(), change, ..CommentEntry::default() }
}

fn ada() -> Client {
    Client::Named(Identity::user("ada"))
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
    let (live, here, there) = (Live::default(), Id::of(b"here"), Id::of(b"there"));
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
    let (live, trace) = (Live::default(), Id::of(b"here"));
    let listen = || live.listen(&base.db, ada(), trace.clone(), first());
    let mut all: Vec<_> = (0..MOST_BY_NAME).map(|_| listen().unwrap()).collect();
    assert!(listen().is_err());
    assert!(live.listen(&base.db, Client::At(None), trace.clone(), first()).is_ok());
    drop(all.pop());
    all.push(listen().unwrap());
    for _ in 0..MOST_WAITING {
        live.beat();
    }
    assert!(live.lock().all.is_empty(), "nobody takes what is sent");
    assert!(listen().is_ok());
    live.end();
    assert!(live.oldest().is_none());
    assert!(listen().is_err());
}

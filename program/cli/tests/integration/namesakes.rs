//! A token and a person of the same name have separate permissions.

use syclscope_language::api::{AuditEntry, CommentEntry, IdentityKind, TraceEntry};

use crate::recording;
use crate::support::{Scratch, stderr, syclscope};
use crate::team::{Answer, Server, token};

const NAME: &str = "ci";
const HEADER: &str = "x-forwarded-user";
const KINDS: [IdentityKind; 2] = [IdentityKind::User, IdentityKind::Token];

struct Named<'s> {
    server: Server<'s>,
    admin: String,
    token: String,
    other_token: String,
}

impl<'s> Named<'s> {
    fn new(scratch: &'s Scratch) -> Self {
        std::fs::create_dir(scratch.path("data")).expect("a folder");
        let make =
            |arguments: &[&str]| format!("Bearer {}", token(scratch, &[&["create"], arguments].concat()));
        let admin = make(&["root", "--role", "admin"]);
        let token = make(&[NAME, "--project", "default", "--role", "contributor"]);
        let project = ["project", "add", "other", "--data", "data"];
        let added = syclscope(scratch).args(project).output().expect("syclscope runs");
        assert!(added.status.success(), "{}", stderr(&added));
        let other_token = make(&[NAME, "--project", "other", "--role", "viewer"]);
        let proxy = ["--sign-in", "proxy", "--proxy-header", HEADER, "--trusted-proxy", "127.0.0.1"];
        let server = Server::start(scratch, &proxy);
        Self { server, admin, token, other_token }
    }

    fn ask_as(
        &self,
        (kind, is_other): (IdentityKind, bool),
        method: &str,
        path: &str,
        body: &[u8],
    ) -> Answer {
        let who = match (kind, is_other) {
            (IdentityKind::User, _) => (HEADER, NAME),
            (IdentityKind::Token, false) => ("authorization", self.token.as_str()),
            (IdentityKind::Token, true) => ("authorization", self.other_token.as_str()),
        };
        self.server.ask(method, path, &[who, ("content-type", "application/json")], body)
    }

    fn ask_as_admin(&self, method: &str, path: &str, body: &[u8]) -> Answer {
        let headers = [("authorization", self.admin.as_str()), ("content-type", "application/json")];
        self.server.ask(method, path, &headers, body)
    }

    fn set_member(&self, is_member: bool) {
        let path = format!("/api/v1/projects/default/members/{NAME}");
        let done = match is_member {
            true => self.ask_as_admin("PUT", &path, b"{\"role\":\"contributor\"}"),
            false => self.ask_as_admin("DELETE", &path, b""),
        };
        assert!(matches!(done.status(), 200..300), "{}", done.body);
    }
}

#[test]
fn what_one_uploaded_or_said_the_other_cant_delete_or_change() {
    let scratch = Scratch::new();
    let named = Named::new(&scratch);
    for (number, (owner, other)) in
        KINDS.iter().flat_map(|owner| KINDS.map(|other| (*owner, other))).enumerate()
    {
        named.set_member(true);
        let bytes = recording::of_process(number as u32 + 1);
        let stored = named.ask_as((owner, false), "POST", "/api/v1/traces?name=run.pftrace", &bytes);
        let trace = format!("/api/v1/traces/{}", stored.json::<TraceEntry>().id);
        let text = b"{\"text\":\"slow\"}";
        let said = named.ask_as((owner, false), "POST", &format!("{trace}/comments"), text);
        let comment = format!("{trace}/comments/{}", said.json::<CommentEntry>().id);
        let want = |good: u16, refused: u16| if owner == other { good } else { refused };
        for (method, good) in [("PUT", 200), ("DELETE", 204)] {
            let changed = named.ask_as((other, false), method, &comment, text);
            assert_eq!(changed.status(), want(good, 403), "{owner:?}, {other:?}: {}", changed.body);
        }
        let audit: Vec<AuditEntry> = named.ask_as_admin("GET", "/api/v1/projects/default/audit", b"").json();
        let line = audit.iter().find(|line| line.action == "upload").expect("a line of the upload");
        assert_eq!((line.by.as_deref(), line.by_kind), (Some(NAME), Some(owner)));
        // Without a role in the project, people may still delete their own traces. A token of another project may have
        // the name of one of this project.
        named.set_member(false);
        let deleted = named.ask_as((other, true), "DELETE", &trace, b"");
        let expected = if other == IdentityKind::User { want(204, 404) } else { 404 };
        assert_eq!(deleted.status(), expected, "{owner:?}, {other:?}: {}", deleted.body);
    }
}

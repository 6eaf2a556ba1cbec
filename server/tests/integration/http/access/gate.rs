//! A server that authenticates its clients, and credentials for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use syclscope_language::api::{MadeLink, NewLink, Role, TraceEntry};
use syclscope_server::app::App;
use syclscope_server::auth::{Access, Guesses, Proxies, Rates, Secret};
use syclscope_server::db::projects::{self, ProjectId};
use syclscope_server::db::tokens::{self, TokenRow};
use syclscope_server::db::{Db, now_unix_ns};
use syclscope_server::http::external_viewers::Viewers;
use syclscope_server::http::router::router;
use syclscope_system::id::Id;

use crate::http::{Answer, LIMIT_BYTES, app_of, hosted, page, send};
use crate::recording;
use crate::scratch::Scratch;

pub(in crate::http) const OTHER_PROJECT: &str = "other";

pub(in crate::http) struct Gate {
    pub(in crate::http) router: Router,
    app: Arc<App>,
    pub(in crate::http) db: Db,
    pub(in crate::http) admin: String,
    clients: AtomicU32,
    scratch: Scratch,
}

impl Gate {
    pub(in crate::http) async fn new() -> Self {
        Self::with(Access::Token).await
    }

    pub(in crate::http) async fn with(access: Access) -> Self {
        Self::with_rates(access, Rates::per_minute(0)).await
    }

    pub(in crate::http) async fn with_rates(access: Access, rates: Rates) -> Self {
        let mut gate = Self::over(Scratch::new(), access, rates).await;
        let other = OTHER_PROJECT.parse().expect("a project's name");
        projects::add(&mut gate.db.reading().await.expect("a connection"), &other, "Other")
            .await
            .expect("a project");
        gate.admin = gate.token("root", None, Role::Admin).await.0;
        gate
    }

    /// Restarts the server with other access rules.
    pub(in crate::http) async fn again(self, access: Access) -> Self {
        let Self { router, app, db, scratch, .. } = self;
        drop((router, app, db));
        Self::over(scratch, access, Rates::per_minute(0)).await
    }

    async fn over(scratch: Scratch, access: Access, rates: Rates) -> Self {
        let storage = hosted(&scratch.path("data"), LIMIT_BYTES).await;
        let db = storage.hosted().expect("it keeps traces").db().clone();
        let app = app_of(storage, page(), access, Viewers::default());
        // A request without a socket counts as a proxy's, so each can have its own client address.
        let proxies = Proxies::at(vec!["0.0.0.0/32".parse().expect("an address")]);
        // Nothing is refilled during a test, however long a busy machine takes.
        let guesses = Guesses::with_another_after(Duration::from_secs(3600));
        let app = Arc::new(App { db: Some(db.clone()), proxies, rates, guesses, ..app });
        let router = router(Arc::clone(&app));
        Self { router, app, db, admin: String::new(), clients: AtomicU32::new(1), scratch }
    }

    /// Creates a token, and returns its text and id.
    pub(in crate::http) async fn token(&self, name: &str, project: Option<&str>, role: Role) -> (String, Id) {
        let secret = Secret::random_token().expect("random numbers");
        let row = TokenRow {
            id: Id::random().expect("random numbers"),
            name: name.to_owned(),
            secret_sha256: secret.hash().to_hex(),
            project: project.map(|project| project.parse::<ProjectId>().expect("a project's name")),
            role,
            made_unix_ns: now_unix_ns(),
            expires_unix_ns: None,
            revoked_unix_ns: None,
        };
        tokens::add(&mut self.db.reading().await.expect("a connection"), &row).await.expect("a token");
        (secret.expose().to_owned(), row.id)
    }

    pub(in crate::http) async fn revoke(&self, token: &Id) {
        let connection = &mut *self.db.reading().await.expect("a connection");
        assert!(tokens::revoke(connection, token, now_unix_ns()).await.expect("a database"));
        self.a_second_later();
    }

    pub(in crate::http) async fn expire(&self, table: &str, id: &str) {
        let update = match table {
            "tokens" => sqlx::query("UPDATE tokens SET expires_unix_ns = 1 WHERE id = $1"),
            _ => sqlx::query("UPDATE links SET expires_unix_ns = 1 WHERE id = $1"),
        };
        let connection = &mut *self.db.reading().await.expect("a connection");
        assert_eq!(update.bind(id).execute(connection).await.expect("a database").rows_affected(), 1);
        self.a_second_later();
    }

    /// Lets the server see changes by others in the database.
    fn a_second_later(&self) {
        self.app.auth_cache.forget();
    }

    /// Sends a request from a new client address.
    pub(in crate::http) async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Body>,
    ) -> Answer {
        let client = std::net::Ipv4Addr::from_bits(0x0a00_0000 + self.clients.fetch_add(1, Ordering::SeqCst));
        let client = client.to_string();
        let mut all = vec![("x-forwarded-for", client.as_str())];
        all.extend_from_slice(headers);
        send(&self.router, method, path, &all, body.into()).await
    }

    pub(in crate::http) async fn get(&self, path: &str, token: &str) -> Answer {
        self.send("GET", path, &[("authorization", &bearer(token))], Body::empty()).await
    }

    pub(in crate::http) async fn post(&self, path: &str, token: &str, body: &str) -> Answer {
        let headers = [("authorization", &*bearer(token)), ("content-type", "application/json")];
        self.send("POST", path, &headers, body.to_owned()).await
    }

    pub(in crate::http) async fn trace(&self) -> TraceEntry {
        self.trace_of(&self.admin.clone()).await
    }

    pub(in crate::http) async fn trace_of(&self, token: &str) -> TraceEntry {
        let headers = [("authorization", &*bearer(token))];
        let number = self.clients.fetch_add(1, Ordering::SeqCst);
        let path = format!("/api/v1/traces?name=run{number}.pftrace");
        // Each has different bytes, because a project keeps each trace once.
        let bytes = recording::of_process(number);
        let answer = self.send("POST", &path, &headers, bytes).await;
        assert_eq!(answer.status, 201, "{}", answer.text());
        answer.json()
    }

    /// Creates a link to a trace; also returns the path prefix of its contents.
    pub(in crate::http) async fn link(&self, trace: &str, wanted: &NewLink) -> (MadeLink, String) {
        let body = serde_json::to_string(wanted).expect("JSON");
        let answer = self.post(&format!("/api/v1/traces/{trace}/links"), &self.admin, &body).await;
        assert_eq!(answer.status, 201, "{}", answer.text());
        let made: MadeLink = answer.json();
        let root = made.address.strip_suffix(&format!("/t/{trace}")).expect("the trace's address").to_owned();
        (made, format!("/{root}"))
    }
}

pub(in crate::http) fn bearer(token: &str) -> String {
    format!("Bearer {token}")
}

/// Returns the cookies that an answer sets, as a browser would send them.
pub(in crate::http) fn cookies(answer: &Answer) -> String {
    let set = answer.headers.get_all("set-cookie").iter().filter_map(|value| value.to_str().ok());
    set.filter_map(|text| text.split(';').next()).collect::<Vec<_>>().join("; ")
}

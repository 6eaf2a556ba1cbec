//! Authorization: extractors that name an [`Action`] and admit only permitted clients. They are the first
//! parameter of every controller, since the router accepts no others.
//!
//! A client without credentials has to sign in, whatever the URL names. Other clients learn that a trace or a
//! project exists only if they may read it.

use std::marker::PhantomData;
use std::sync::Arc;

use axum::extract::{FromRequestParts, Query};
use axum::http::header;
use axum::http::request::Parts;
use serde::Deserialize;

use super::{UploadPath, part, trace_at};
use crate::app::App;
use crate::auth::{Action, Peer, Principal, Secret, SecretHash};
use crate::db::projects::{self, NotAProject, ProjectId};
use crate::db::uploads;
use crate::http::error::AppError;
use crate::listing::ListQuery;
use crate::storage::{StorageError, Stored, TraceId};
use syclscope_system::id::Id;

pub(crate) trait ActionType: Send + Sync + 'static {
    const ACTION: Action;
}

/// Actions for the guards of traces and projects.
pub(crate) mod acts {
    use super::ActionType;
    use crate::auth::Action;

    macro_rules! acts {
        ($($name:ident)*) => {
            $(
                #[derive(Debug)]
                pub(crate) enum $name {}
                impl ActionType for $name {
                    const ACTION: Action = Action::$name;
                }
            )*
        };
    }
    acts!(
        ReadTrace ReadComments Comment ListTraces Upload ChangeTrace DeleteTrace MakeLink ListLinks WithdrawLink ListMembers
        ChangeMembers ChangeProject ReadAudit
    );
}

/// The first parameter of a controller.
pub(crate) trait Guard {
    const ACTION: Action;
}

/// The parameters of a controller, the first of which is a guard, after the marker type of axum's `Handler`.
pub(crate) trait Guarded {
    const ACTION: Action;
}

macro_rules! guarded {
    ($($($more:ident)*;)*) => {
        $(impl<M, G: Guard, $($more),*> Guarded for (M, G, $($more,)*) {
            const ACTION: Action = G::ACTION;
        })*
    };
}
guarded! { ; A; A B; A B C; A B C D; A B C D E; A B C D E F; }

/// Guard of public URLs, which admits everyone and has the principal.
#[derive(Clone, Debug)]
pub(crate) struct Anyone(pub(crate) Principal);

/// Guard of the list of traces, with the projects whose traces are visible.
#[derive(Clone, Debug)]
pub(crate) struct Listing {
    principal: Principal,
    project: Option<ProjectId>,
}

/// Guard of a trace in the URL.
#[derive(Clone, Debug)]
pub(crate) struct OnTrace<A> {
    pub(crate) stored: Stored,
    pub(crate) principal: Principal,
    action: PhantomData<A>,
}

/// The second trace in the URL, `{other}`, in addition to that of a guard.
#[derive(Clone, Debug)]
pub(crate) struct OnOther<A> {
    pub(crate) stored: Stored,
    action: PhantomData<A>,
}

/// Guard of a project in the URL, in its path or with `project=`; the initial one by default.
#[derive(Clone, Debug)]
pub(crate) struct InProject<A> {
    pub(crate) project: ProjectId,
    pub(crate) principal: Principal,
    action: PhantomData<A>,
}

/// Guard of a project in the body, which the controller supplies after parsing.
#[derive(Clone, Debug)]
pub(crate) struct Naming<A> {
    principal: Principal,
    action: PhantomData<A>,
}

/// Guard of an upload in parts in the URL.
#[derive(Clone, Debug)]
pub(crate) struct OnUpload<A> {
    pub(crate) id: Id,
    action: PhantomData<A>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Watching;

/// Session of the request, if it has one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SignedIn(pub(crate) Option<SecretHash>);

#[derive(Clone, Debug)]
pub(crate) struct Visit(pub(crate) Secret);

#[derive(Debug, Deserialize)]
struct Parameters {
    project: Option<String>,
}

impl Guard for Anyone {
    const ACTION: Action = Action::SeePage;
}

impl Guard for Listing {
    const ACTION: Action = Action::ListTraces;
}

/// For URLs with their own response to rejected clients.
impl<G: Guard> Guard for Result<G, AppError> {
    const ACTION: Action = G::ACTION;
}

impl Guard for Watching {
    const ACTION: Action = Action::ReadMetrics;
}

impl<A: ActionType> Guard for OnTrace<A> {
    const ACTION: Action = A::ACTION;
}

impl<A: ActionType> Guard for InProject<A> {
    const ACTION: Action = A::ACTION;
}

impl<A: ActionType> Guard for Naming<A> {
    const ACTION: Action = A::ACTION;
}

impl<A: ActionType> Guard for OnUpload<A> {
    const ACTION: Action = A::ACTION;
}

impl Listing {
    pub(crate) fn shows(&self, project: &ProjectId) -> bool {
        self.principal.may_in(project.as_str(), Action::ListTraces)
    }

    /// Returns the query, restricted to visible traces.
    pub(crate) async fn visible(&self, app: &App, query: ListQuery) -> Result<ListQuery, AppError> {
        let projects = match (&self.project, &app.db) {
            (Some(only), Some(_)) => Some(vec![only.clone()]),
            (None, Some(db)) if !self.principal.may_everywhere(Action::ListTraces) => {
                let all =
                    projects::all(&mut *db.reading().await?).await?.into_iter().map(|project| project.id);
                Some(all.filter(|project| self.shows(project)).collect())
            }
            // The user's own files belong to no project.
            _ => None,
        };
        Ok(ListQuery { projects, ..query })
    }

    pub(crate) fn name(&self) -> Option<&str> {
        self.principal.name()
    }
}

impl FromRequestParts<Arc<App>> for Anyone {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, AppError> {
        principal(parts).map(Self)
    }
}

impl FromRequestParts<Arc<App>> for Watching {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, AppError> {
        if app.is_watched_by_all || is_of_this_computer(parts) {
            return Ok(Self);
        }
        let principal = signed_in(parts)?;
        if principal.may_everywhere(Action::ReadMetrics) {
            Ok(Self)
        } else {
            Err(AppError::NotAllowed(Action::ReadMetrics))
        }
    }
}

/// Headers with which proxies name their clients.
const PROXY_HEADERS: [&str; 4] = ["forwarded", "via", "x-forwarded-for", "x-real-ip"];

/// True if a program on this computer sends the request for itself, not for a client behind it.
fn is_of_this_computer(parts: &Parts) -> bool {
    let peer = parts.extensions.get::<Peer>().and_then(Peer::address);
    // A proxy that adds no header passes on the name that its client used.
    let host = parts.headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let is_own_name = ["localhost", "127.0.0.1", "[::1]"]
        .iter()
        .filter_map(|own| host.strip_prefix(own))
        .any(|port| port.is_empty() || port.starts_with(':'));
    peer.is_some_and(|address| address.to_canonical().is_loopback())
        && is_own_name
        && !PROXY_HEADERS.iter().any(|name| parts.headers.contains_key(*name))
}

impl FromRequestParts<Arc<App>> for Listing {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, AppError> {
        let principal = signed_in(parts)?;
        let project = project_of(parts, app).await?;
        if let Some(project) = &project {
            if !principal.may_in(project.as_str(), Action::ListTraces) {
                return Err(AppError::NoSuchProject);
            }
            check_project(app, project).await?;
        }
        Ok(Self { principal, project })
    }
}

impl<A: ActionType> FromRequestParts<Arc<App>> for OnTrace<A> {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, AppError> {
        let (stored, principal) = find_at::<A>(parts, app, "id").await?;
        count_opening(parts, app, &principal).await?;
        Ok(Self { stored, principal, action: PhantomData })
    }
}

impl<A: ActionType> FromRequestParts<Arc<App>> for OnOther<A> {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, AppError> {
        let (stored, _) = find_at::<A>(parts, app, "other").await?;
        Ok(Self { stored, action: PhantomData })
    }
}

/// Returns the trace in a part of the path, and the principal, if permitted.
async fn find_at<A: ActionType>(
    parts: &mut Parts,
    app: &Arc<App>,
    name: &str,
) -> Result<(Stored, Principal), AppError> {
    signed_in(parts)?;
    let id = trace_at(parts, name).await?;
    find_permitted::<A>(parts, app, &id).await
}

pub(super) async fn find_permitted<A: ActionType>(
    parts: &Parts,
    app: &App,
    id: &TraceId,
) -> Result<(Stored, Principal), AppError> {
    let principal = signed_in(parts)?;
    let stored = app.storage.find(id).await?;
    let may =
        |action| principal.may_to(stored.project.as_str(), &stored.id, stored.uploaded_by.as_ref(), action);
    if !may(A::ACTION) {
        let knows = may(Action::ReadTrace);
        return Err(if knows { AppError::NotAllowed(A::ACTION) } else { StorageError::NotFound.into() });
    }
    Ok((stored, principal))
}

impl<A: ActionType> FromRequestParts<Arc<App>> for InProject<A> {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, AppError> {
        let principal = signed_in(parts)?;
        let project = project_of(parts, app).await?.unwrap_or_default();
        admit::<A>(app, &principal, &project).await?;
        Ok(Self { project, principal, action: PhantomData })
    }
}

impl<A: ActionType> FromRequestParts<Arc<App>> for Naming<A> {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, AppError> {
        Ok(Self { principal: signed_in(parts)?, action: PhantomData })
    }
}

impl<A: ActionType> Naming<A> {
    /// Returns the principal, if permitted in the project from the body.
    ///
    /// # Errors
    /// Returns an error if the principal is not permitted, or there is no such project.
    pub(crate) async fn check(self, app: &App, project: &ProjectId) -> Result<Principal, AppError> {
        admit::<A>(app, &self.principal, project).await?;
        Ok(self.principal)
    }
}

impl<A: ActionType> FromRequestParts<Arc<App>> for OnUpload<A> {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, AppError> {
        let principal = signed_in(parts)?;
        let UploadPath(id) = UploadPath::from_request_parts(parts, app).await?;
        let found = uploads::find(&mut *app.database()?.reading().await?, &id).await?;
        let upload = found.ok_or(StorageError::NotFound)?;
        if !principal.may_in(upload.project.as_str(), A::ACTION) {
            let knows = principal.may_in(upload.project.as_str(), Action::ListTraces);
            return Err(if knows { AppError::NotAllowed(A::ACTION) } else { StorageError::NotFound.into() });
        }
        Ok(Self { id, action: PhantomData })
    }
}

async fn admit<A: ActionType>(app: &App, principal: &Principal, project: &ProjectId) -> Result<(), AppError> {
    if !principal.may_in(project.as_str(), A::ACTION) {
        let knows = principal.may_in(project.as_str(), Action::ListTraces);
        return Err(if knows { AppError::NotAllowed(A::ACTION) } else { AppError::NoSuchProject });
    }
    check_project(app, project).await
}

fn principal(parts: &Parts) -> Result<Principal, AppError> {
    parts.extensions.get::<Principal>().cloned().ok_or(AppError::Internal("a request has no principal"))
}

fn signed_in(parts: &Parts) -> Result<Principal, AppError> {
    let principal = principal(parts)?;
    if principal.may_sign_in() { Err(AppError::SignIn) } else { Ok(principal) }
}

/// Rejects an unknown project. The user's own files belong to none.
async fn check_project(app: &App, project: &ProjectId) -> Result<(), AppError> {
    let Some(db) = &app.db else { return Ok(()) };
    let found = projects::find(&mut *db.reading().await?, project).await?;
    found.map(drop).ok_or(AppError::NoSuchProject)
}

async fn project_of(parts: &mut Parts, app: &Arc<App>) -> Result<Option<ProjectId>, AppError> {
    let named = match part(parts, "project").await {
        Ok(name) => Some(name),
        Err(AppError::NoSuchAddress) => {
            let Query(Parameters { project }) = Query::from_request_parts(parts, app)
                .await
                .map_err(|error| AppError::BadRequest(error.to_string()))?;
            project
        }
        Err(error) => return Err(error),
    };
    let wrong = |error: NotAProject| AppError::BadRequest(error.to_string());
    named.map(|name| name.parse().map_err(wrong)).transpose()
}

/// Counts the opening of a link with a limited number of openings.
async fn count_opening(parts: &Parts, app: &App, principal: &Principal) -> Result<(), AppError> {
    let (Principal::Link(grant), Some(db)) = (principal, &app.db) else { return Ok(()) };
    if !grant.is_counted {
        return Ok(());
    }
    let Some(Visit(visit)) = parts.extensions.get() else {
        return Err(AppError::Internal("a link is opened without a visit"));
    };
    if app.auth_cache.by_visit(db, grant, visit).await? { Ok(()) } else { Err(AppError::LinkUsedUp) }
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    #[tokio::test]
    async fn a_program_here_names_this_computer_and_a_proxy_its_clients_host() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let _client = tokio::net::TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let peer = Peer::new(&listener.accept().await.unwrap().0);
        let is_here = |host: &str, headers: &[(&str, &str)]| {
            let mut request = Request::builder().header("host", host).extension(peer.clone());
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            is_of_this_computer(&request.body(()).unwrap().into_parts().0)
        };
        for host in ["localhost", "localhost:4717", "127.0.0.1:4717", "[::1]:4717"] {
            assert!(is_here(host, &[]), "{host}");
        }
        for host in ["traces.example", "localhost.example", "127.0.0.10", ""] {
            assert!(!is_here(host, &[]), "{host}");
        }
        assert!(!is_here("localhost", &[("x-forwarded-for", "192.0.2.9")]));
    }
}

//! `GET /api/v1/me`: the client's identity and permissions.

use axum::Json;
use axum::response::IntoResponse;
use syclscope_language::api::{Me, ProjectRole};

use crate::auth::{Action, Principal, Roles};
use crate::http::extract::Anyone;

pub(crate) async fn show(Anyone(principal): Anyone) -> impl IntoResponse {
    let (kind, roles) = match &principal {
        Principal::Account => ("account", None),
        Principal::Everybody => ("everybody", None),
        Principal::Token { roles, .. } => ("token", Some(roles)),
        Principal::Person { roles, .. } => ("person", Some(roles)),
        Principal::Link(_) => ("link", None),
        Principal::Nobody => ("nobody", None),
    };
    let may = Action::ALL.into_iter().filter(|action| principal.may_everywhere(*action));
    let me = Me {
        kind: kind.to_owned(),
        name: principal.name().map(str::to_owned),
        roles: roles.map(listed).unwrap_or_default(),
        may: may.map(|action| action.name().to_owned()).collect(),
    };
    ([("cache-control", "no-store")], Json(me))
}

fn listed(roles: &Roles) -> Vec<ProjectRole> {
    let roles = roles.by_project.iter();
    roles.map(|(project, role)| ProjectRole { project: project.clone(), role: *role }).collect()
}

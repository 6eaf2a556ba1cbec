//! Routes with their actions. A controller without a guard does not compile here.

use std::sync::Arc;

use axum::Router;
use axum::handler::Handler;
use axum::routing::{MethodFilter, on};

use crate::app::App;
use crate::auth::{Action, Standing, may};
use crate::http::extract::Guarded;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// Its method; a GET route handles HEAD, too.
    pub method: &'static str,
    /// Its path in `axum`'s form, such as `/api/v1/traces/{id}`.
    pub path: String,
    pub action: Action,
}

/// Routes for all clients, and those that a link may use.
pub(super) struct Routes {
    all: Router<Arc<App>>,
    linked: Router<Arc<App>>,
    table: Vec<Route>,
}

impl Routes {
    pub(super) fn new() -> Self {
        Self { all: Router::new(), linked: Router::new(), table: Vec::new() }
    }

    pub(super) fn get<H, T>(self, path: &'static str, controller: H) -> Self
    where
        H: Handler<T, Arc<App>>,
        T: Guarded + 'static,
    {
        self.add("GET", MethodFilter::GET, path, controller)
    }

    pub(super) fn post<H, T>(self, path: &'static str, controller: H) -> Self
    where
        H: Handler<T, Arc<App>>,
        T: Guarded + 'static,
    {
        self.add("POST", MethodFilter::POST, path, controller)
    }

    pub(super) fn put<H, T>(self, path: &'static str, controller: H) -> Self
    where
        H: Handler<T, Arc<App>>,
        T: Guarded + 'static,
    {
        self.add("PUT", MethodFilter::PUT, path, controller)
    }

    pub(super) fn delete<H, T>(self, path: &'static str, controller: H) -> Self
    where
        H: Handler<T, Arc<App>>,
        T: Guarded + 'static,
    {
        self.add("DELETE", MethodFilter::DELETE, path, controller)
    }

    fn add<H, T>(
        mut self,
        method: &'static str,
        filter: MethodFilter,
        path: &'static str,
        controller: H,
    ) -> Self
    where
        H: Handler<T, Arc<App>>,
        T: Guarded + 'static,
    {
        let action = T::ACTION;
        if may(Standing::Link, action) {
            self.linked = self.linked.route(path, on(filter, controller.clone()));
        }
        self.all = self.all.route(path, on(filter, controller));
        self.table.push(Route { method, path: path.to_owned(), action });
        self
    }

    pub(super) fn table(&self) -> &[Route] {
        &self.table
    }

    /// Returns the routes for all clients, and those that a link may use.
    pub(super) fn into_routers(self) -> (Router<Arc<App>>, Router<Arc<App>>) {
        (self.all, self.linked)
    }
}

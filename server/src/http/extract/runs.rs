//! Further runs of the two sides of a comparison.

use std::marker::PhantomData;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use super::guard::{ActionType, find_permitted};
use crate::app::App;
use crate::http::error::AppError;
use crate::storage::{StorageError, Stored};

/// Names of the parameters for the baseline and for the candidate, whose values are ids of traces separated
/// by dots.
const NAMES: [&str; 2] = ["more_a", "more_b"];
/// Maximum number of further runs of a side. All are in memory during the comparison.
const MAX_RUNS: usize = 30;

/// Further runs of either side, on each of which the principal must be permitted to act.
#[derive(Clone, Debug)]
pub(crate) struct MoreRuns<A> {
    pub(crate) sides: [Vec<Stored>; 2],
    action: PhantomData<A>,
}

/// True if a pair of the query string names runs, as opposed to a parameter of the query itself.
pub(super) fn is_runs(pair: &str) -> bool {
    side_of(pair).is_some()
}

/// Returns side and ids of the runs in a pair of the query string.
fn side_of(pair: &str) -> Option<(usize, &str)> {
    let (name, ids) = pair.split_once('=')?;
    Some((NAMES.iter().position(|other| *other == name)?, ids))
}

impl<A: ActionType> FromRequestParts<Arc<App>> for MoreRuns<A> {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, AppError> {
        let query = parts.uri.query().unwrap_or_default().to_owned();
        let mut sides: [Vec<Stored>; 2] = Default::default();
        for (side, ids) in query.split('&').filter_map(side_of) {
            for id in ids.split('.').filter(|id| !id.is_empty()) {
                // Text that is no valid id never becomes a path.
                let id = id.parse().map_err(|_| StorageError::NotFound)?;
                let (stored, _) = find_permitted::<A>(parts, app, &id).await?;
                if sides[side].len() == MAX_RUNS {
                    let reason = format!("a side has at most {} runs", MAX_RUNS + 1);
                    return Err(AppError::BadRequest(reason));
                }
                // A duplicate run would make a random difference look significant.
                if sides[side].iter().all(|other| other.id != stored.id) {
                    sides[side].push(stored);
                }
            }
        }
        Ok(Self { sides, action: PhantomData })
    }
}

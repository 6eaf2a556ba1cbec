//! The server's metrics for operators: requests, bytes, imports, errors. No metric contains an id, a name or
//! a secret: routes are from the router's table, errors have the API's names.

mod text;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub(crate) use self::text::Text;

/// Upper bounds of the histogram buckets, in seconds.
const BOUNDS_S: [f64; 14] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0];

/// Counts since the start.
#[derive(Debug, Default)]
pub struct Metrics {
    responses: Mutex<Responses>,
    under_way: AtomicU64,
    received_bytes: AtomicU64,
    sent_bytes: AtomicU64,
}

#[derive(Debug, Default)]
struct Responses {
    /// By method, route and status.
    requests: BTreeMap<(&'static str, String, u16), u64>,
    times: BTreeMap<String, Times>,
    /// By the name of the error.
    errors: BTreeMap<&'static str, u64>,
}

/// Response times of a route, until the response begins.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    /// By bound; the last one is for longer times.
    counts: [u64; BOUNDS_S.len() + 1],
    seconds: f64,
}

#[derive(Debug)]
pub(crate) struct UnderWay<'a>(&'a AtomicU64);

impl Metrics {
    /// Counts a request as running until this is dropped.
    pub(crate) fn begin(&self) -> UnderWay<'_> {
        self.under_way.fetch_add(1, Ordering::Relaxed);
        UnderWay(&self.under_way)
    }

    /// Counts a response. `method` and `route` are from small fixed sets.
    pub(crate) fn count_response(
        &self,
        method: &'static str,
        route: &str,
        status: u16,
        error: Option<&'static str>,
        took: Duration,
    ) {
        let mut responses = self.lock();
        *responses.requests.entry((method, route.to_owned(), status)).or_default() += 1;
        let times = responses.times.entry(route.to_owned()).or_default();
        let seconds = took.as_secs_f64();
        times.counts[BOUNDS_S.partition_point(|bound| *bound < seconds)] += 1;
        times.seconds += seconds;
        if let Some(error) = error {
            *responses.errors.entry(error).or_default() += 1;
        }
    }

    /// Counts an error of a job, which has no response.
    pub(crate) fn count_error(&self, name: &'static str) {
        *self.lock().errors.entry(name).or_default() += 1;
    }

    pub(crate) fn add_received(&self, bytes: u64) {
        self.received_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn add_sent(&self, bytes: u64) {
        self.sent_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn write(&self, text: &mut Text) {
        let number = |count: &AtomicU64| count.load(Ordering::Relaxed);
        text.current("syclscope_requests_under_way", "Requests in progress.", number(&self.under_way));
        let (received, sent) = (number(&self.received_bytes), number(&self.sent_bytes));
        text.counter("syclscope_received_bytes_total", "Bytes of request bodies.", received);
        text.counter("syclscope_sent_bytes_total", "Bytes of response bodies.", sent);
        let responses = self.lock();
        text.family("syclscope_requests_total", "counter", "Requests by method, route and status.");
        for ((method, route, status), count) in &responses.requests {
            let status = status.to_string();
            let labels = [("method", *method), ("route", route), ("status", &status)];
            text.sample("syclscope_requests_total", &labels, *count);
        }
        text.family("syclscope_errors_total", "counter", "Errors of responses and of jobs, by name.");
        for (name, count) in &responses.errors {
            text.sample("syclscope_errors_total", &[("error", *name)], *count);
        }
        text.family("syclscope_request_seconds", "histogram", "Time to the start of the response, by route.");
        for (route, times) in &responses.times {
            let mut below = 0;
            for (bound, count) in BOUNDS_S.iter().zip(times.counts) {
                below += count;
                let bound = bound.to_string();
                text.sample("syclscope_request_seconds_bucket", &[("route", route), ("le", &bound)], below);
            }
            let all: u64 = times.counts.iter().sum();
            text.sample("syclscope_request_seconds_bucket", &[("route", route), ("le", "+Inf")], all);
            text.sample("syclscope_request_seconds_sum", &[("route", route)], times.seconds);
            text.sample("syclscope_request_seconds_count", &[("route", route)], all);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Responses> {
        self.responses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_counted_by_route_and_time() {
        let metrics = Metrics::default();
        let under_way = metrics.begin();
        for (milliseconds, status, error) in
            [(1, 200, None), (3, 200, None), (90_000, 503, Some("no_database"))]
        {
            metrics.count_response(
                "GET",
                "/api/v1/traces",
                status,
                error,
                Duration::from_millis(milliseconds),
            );
        }
        metrics.add_received(10);
        let mut text = Text::default();
        metrics.write(&mut text);
        let text = text.into_string();
        for line in [
            "# TYPE syclscope_request_seconds histogram",
            "syclscope_requests_under_way 1",
            "syclscope_received_bytes_total 10",
            r#"syclscope_requests_total{method="GET",route="/api/v1/traces",status="200"} 2"#,
            r#"syclscope_errors_total{error="no_database"} 1"#,
            r#"syclscope_request_seconds_bucket{route="/api/v1/traces",le="0.001"} 1"#,
            r#"syclscope_request_seconds_bucket{route="/api/v1/traces",le="0.005"} 2"#,
            r#"syclscope_request_seconds_bucket{route="/api/v1/traces",le="60"} 2"#,
            r#"syclscope_request_seconds_bucket{route="/api/v1/traces",le="+Inf"} 3"#,
            r#"syclscope_request_seconds_count{route="/api/v1/traces"} 3"#,
        ] {
            assert!(text.lines().any(|known| known == line), "{line} in\n{text}");
        }
        drop(under_way);
        assert_eq!(metrics.under_way.load(Ordering::Relaxed), 0);
    }
}

//! Secrets recognised by a prefix that their issuers chose for scanners.

pub(super) struct Shape {
    pub(super) start: &'static str,
    /// Further characters allowed in the rest, besides letters and digits.
    pub(super) more: &'static str,
    /// Minimum length of the rest.
    pub(super) least: usize,
}

const fn shape(start: &'static str, more: &'static str, least: usize) -> Shape {
    Shape { start, more, least }
}

/// The shapes, grouped by issuer.
pub(super) const SHAPES: [Shape; 45] = [
    // Clouds: Amazon, Google, DigitalOcean, Alibaba, Tencent.
    shape("AKIA", "", 16),
    shape("ASIA", "", 16),
    shape("ABIA", "", 16),
    shape("ACCA", "", 16),
    shape("AIza", "-_", 30),
    shape("ya29.", "-_", 20),
    shape("GOCSPX-", "-_", 20),
    shape("dop_v1_", "", 32),
    shape("doo_v1_", "", 32),
    shape("LTAI", "", 16),
    shape("AKID", "", 24),
    // Code and packages: GitHub, GitLab, Bitbucket, npm, PyPI, RubyGems, crates.io, Docker, Hugging Face.
    shape("ghp_", "", 30),
    shape("gho_", "", 30),
    shape("ghu_", "", 30),
    shape("ghs_", "", 30),
    shape("ghr_", "", 30),
    shape("github_pat_", "_", 22),
    shape("glpat-", "-_.", 20),
    shape("gldt-", "-_", 20),
    shape("glrt-", "-_.", 20),
    shape("ATBB", "", 24),
    shape("ATATT3", "-_=", 50),
    shape("npm_", "", 30),
    shape("pypi-AgE", "-_", 40),
    shape("rubygems_", "", 32),
    shape("cio", "", 32),
    shape("dckr_pat_", "-_", 20),
    shape("hf_", "", 30),
    // Services: OpenAI and Anthropic, Slack, Stripe, SendGrid, Shopify, Grafana, HashiCorp, Databricks, Linear,
    // Sentry, Tailscale, New Relic.
    shape("sk-", "-_", 20),
    shape("xoxb-", "-", 10),
    shape("xoxp-", "-", 10),
    shape("xoxa-", "-", 10),
    shape("xoxs-", "-", 10),
    shape("xapp-", "-", 10),
    shape("sk_live_", "", 16),
    shape("rk_live_", "", 16),
    shape("SG.", "-_.", 40),
    shape("shpat_", "", 32),
    shape("glsa_", "_", 32),
    shape("hvs.", "-_", 24),
    shape("dapi", "-", 32),
    shape("tskey-", "-", 16),
    // Signed tokens (RFC 7519), age, and private keys (RFC 7468).
    shape("eyJ", "-_.=", 30),
    shape("AGE-SECRET-KEY-1", "", 50),
    shape("-----BEGIN ", " -", 12),
];

/// Returns the start of the first secret of a known form.
pub(super) fn find(text: &str) -> Option<usize> {
    let is_start =
        |at: &usize| text[..*at].chars().next_back().is_none_or(|before| !before.is_ascii_alphanumeric());
    let found = SHAPES.iter().filter_map(|shape| {
        let places = text.match_indices(shape.start).map(|(at, _)| at).filter(is_start);
        places.filter(|at| shape.fits(&text[at + shape.start.len()..])).min()
    });
    found.min()
}

impl Shape {
    fn fits(&self, rest: &str) -> bool {
        let letters =
            rest.chars().take_while(|letter| letter.is_ascii_alphanumeric() || self.more.contains(*letter));
        letters.take(self.least).count() == self.least
    }
}

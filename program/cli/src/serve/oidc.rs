//! The identity provider that the command line names.

use std::path::PathBuf;

use crate::error::CliError;
use syclscope_server::auth::provider::{NameClaim, Provider, Settings};
use syclscope_server::http::address::PublicUrl;

const SECRET: &str = "SYCLSCOPE_OIDC_CLIENT_SECRET";

#[derive(Debug, clap::Args)]
pub(super) struct Oidc {
    /// Issuer URL of the identity provider (OpenID Connect), exactly as it calls itself
    #[arg(long, value_name = "URL", help_heading = "Sign-in", required_if_eq("sign_in", "oidc"))]
    oidc_issuer: Option<String>,
    /// Client ID at the provider. Its redirect URI there is --public-url followed by /signed-in
    #[arg(long, value_name = "ID", help_heading = "Sign-in", required_if_eq("sign_in", "oidc"))]
    oidc_client_id: Option<String>,
    /// File with the client secret [default: SYCLSCOPE_OIDC_CLIENT_SECRET; a public client has none]
    #[arg(long, value_name = "FILE", help_heading = "Sign-in")]
    oidc_client_secret_file: Option<PathBuf>,
    /// ID-token claim to use as user name: one that users can't change, and that is unique. An email counts only if the
    /// provider has verified it
    #[arg(long, value_name = "CLAIM", default_value = "preferred_username", help_heading = "Sign-in")]
    oidc_name_claim: NameClaim,
    /// Scopes to request beside openid, if the name needs them [default: profile, or email for an email]
    #[arg(long, value_name = "SCOPE", num_args = 1.., help_heading = "Sign-in")]
    oidc_scopes: Option<Vec<String>>,
}

impl Oidc {
    pub(super) fn provider(&self, public: Option<&PublicUrl>) -> Result<Provider, CliError> {
        let missing = |option| CliError::Oidc { option };
        let scopes = self.oidc_scopes.clone();
        let by_claim = || self.oidc_name_claim.scope().map(str::to_owned).into_iter().collect();
        Ok(Provider::new(Settings {
            issuer: self.oidc_issuer.clone().ok_or(missing("--oidc-issuer"))?,
            client_id: self.oidc_client_id.clone().ok_or(missing("--oidc-client-id"))?,
            client_secret: self.secret()?,
            scopes: scopes.unwrap_or_else(by_claim),
            name: self.oidc_name_claim.clone(),
            public: public.cloned().ok_or(missing("--public-url"))?,
        })?)
    }

    fn secret(&self) -> Result<Option<String>, CliError> {
        let text = match &self.oidc_client_secret_file {
            Some(path) => Some(
                std::fs::read_to_string(path)
                    .map_err(|error| CliError::Unreadable { path: path.clone(), error: error.to_string() })?,
            ),
            None => std::env::var(SECRET).ok(),
        };
        Ok(text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()))
    }
}

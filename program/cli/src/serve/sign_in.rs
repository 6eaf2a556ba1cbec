//! Sign-in options, and checks against dangerous combinations.

use std::net::SocketAddr;
use std::sync::Arc;

use clap::ValueEnum;

use super::oidc::Oidc;
use crate::error::CliError;
use crate::hosting::own_account;
use syclscope_server::auth::{Access, Network, Proxies};
use syclscope_server::http::address::PublicUrl;

/// Methods of signing in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Way {
    /// By account on this computer: yours only
    Local,
    /// By a token from `syclscope token create`
    Token,
    /// By a user name that a reverse proxy sends; see --proxy-header
    Proxy,
    /// At an identity provider (OpenID Connect); see --oidc-issuer
    Oidc,
}

#[derive(Debug, clap::Args)]
pub(super) struct SignIn {
    /// Sign-in method [default: local on a local address]
    #[arg(long, value_name = "WAY", value_enum, help_heading = "Sign-in")]
    sign_in: Option<Way>,
    /// Require no sign-in: everyone who reaches the address can view, upload and delete everything
    #[arg(long, conflicts_with_all = ["sign_in", "any_account"], help_heading = "Sign-in")]
    anyone: bool,
    /// Let every account of this computer in, not only yours: for a reverse proxy on this computer, which must then
    /// authenticate its users
    #[arg(long, conflicts_with = "sign_in", help_heading = "Sign-in")]
    any_account: bool,
    /// Header in which a reverse proxy sends the user name. The proxy must remove it from clients' requests
    #[arg(long, value_name = "NAME", default_value = "x-forwarded-user", help_heading = "Sign-in")]
    proxy_header: String,
    /// Address or network of a trusted reverse proxy, for --proxy-header and X-Forwarded-For; may be repeated
    #[arg(long, value_name = "ADDR", help_heading = "Sign-in", required_if_eq("sign_in", "proxy"))]
    trusted_proxy: Vec<Network>,
    /// Public URL of the server: https://HOST or https://HOST/PATH. With https, cookies are for https only
    #[arg(long, value_name = "URL", help_heading = "Sign-in", required_if_eq("sign_in", "oidc"))]
    public_url: Option<PublicUrl>,
    #[command(flatten)]
    oidc: Oidc,
}

impl SignIn {
    /// Returns the access rules of a server that listens on an address.
    ///
    /// # Errors
    /// Returns an error if others can reach the server without a way to sign in, or with one that can't work there.
    pub(super) fn access(&self, listen: SocketAddr) -> Result<Access, CliError> {
        let is_local = listen.ip().is_loopback();
        match self.sign_in {
            Some(Way::Token) => Ok(Access::Token),
            Some(Way::Proxy) => Ok(Access::Proxy { header: self.proxy_header.to_ascii_lowercase() }),
            Some(Way::Oidc) => Ok(Access::Oidc(Arc::new(self.oidc.provider(self.public_url.as_ref())?))),
            Some(Way::Local) if !is_local => Err(CliError::LocalSignIn { address: listen }),
            None if self.anyone || self.any_account && is_local => Ok(Access::Everybody),
            None if !is_local => Err(CliError::NoSignIn { address: listen }),
            Some(Way::Local) | None => own_account(),
        }
    }

    pub(super) fn public_url(&self) -> Option<PublicUrl> {
        self.public_url.clone()
    }

    pub(super) fn proxies(&self) -> Proxies {
        Proxies::at(self.trusted_proxy.clone())
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        sign_in: SignIn,
    }

    fn access(words: &str, listen: &str) -> Result<Access, String> {
        let words = std::iter::once("serve").chain(words.split_ascii_whitespace());
        let line = Line::try_parse_from(words).map_err(|error| error.to_string())?;
        line.sign_in.access(listen.parse().unwrap()).map_err(|error| error.to_string())
    }

    const LOCAL: &str = "127.0.0.1:4717";
    const REACHABLE: &str = "0.0.0.0:4717";

    #[test]
    fn what_others_reach_is_not_open_by_accident() {
        for words in ["", "--any-account"] {
            let refused = access(words, REACHABLE).unwrap_err();
            assert!(refused.contains("--sign-in") && refused.contains("--anyone"), "{refused}");
        }
        assert!(matches!(access("--anyone", REACHABLE), Ok(Access::Everybody)));
        assert!(matches!(access("--sign-in token", REACHABLE), Ok(Access::Token)));
        assert!(access("--sign-in local", REACHABLE).is_err());
        assert!(access("--sign-in token --anyone", REACHABLE).is_err());
    }

    #[test]
    fn a_local_server_is_its_accounts() {
        assert!(matches!(access("", LOCAL), Ok(Access::Account(_))));
        assert!(matches!(access("", "[::1]:0"), Ok(Access::Account(_))));
        assert!(matches!(access("--sign-in local", LOCAL), Ok(Access::Account(_))));
        assert!(matches!(access("--any-account", LOCAL), Ok(Access::Everybody)));
        assert!(matches!(access("--sign-in token", LOCAL), Ok(Access::Token)));
    }

    #[test]
    fn a_proxy_has_an_address() {
        assert!(access("--sign-in proxy", LOCAL).is_err());
        let named =
            access("--sign-in proxy --trusted-proxy 10.0.0.0/8 --proxy-header Remote-User", REACHABLE);
        assert!(matches!(named, Ok(Access::Proxy { header }) if header == "remote-user"));
        assert!(access("--sign-in proxy --trusted-proxy everywhere", LOCAL).is_err());
    }

    #[test]
    fn a_provider_has_addresses() {
        let whole = "--sign-in oidc --oidc-issuer https://login.example --oidc-client-id traces \
                     --public-url https://traces.example";
        assert!(matches!(access(whole, REACHABLE), Ok(Access::Oidc(_))));
        for without in [
            "--oidc-issuer https://login.example",
            "--oidc-client-id traces",
            "--public-url https://traces.example",
        ] {
            let option = without.split(' ').next().unwrap();
            let refused = access(&whole.replace(without, ""), REACHABLE).unwrap_err();
            assert!(refused.contains(option), "{refused}");
        }
        for (issuer, why) in [("http://login.example", "https"), ("login.example", "--oidc-issuer")] {
            let refused = access(&whole.replace("https://login.example", issuer), REACHABLE).unwrap_err();
            assert!(refused.contains(why), "{refused}");
        }
        let nowhere = access(&whole.replace("/login.example", "/"), REACHABLE).unwrap_err();
        assert!(nowhere.contains("--oidc-issuer"), "{nowhere}");
    }
}

//! Errors of a sign-in at the provider.

/// Reason of a failed sign-in, for the user. The log has details for administrators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    #[error("--oidc-issuer must be the provider's URL, like https://login.example")]
    NoIssuer,
    #[error(
        "--public-url must be a URL like https://traces.example: the identity provider sends browsers back to it"
    )]
    NoWayBack,
    /// Others could read or change the traffic to its URL.
    #[error("the identity provider needs https: over http others could sign in as anyone")]
    InTheClear,
    #[error("can't set up connections to the identity provider")]
    Setup,
    #[error("the identity provider can't be reached; retry in a moment")]
    Unreachable,
    /// The response is not valid OpenID Connect.
    #[error(
        "unusable response from the identity provider; see the server's log. Tell an admin of this server"
    )]
    Odd,
    /// The provider rejects this server's client ID or secret.
    #[error("the identity provider rejects this server's client ID and secret. Tell an admin of this server")]
    Client,
    #[error("consent was denied at the identity provider")]
    Denied,
    /// The provider refuses the sign-in for another reason.
    #[error("the identity provider refused the sign-in; the server's log has its reason")]
    Refused,
    /// The response doesn't belong to a sign-in of this browser.
    #[error(
        "this sign-in is from another browser, has ended, or took longer than ten minutes. Sign in again"
    )]
    Lost,
    #[error("the identity provider has closed this sign-in: it has ended or took too long. Sign in again")]
    Code,
    #[error(
        "the clocks of this server and the identity provider differ too much. Tell an admin of this server"
    )]
    Clocks,
    /// The ID token is not signed by the provider, or not for this sign-in.
    #[error("can't verify the identity provider's response; see the server's log")]
    Unverified,
    #[error(
        "the identity provider has not verified your email address, which is your user name here. Verify it there, and sign in again"
    )]
    EmailUnverified,
    #[error(
        "your user name at the identity provider belongs to another account here. If it is yours now, \
         an admin of this server can release it: syclscope member forget NAME"
    )]
    NameTaken,
    #[error(
        "the identity provider sent no user name for you. Tell an admin of this server: --oidc-name-claim and --oidc-scopes select it"
    )]
    NoName,
}

//! Errors of a sign-in at the provider.

/// Reason of a failed sign-in, for the user. The log has the details for administrators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    #[error("--oidc-issuer takes the provider's URL, like https://login.example")]
    NoIssuer,
    /// Others could read or change the traffic to its address.
    #[error("the identity provider needs https: over http others could sign in as anyone")]
    InTheClear,
    #[error("can't connect to an identity provider from here")]
    Setup,
    #[error("the identity provider can't be reached; retry in a moment")]
    Unreachable,
    /// The response is not valid OpenID Connect.
    #[error(
        "unusable response from the identity provider; see the server's log. Tell an admin of this server"
    )]
    Odd,
    /// It rejects this server's client ID or secret.
    #[error("the identity provider rejects this server's client ID and secret. Tell an admin of this server")]
    Client,
    #[error("consent was denied at the identity provider")]
    Denied,
    /// It refuses the sign-in for a reason of its own.
    #[error("the identity provider refused the sign-in; the server's log has its reason")]
    Refused,
    /// The response belongs to no sign-in of this browser.
    #[error(
        "this sign-in is from another browser, has ended, or took longer than ten minutes. Sign in again"
    )]
    Lost,
    #[error("the identity provider has closed this sign-in: it has ended or took too long. Sign in again")]
    Code,
    #[error(
        "the clocks of this server and of the identity provider differ too much. Tell an admin of this server"
    )]
    Clocks,
    /// The ID token is not signed by the provider, or not for this sign-in.
    #[error("the identity provider's answer can't be verified; see the server's log")]
    Unverified,
    #[error(
        "the identity provider has not verified your email address, which is your user name here. Verify it there, and sign in again"
    )]
    EmailUnverified,
    #[error(
        "the name that the identity provider says of you belongs here to another account, which had it before. If it is yours now, \
         an admin of this server lets you have it: syclscope member forget NAME"
    )]
    NameTaken,
    #[error(
        "the identity provider sends no user name for you. Tell an admin of this server: --oidc-name-claim and --oidc-scopes choose it"
    )]
    NoName,
}

//! Why nobody could sign in at the provider.

/// Reason of a failed sign-in, for the user. The log has the details for administrators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// Its address is none.
    #[error("--oidc-issuer takes the provider's URL, like https://login.example")]
    NoIssuer,
    /// Its address is one on whose way others can read along.
    #[error("the identity provider needs https: over http others could sign in as anyone")]
    InTheClear,
    /// There are no connections to be had.
    #[error("can't connect to an identity provider from here")]
    Setup,
    /// It does not answer.
    #[error("the identity provider can't be reached; retry in a moment")]
    Unreachable,
    /// It answers what OpenID Connect does not know.
    #[error(
        "unusable response from the identity provider; see the server's log. Tell an admin of this server"
    )]
    Odd,
    /// It does not know this server.
    #[error("the identity provider rejects this server's client ID and secret. Tell an admin of this server")]
    Client,
    /// The user denied consent.
    #[error("consent was denied at the identity provider")]
    Denied,
    /// It lets nobody in now, for a reason of its own.
    #[error("the identity provider refused the sign-in; the server's log has its reason")]
    Refused,
    /// The answer belongs to no sign-in of this browser.
    #[error(
        "this sign-in is from another browser, has ended, or took longer than ten minutes. Sign in again"
    )]
    Lost,
    /// It does not take the code.
    #[error("the identity provider has closed this sign-in: it has ended or took too long. Sign in again")]
    Code,
    /// Its clock and this server's say different times.
    #[error(
        "the clocks of this server and of the identity provider differ too much. Tell an admin of this server"
    )]
    Clocks,
    /// The ID token is not signed by the provider, or not for this sign-in.
    #[error("the identity provider's answer can't be verified; see the server's log")]
    Unverified,
    /// The address of who signed in may be somebody else's.
    #[error(
        "the identity provider has not verified your email address, which is your user name here. Verify it there, and sign in again"
    )]
    EmailUnverified,
    /// The name of who signed in is another account's here.
    #[error(
        "the name that the identity provider says of you belongs here to another account, which had it before. If it is yours now, \
         an admin of this server lets you have it: syclscope member forget NAME"
    )]
    NameTaken,
    /// It does not say what the name should be.
    #[error(
        "the identity provider sends no user name for you. Tell an admin of this server: --oidc-name-claim and --oidc-scopes choose it"
    )]
    NoName,
}

//! Why nobody could sign in at the provider.

/// What went wrong, in words for the person who wanted to sign in. What an admin needs beside that is in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// Its address is none.
    #[error("--oidc-issuer takes the provider's address, like https://login.example")]
    NoIssuer,
    /// Its address is one on whose way others can read along.
    #[error("the provider of identities must be reached by https: over http others could sign in as anybody")]
    InTheClear,
    /// There are no connections to be had.
    #[error("no connection to a provider of identities can be made here")]
    Setup,
    /// It does not answer.
    #[error(
        "the provider of identities, where you would sign in, can't be reached now. Try again in a moment"
    )]
    Unreachable,
    /// It answers what OpenID Connect does not know.
    #[error(
        "the provider of identities gave an answer that this server can't use; its log says more. Tell an admin \
         of this server"
    )]
    Odd,
    /// It does not know this server.
    #[error(
        "the provider of identities does not accept this server's client id and secret. Tell an admin of this server"
    )]
    Client,
    /// Who wanted to sign in did not let it tell.
    #[error("you did not let the provider of identities tell this server who you are")]
    Denied,
    /// It lets nobody in now, for a reason of its own.
    #[error("the provider of identities did not let you in; this server's log has its reason")]
    Refused,
    /// The answer belongs to no sign-in of this browser.
    #[error(
        "this sign-in is not one of this browser, or was ended before, or took longer than ten minutes. Sign in again"
    )]
    Lost,
    /// It does not take the code.
    #[error(
        "the provider of identities takes this sign-in no more: it was ended before, or took too long. Sign in again"
    )]
    Code,
    /// Its clock and this server's say different times.
    #[error(
        "the clocks of this server and of the provider of identities differ too much to trust what it says. Tell an \
         admin of this server"
    )]
    Clocks,
    /// What it says of who signed in is not signed as it should be, or not about this sign-in.
    #[error("what the provider of identities says about you can't be verified; this server's log says more")]
    Unverified,
    /// The address of who signed in may be somebody else's.
    #[error(
        "the provider of identities has not verified your email address, which would be your name here. Verify it there, \
         and sign in again"
    )]
    EmailUnverified,
    /// The name of who signed in is another account's here.
    #[error(
        "the name that the provider of identities says of you belongs here to another account, which had it before. If it is yours now, \
         an admin of this server lets you have it: syclscope member forget NAME"
    )]
    NameTaken,
    /// It does not say what the name should be.
    #[error(
        "the provider of identities does not say the name under which you would be known here. Tell an admin of this \
         server: --oidc-name-claim and --oidc-scopes choose it"
    )]
    NoName,
}

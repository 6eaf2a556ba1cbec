//! A sign-in of a browser.

use openidconnect::PkceCodeVerifier;
use sha2::{Digest as _, Sha256};

/// A pending sign-in. Its state, nonce and PKCE verifier derive from one secret in a cookie of the browser,
/// so no other browser can complete it, and the server need not store it.
#[derive(Clone)]
pub struct Attempt {
    /// 160 random bits as text.
    secret: String,
}

impl std::fmt::Debug for Attempt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Attempt(…)")
    }
}

impl Attempt {
    /// Creates the sign-in with this unguessable secret.
    pub fn new(secret: &str) -> Self {
        Self { secret: secret.to_owned() }
    }

    /// Returns the state, which the provider sends back unchanged.
    pub fn state(&self) -> String {
        self.part("state")
    }

    pub fn is_answered_by(&self, state: &str) -> bool {
        // Compares digests, so that the time reveals nothing about the state.
        Sha256::digest(self.state()) == Sha256::digest(state)
    }

    /// Returns the digest that prevents a second use. It reveals nothing about the secret.
    pub fn digest(&self) -> String {
        self.part("used")
    }

    /// Returns the nonce, which the provider signs.
    pub(super) fn nonce(&self) -> String {
        self.part("nonce")
    }

    /// Returns the verifier, which proves to the provider that the code's sender began the sign-in.
    pub(super) fn verifier(&self) -> PkceCodeVerifier {
        PkceCodeVerifier::new(self.part("verifier"))
    }

    fn part(&self, name: &str) -> String {
        let digest = Sha256::digest(format!("{name} {}", self.secret));
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_fits_its_own_sign_in_only() {
        let (one, other) = (Attempt::new("a"), Attempt::new("b"));
        assert!(one.is_answered_by(&one.state()));
        for state in [&other.state(), &one.nonce(), &one.digest(), "", &one.state()[1..]] {
            assert!(!one.is_answered_by(state), "{state}");
        }
        // RFC 7636: 43 to 128 letters.
        assert_eq!(one.verifier().secret().len(), 64);
        assert_eq!(format!("{one:?}"), "Attempt(…)");
    }
}

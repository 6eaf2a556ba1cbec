//! People as identified by the provider, and their user names, from its claims.

use std::convert::Infallible;
use std::str::FromStr;

use serde_json::Value;

use super::ProviderError;

/// ID-token claim to use as user name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameClaim(String);

impl FromStr for NameClaim {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

impl NameClaim {
    /// Returns the user name among these claims; `None` if they have none.
    ///
    /// # Errors
    /// Returns an error if the name is an email address that the provider has not verified: any user could enter
    /// another person's address there.
    pub(super) fn read(&self, claims: &Value) -> Result<Option<String>, ProviderError> {
        let Some(name) = claims.get(&self.0).and_then(Value::as_str) else { return Ok(None) };
        if self.0 == "email" && claims.get("email_verified") != Some(&Value::Bool(true)) {
            return Err(ProviderError::EmailUnverified);
        }
        Ok(Some(name.to_owned()))
    }

    /// Returns the scope that requests this claim.
    pub fn scope(&self) -> Option<&'static str> {
        match self.0.as_str() {
            "sub" => None,
            "email" => Some("email"),
            _ => Some("profile"),
        }
    }
}

/// Maximum length of a subject in bytes, from OpenID Connect.
const MAX_SUBJECT_BYTES: usize = 255;

/// A person as identified by the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// Subject, which the provider never reassigns.
    pub subject: String,
    /// Current user name: some providers let people change it, or later assign it to another account.
    pub name: String,
}

pub(super) fn is_subject(text: &str) -> bool {
    (1..=MAX_SUBJECT_BYTES).contains(&text.len()) && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_name_is_what_the_claim_says() {
        let of = |claim: &str, claims: Value| claim.parse::<NameClaim>().unwrap().read(&claims);
        assert_eq!(of("sub", json!({"sub": "17"})), Ok(Some("17".to_owned())));
        assert_eq!(of("upn", json!({"sub": "17", "upn": "ada"})), Ok(Some("ada".to_owned())));
        assert_eq!(of("preferred_username", json!({"sub": "17"})), Ok(None));
        assert_eq!(of("groups", json!({"groups": ["a"]})), Ok(None));
    }

    #[test]
    fn an_address_that_is_not_verified_is_no_name() {
        let of = |claims: Value| "email".parse::<NameClaim>().unwrap().read(&claims);
        assert_eq!(of(json!({"email": "a@b", "email_verified": true})), Ok(Some("a@b".to_owned())));
        for verified in [json!(false), json!("true"), json!(null)] {
            let claims = json!({"email": "a@b", "email_verified": verified});
            assert_eq!(of(claims), Err(ProviderError::EmailUnverified));
        }
        assert_eq!(of(json!({"email": "a@b"})), Err(ProviderError::EmailUnverified));
        assert_eq!(of(json!({})), Ok(None));
    }
}

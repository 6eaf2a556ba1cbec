//! Names that show that the value next to them is private.

/// Parts of a name that make its value private at any position.
const PARTS: [&str; 17] = [
    "ACCESSKEY",
    "ACCOUNTKEY",
    "APIKEY",
    "AUTHKEY",
    "AUTHORIZATION",
    "COOKIE",
    "CREDENTIAL",
    "ENCRYPTIONKEY",
    "MASTERKEY",
    "PASSCODE",
    "PASSPHRASE",
    "PASSW",
    "PRIVATEKEY",
    "SECRET",
    "SHAREDKEY",
    "SIGNINGKEY",
    "TOKEN",
];
/// Complete words of a name that make its value private.
const WORDS: [&str; 11] =
    ["AUTH", "BEARER", "CREDS", "KEY", "PASS", "PAT", "PIN", "PSK", "PWD", "SIG", "SIGNATURE"];
/// Suffixes of a name that make its value private.
const ENDS: [&str; 2] = ["PASS", "PWD"];
/// Words with such a suffix and another meaning.
const NOT_ENDS: [&str; 4] = ["BYPASS", "COMPASS", "OVERPASS", "SURPASS"];
/// Authentication schemes of HTTP, after which the secret follows.
const SCHEMES: [&str; 7] = ["apikey", "basic", "bearer", "digest", "key", "negotiate", "token"];

/// True if a name denotes a private value: `SYCL_DB_PWD`, `--api-key`, `clientSecret`.
pub(crate) fn is_private(name: &str) -> bool {
    let joined: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_uppercase()).collect();
    PARTS.iter().any(|part| joined.contains(part))
        || words(name).any(|word| WORDS.iter().any(|private| word.eq_ignore_ascii_case(private)))
        || ENDS.iter().any(|end| joined.ends_with(end)) && !NOT_ENDS.iter().any(|end| joined.ends_with(end))
}

/// True if a word is an authentication scheme followed by its secret: `Authorization: Bearer …`.
pub(super) fn is_scheme(word: &str) -> bool {
    SCHEMES.iter().any(|scheme| word.eq_ignore_ascii_case(scheme))
}

/// Returns the words of a name: `accessKey`, `access_key` and `access-key` have two.
fn words(name: &str) -> impl Iterator<Item = &str> {
    let parts = name.split(|letter: char| !letter.is_ascii_alphanumeric());
    parts.flat_map(|part| {
        let bytes = part.as_bytes();
        let starts = (1..part.len())
            .filter(|at| bytes[at - 1].is_ascii_lowercase() && bytes[*at].is_ascii_uppercase());
        let bounds: Vec<usize> = [0].into_iter().chain(starts).chain([part.len()]).collect();
        (1..bounds.len()).map(move |at| &part[bounds[at - 1]..bounds[at]]).collect::<Vec<_>>()
    })
}

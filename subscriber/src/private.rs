//! Recognition of secrets on command lines and in the environment: passwords, tokens and keys. A secret is recognised
//! by the name before it, by its position in a URL, or by its form.
//!
//! The end of a secret is unknown, since it may contain any character. So everything from its start to the end of its
//! word is left out. This is the grammar of a word, whose blanks were quoted in the shell:
//!
//! ```text
//! secret     = named | shaped | after a name in the word before | behind an option of clients::CLIENTS
//!              | after the colon behind an option of USERS
//! named      = name quotes? blank? ("=" | ":" | "%3D" | "%3A" | blank) anything; no blank behind a name after a slash
//! name       = letters, digits and _ - . [ ] % accepted by names::is_private, as in --db.password, "clientSecret"
//! shaped     = a beginning of shapes::SHAPES with its continuation
//! credential = anything without blanks between a colon and the last @: scheme://user:password@host,
//!              jdbc:oracle:thin:user/password@host
//! ```

mod clients;
mod names;
mod shapes;
#[cfg(test)]
mod tests;

use self::clients::Password;
pub(crate) use self::names::is_private;
use self::names::is_scheme;

/// Replacement of a private value.
pub(crate) const HIDDEN: &str = "(private, not recorded)";
/// Replacement of user and password in a URL.
const CREDENTIAL: &str = "***";
/// Encoded separators of a name and its value, in URLs within other URLs.
const ENCODED: [&str; 4] = ["%3D", "%3d", "%3A", "%3a"];
/// Options of curl and similar tools whose value is `user:password`, in the next word or after `=`.
const USERS: [&str; 3] = ["-u", "--user", "--proxy-user"];

/// Returns a word of a command line or a value of the environment without secrets.
pub(crate) fn without_secrets(text: &str) -> String {
    let start = start_of_secret(text);
    let mut recorded = without_credentials(&text[..start.unwrap_or(text.len())]);
    if start.is_some() {
        recorded.push_str(HIDDEN);
    }
    recorded
}

pub(crate) fn command_line<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut recorded: Vec<String> = Vec::new();
    let (mut is_value, mut is_user) = (false, false);
    let mut client = clients::Reader::default();
    for word in words {
        if std::mem::take(&mut is_value) {
            is_value = is_scheme(word);
            recorded.push(HIDDEN.to_owned());
            continue;
        }
        if std::mem::take(&mut is_user)
            && let Some((name, _)) = word.split_once(':')
        {
            recorded.push(format!("{name}:{HIDDEN}"));
            continue;
        }
        match client.read(word) {
            Password::None => {}
            Password::From(at) => {
                recorded.push(format!("{}{HIDDEN}", &word[..at]));
                continue;
            }
            Password::Next => {
                is_value = true;
                recorded.push(word.to_owned());
                continue;
            }
        }
        is_user = USERS.contains(&word);
        // `--token` by itself, or `Authorization:` of a header that a shell has split.
        let start = start_of_secret(word);
        let ends_with_name = start == Some(word.len());
        is_value = ends_with_name || start.is_none() && word.starts_with('-') && is_private(word);
        recorded.push(if ends_with_name { word.to_owned() } else { without_secrets(word) });
    }
    recorded.join(" ")
}

fn start_of_secret(text: &str) -> Option<usize> {
    let is_named = |(start, end): &(usize, usize)| {
        let name = name_before(&text[..*start]);
        // A folder's name may contain a blank.
        let is_folder = text[*start..*end].trim().is_empty() && ends_as_folder(&text[..*start], name);
        is_private(name) && !is_folder
    };
    let named = separators(text).find(is_named);
    let all = [named.map(|(_, end)| end), shapes::find(text), clients::find(text), password_of_user(text)];
    all.into_iter().flatten().min()
}

/// Returns the start of the password behind an option of [`USERS`].
fn password_of_user(text: &str) -> Option<usize> {
    let mut is_user = false;
    text.split_whitespace().find_map(|word| {
        let bare = word.trim_start_matches(['"', '\'']);
        let joined = USERS.iter().find_map(|option| bare.strip_prefix(option)?.strip_prefix('='));
        let value = if std::mem::replace(&mut is_user, USERS.contains(&bare)) { Some(word) } else { joined };
        let (_, password) = value?.split_once(':').filter(|(_, password)| !password.is_empty())?;
        Some(password.as_ptr().addr() - text.as_ptr().addr())
    })
}

/// Returns the separators of a name and its value, as byte ranges.
fn separators(text: &str) -> impl Iterator<Item = (usize, usize)> {
    text.char_indices().filter_map(|(at, letter)| {
        let is_encoded = letter == '%' && ENCODED.iter().any(|code| text[at..].starts_with(code));
        let length = match letter {
            '=' | ':' => 1,
            '%' if is_encoded => 3,
            letter if letter.is_whitespace() => letter.len_utf8(),
            _ => return None,
        };
        Some((at, at + length))
    })
}

/// Returns the name at the end of a text, without trailing quotes, brackets and blanks.
fn name_before(text: &str) -> &str {
    let text = text.trim_end_matches(|letter: char| letter.is_whitespace() || "\"'`\\])}".contains(letter));
    let is_name = |letter: char| letter.is_alphanumeric() || "_-.[]%".contains(letter);
    &text[text.trim_end_matches(is_name).len()..]
}

/// True if the name at the end of a text is the first word of a folder or a file in a path.
fn ends_as_folder(text: &str, name: &str) -> bool {
    text.strip_suffix(name).is_some_and(|before| before.ends_with(['/', '\\']))
}

fn without_credentials(text: &str) -> String {
    text.split_inclusive(char::is_whitespace).flat_map(addresses).map(without_credential).collect()
}

/// Returns the URLs of a comma-separated list without blanks.
fn addresses(run: &str) -> Vec<&str> {
    let mut all = Vec::new();
    let mut rest = run;
    while let Some(at) = rest.match_indices(',').map(|(at, _)| at + 1).find(|at| starts_address(&rest[*at..]))
    {
        let (one, others) = rest.split_at(at);
        all.push(one);
        rest = others;
    }
    all.push(rest);
    all
}

fn starts_address(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, _)| {
        !scheme.is_empty()
            && scheme.chars().all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter))
    })
}

fn without_credential(run: &str) -> String {
    let (Some(colon), Some(at)) = (run.find(':'), run.rfind('@')) else { return run.to_owned() };
    if at < colon {
        return run.to_owned();
    }
    let start = if run[colon..].starts_with("://") {
        colon + 3
    } else {
        run[..colon].rfind(|letter| "=\"'(<".contains(letter)).map_or(0, |before| before + 1)
    };
    format!("{}{CREDENTIAL}{}", &run[..start], &run[at..])
}

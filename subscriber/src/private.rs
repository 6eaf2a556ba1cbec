//! What is nobody's business: passwords, tokens and keys on command lines and in the environment. They are told by the name that
//! stands beside them, and by their form.

/// What stands for a private value.
pub(crate) const HIDDEN: &str = "(private, not recorded)";

/// Parts of a name that make its value private, wherever they are in it.
const PARTS: [&str; 9] =
    ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "PASSCODE", "CREDENTIAL", "APIKEY", "PRIVATEKEY"];
/// Words of a name that make its value private, where they stand by themselves.
const WORDS: [&str; 6] = ["KEY", "PWD", "PASS", "AUTH", "BEARER", "PIN"];

/// Whether a name says that its value is private: `SYCL_DB_PWD`, `--api-key`, `clientSecret`.
pub(crate) fn is_private(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let joined: String = upper.chars().filter(char::is_ascii_alphanumeric).collect();
    PARTS.iter().any(|part| joined.contains(part))
        || upper.split(|character: char| !character.is_ascii_alphanumeric()).any(|word| WORDS.contains(&word))
}

/// A value as it may be told: without the user and password of addresses that it holds.
pub(crate) fn without_credentials(text: &str) -> String {
    let mut told = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(place) = rest.find("://") {
        let (before, behind) = rest.split_at(place + 3);
        told.push_str(before);
        let end =
            behind.find(|character: char| character.is_whitespace() || "/?#,;\"'<>".contains(character));
        let (host, after) = behind.split_at(end.unwrap_or(behind.len()));
        match host.rsplit_once('@') {
            Some((_, host)) => {
                told.push_str("***@");
                told.push_str(host);
            }
            None => told.push_str(host),
        }
        rest = after;
    }
    told.push_str(rest);
    told
}

/// The words of a command line as they may be told.
pub(crate) fn command_line<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut told: Vec<String> = Vec::new();
    let mut hides_next = false;
    for word in words {
        let is_option = word.starts_with('-');
        if std::mem::take(&mut hides_next) && !is_option {
            told.push(HIDDEN.to_owned());
            continue;
        }
        // `--token=x`, `PASSWORD=x`, and `--header "Authorization: x"` in one word.
        match word.split_once(['=', ':']) {
            Some((name, _)) if is_private(name) && !name.contains('/') => {
                told.push(format!("{}{HIDDEN}", &word[..=name.len()]));
            }
            Some((name, _)) if name.trim_start_matches('-').eq_ignore_ascii_case("authorization") => {
                told.push(format!("{}{HIDDEN}", &word[..=name.len()]));
            }
            Some(_) => told.push(without_credentials(word)),
            None => {
                hides_next = is_option && is_private(word);
                told.push(without_credentials(word));
            }
        }
    }
    told.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_is_private() {
        for name in
            ["SYCL_DB_PWD", "SYCL_CACHE_KEY", "--api-key", "clientSecret", "GH_TOKEN", "db.password", "-pass"]
        {
            assert!(is_private(name), "{name}");
        }
        for name in
            ["ONEAPI_DEVICE_SELECTOR", "--keyboard", "SYCL_PI_TRACE", "--compass", "author", "--spin", "PWDS"]
        {
            assert!(!is_private(name), "{name}");
        }
    }

    #[test]
    fn addresses_lose_their_credentials() {
        for (text, told) in [
            ("postgres://ada:hunter2@db:5432/x", "postgres://***@db:5432/x"),
            ("a=https://t0ken@host/p?q=a@b b", "a=https://***@host/p?q=a@b b"),
            ("https://user:p@ss@host", "https://***@host"),
            ("http://host/a@b", "http://host/a@b"),
            ("one://a:b@c,two://d:e@f", "one://***@c,two://***@f"),
            ("mail me@here", "mail me@here"),
            ("://", "://"),
        ] {
            assert_eq!(without_credentials(text), told);
        }
    }

    #[test]
    fn command_lines_are_told_without_what_is_private() {
        let told = |line: &str| command_line(line.split(' '));
        let hidden = HIDDEN;
        assert_eq!(told("/a/run --size 64 x=1"), "/a/run --size 64 x=1");
        assert_eq!(told("run --password=hunter2 -n 3"), format!("run --password={hidden} -n 3"));
        assert_eq!(told("run --token hunter2 file"), format!("run --token {hidden} file"));
        assert_eq!(told("run --token --size 3"), "run --token --size 3", "an option is no value");
        assert_eq!(told("env DB_PASSWORD=x run"), format!("env DB_PASSWORD={hidden} run"));
        assert_eq!(told("run --db mysql://a:b@c/d"), "run --db mysql://***@c/d");
        assert_eq!(told("curl -H Authorization:x"), format!("curl -H Authorization:{hidden}"));
    }
}

//! URLs that may belong to the provider.

use openidconnect::url::{Host, Url};

/// True if the connection is private: encrypted, or on the loopback interface.
pub(super) fn is_private(address: &Url) -> bool {
    address.scheme() == "https" || address.scheme() == "http" && is_here(address)
}

/// True if a URL may belong to the provider, whatever its metadata claims: it has the issuer's scheme, host
/// and port, or is encrypted to a named host. An IP address could be any machine in this server's network.
pub(super) fn is_of(issuer: &Url, address: &Url) -> bool {
    let has_password = !address.username().is_empty() || address.password().is_some();
    let is_named = matches!(address.host(), Some(Host::Domain(_))) && !is_here(address);
    !has_password && (address.origin() == issuer.origin() || address.scheme() == "https" && is_named)
}

fn is_here(address: &Url) -> bool {
    match address.host() {
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name == "localhost" || name.ends_with(".localhost")
        }
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn http_is_for_this_computer_only() {
        for (address, is_fine) in [
            ("https://login.example", true),
            ("http://127.0.0.1:4000", true),
            ("http://[::1]:4000", true),
            ("http://localhost:4000/realms/a", true),
            ("http://login.example", false),
            ("http://localhost.example", false),
            ("ftp://127.0.0.1", false),
        ] {
            assert_eq!(is_private(&url(address)), is_fine, "{address}");
        }
    }

    #[test]
    fn a_provider_has_its_own_host_and_others_with_names() {
        let (far, numbered, here) =
            (url("https://login.example/a"), url("https://10.1.2.3/"), url("http://localhost:4000/"));
        for (address, of) in [
            ("https://login.example/b", [true, true, true]),
            ("https://keys.example:8443/", [true, true, true]),
            ("https://10.1.2.3/keys", [false, true, false]),
            ("https://10.1.2.3:22/keys", [false, false, false]),
            ("http://localhost:4000/keys", [false, false, true]),
            ("http://localhost:22/keys", [false, false, false]),
            ("http://login.example/", [false, false, false]),
            ("https://localhost/", [false, false, false]),
            ("https://localhost./", [false, false, false]),
            ("https://a.localhost/", [false, false, false]),
            ("https://127.0.0.1/", [false, false, false]),
            ("https://2130706433/", [false, false, false]),
            ("https://0x7f.1/", [false, false, false]),
            ("https://[::1]/", [false, false, false]),
            ("https://[::ffff:127.0.0.1]/", [false, false, false]),
            ("http://169.254.169.254/latest/meta-data/", [false, false, false]),
            ("https://169.254.169.254/", [false, false, false]),
            ("https://user:word@login.example/", [false, false, false]),
            ("file:///etc/passwd", [false, false, false]),
            ("javascript:alert(1)", [false, false, false]),
            ("data:application/json,{}", [false, false, false]),
        ] {
            assert_eq!([&far, &numbered, &here].map(|issuer| is_of(issuer, &url(address))), of, "{address}");
        }
    }
}

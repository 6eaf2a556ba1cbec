//! Authentication on a server that listens on this computer only.
//!
//! On a login node, "this computer" has many users: loopback excludes other machines, but not other accounts.
//! The kernel knows the account at the other end of a connection and lists it in `/proc/net/tcp`. So a
//! browser or `curl` of the account that started the server needs no credentials, nor does `ssh -L`, whose
//! end belongs to a process of that account. Connections from elsewhere (another network namespace, a
//! container's forwarded port) are not listed and need the server's key.

use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::MetadataExt as _;
use std::sync::{Arc, OnceLock};

use sha2::{Digest as _, Sha256};
use tokio::net::TcpStream;

use super::sockets;
use crate::storage::TraceId;

/// The account that started a server, and a key for clients whose account is not visible.
#[derive(Clone, Debug)]
pub struct Account {
    uid: u32,
    key: String,
    cookie: String,
}

impl Account {
    /// Returns the account of this process, with a new key.
    ///
    /// # Errors
    /// Returns an error if the operating system provides no random numbers, or no `/proc`.
    pub fn own() -> std::io::Result<Self> {
        Ok(Self::new(std::fs::metadata("/proc/self")?.uid(), TraceId::random()?.to_string()))
    }

    fn new(uid: u32, key: String) -> Self {
        let digest = Sha256::digest(&key);
        let start: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        Self { uid, key, cookie: format!("syclscope-key-{start}") }
    }

    /// Returns the key: 128 random bits.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the name of the key's cookie. Browsers share cookies between all ports of a host, so with a
    /// common name the servers on it would overwrite each other's keys.
    pub(crate) fn cookie(&self) -> &str {
        &self.cookie
    }

    /// True if `text` is the key. The comparison takes constant time.
    pub(crate) fn is_key(&self, text: &str) -> bool {
        let (own, other) = (Sha256::digest(&self.key), Sha256::digest(text));
        own.iter().zip(other.iter()).fold(0, |differences, (own, other)| differences | (own ^ other)) == 0
    }

    /// True if this account owns the other end of a connection. Reads files of `/proc`, so call it on a blocking
    /// thread.
    pub(crate) fn holds(&self, peer: &Peer) -> bool {
        let Some(ends) = &peer.ends else { return false };
        ends.account() == Some(self.uid)
    }
}

/// The other end of a connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Peer {
    ends: Option<Arc<Ends>>,
}

#[derive(Debug)]
struct Ends {
    theirs: SocketAddr,
    ours: SocketAddr,
    uid: OnceLock<u32>,
}

impl Ends {
    /// Returns the account at the other end; `None` if the kernel does not list it, because its descriptor is in
    /// transit to another process, or the list is unreadable. The next request tries again.
    fn account(&self) -> Option<u32> {
        if let Some(account) = self.uid.get() {
            return Some(*account);
        }
        let account = sockets::account_of(self.theirs, self.ours)?;
        Some(*self.uid.get_or_init(|| account))
    }
}

impl Peer {
    pub(crate) fn new(stream: &TcpStream) -> Self {
        let ends = stream.peer_addr().and_then(|theirs| {
            Ok(Arc::new(Ends { theirs, ours: stream.local_addr()?, uid: OnceLock::new() }))
        });
        Self { ends: ends.ok() }
    }

    pub(crate) fn address(&self) -> Option<IpAddr> {
        self.ends.as_ref().map(|ends| ends.theirs.ip().to_canonical())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_other_end_is_known_by_its_account() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let _client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let peer = Peer::new(&listener.accept().await.unwrap().0);
        let own = Account::own().unwrap();
        assert!(own.holds(&peer));
        assert!(!Account { uid: own.uid + 1, ..own.clone() }.holds(&peer));
        assert!(!own.holds(&Peer::default()));
    }

    #[tokio::test]
    async fn who_has_left_is_nobody() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        // The kernel lists closed sockets as root's: an abandoned connection must not count as root's.
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let peer = Peer::new(&listener.accept().await.unwrap().0);
        drop(client);
        let root = Account::new(0, String::new());
        assert!(!root.holds(&peer) && !Account::own().unwrap().holds(&peer));
    }

    #[tokio::test]
    async fn who_is_not_seen_is_looked_for_again() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = tokio::net::TcpSocket::new_v4().unwrap();
        client.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let (theirs, ours) = (client.local_addr().unwrap(), listener.local_addr().unwrap());
        let peer = Peer { ends: Some(Arc::new(Ends { theirs, ours, uid: OnceLock::new() })) };
        let own = Account::own().unwrap();
        assert!(!own.holds(&peer), "not connected yet");
        let client = client.connect(ours).await.unwrap();
        assert!(own.holds(&peer));
        drop(client);
        assert!(own.holds(&peer), "what was seen once stays true of the connection");
    }

    #[test]
    fn only_the_whole_key_is_the_key() {
        let account = Account::own().unwrap();
        assert_eq!(account.key().len(), 26);
        assert!(account.is_key(account.key()));
        for other in ["", &account.key()[1..], &account.key().to_uppercase(), &format!("{}a", account.key())]
        {
            assert!(!account.is_key(other), "{other}");
        }
        assert_ne!(Account::own().unwrap().key(), account.key());
        assert_ne!(Account::own().unwrap().cookie(), account.cookie());
    }
}

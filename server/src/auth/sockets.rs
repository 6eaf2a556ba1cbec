//! Accounts of connections, from the kernel's response about one socket (sock_diag(7)), or from its lists:
//! `/proc/net/tcp` and `/proc/net/tcp6` (proc_pid_net(5)). Reading a list takes milliseconds on a machine
//! with much memory, since the kernel walks its whole table of sockets.
//!
//! In a user namespace (such as a rootless container) all outside accounts are listed as one, the overflow account
//! (user_namespaces(7)). It counts as unknown here, even if it is the server's own.

mod diag;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The overflow account if the kernel does not report it.
const OVERFLOW: u32 = 65534;

/// Returns the account of the end `own` of a connection to `other`; `None` if this computer has no such end,
/// no process has it open any more, or its account is ambiguous.
pub(super) fn account_of(own: SocketAddr, other: SocketAddr) -> Option<u32> {
    let ends = (plain(own), plain(other));
    let account = diag::account_of(ends).or_else(|| from_lists(ends))?;
    let overflow = std::fs::read_to_string("/proc/sys/kernel/overflowuid").unwrap_or_default();
    unless_overflow(account, &overflow)
}

/// Address and port of the own end and of the other end.
type Connection = ((IpAddr, u16), (IpAddr, u16));

fn from_lists(ends: Connection) -> Option<u32> {
    let lists = ["/proc/net/tcp", "/proc/net/tcp6"].into_iter();
    let mut lists = lists.filter_map(|path| std::fs::read_to_string(path).ok());
    lists.find_map(|list| account_in(&list, ends))
}

/// Returns the listed account, unless it is the overflow account, whose number the kernel gives as
/// `overflow`.
fn unless_overflow(account: u32, overflow: &str) -> Option<u32> {
    (account != overflow.trim().parse().unwrap_or(OVERFLOW)).then_some(account)
}

/// Converts an IPv4-mapped address to IPv4.
fn plain(address: SocketAddr) -> (IpAddr, u16) {
    (address.ip().to_canonical(), address.port())
}

fn account_in(list: &str, connection: Connection) -> Option<u32> {
    list.lines().skip(1).find_map(|line| {
        let mut words = line.split_ascii_whitespace().skip(1);
        let ends = (address(words.next()?)?, address(words.next()?)?);
        // Fields before the account: state, queues, timer and retransmits; between it and the inode: a
        // timeout.
        let account = words.nth(4)?.parse().ok()?;
        // A socket without a process is listed as root's, without an inode.
        let has_process = words.nth(1)? != "0";
        (ends == connection && has_process).then_some(account)
    })
}

/// Parses `0100007F:1F90` as 127.0.0.1, port 8080: four-byte words in the machine's byte order, and the port
/// as a number.
fn address(text: &str) -> Option<(IpAddr, u16)> {
    let (address, port) = text.split_once(':')?;
    let word =
        |at: usize| Some(u32::from_str_radix(address.get(at * 8..at * 8 + 8)?, 16).ok()?.to_ne_bytes());
    let ip = match address.len() {
        8 => IpAddr::V4(Ipv4Addr::from(word(0)?)),
        32 => {
            let words = [word(0)?, word(1)?, word(2)?, word(3)?];
            let bytes: [u8; 16] = words.concat().try_into().ok()?;
            IpAddr::V6(Ipv6Addr::from(bytes)).to_canonical()
        }
        _ => return None,
    };
    Some((ip, u16::from_str_radix(port, 16).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:126D 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 31337 1 0
   1: 0100007F:9C40 0100007F:126D 01 00000000:00000000 00:00000000 00000000  1000        0 31338 1 0
   2: 0100007F:9C41 0100007F:126D 05 00000000:00000000 00:00000000 00000000     0        0 0 1 0
   3: 0000000000000000FFFF00000100007F:9C42 0000000000000000FFFF00000100007F:126D 01 00000000:00000000 00:00000000 00000000  1002        0 31340 1 0
   4: 00000000000000000000000001000000:9C43 00000000000000000000000001000000:126D 01 00000000:00000000 00:00000000 00000000  1003        0 31341 1 0
";

    fn account(own: &str, other: &str) -> Option<u32> {
        let address = |text: &str| plain(text.parse().unwrap());
        account_in(LIST, (address(own), address(other)))
    }

    #[test]
    #[cfg(target_endian = "little")]
    fn ends_are_found_whatever_their_form() {
        assert_eq!(account("127.0.0.1:40000", "127.0.0.1:4717"), Some(1000));
        assert_eq!(account("127.0.0.1:40002", "127.0.0.1:4717"), Some(1002));
        assert_eq!(account("[::ffff:127.0.0.1]:40002", "127.0.0.1:4717"), Some(1002));
        assert_eq!(account("[::1]:40003", "[::1]:4717"), Some(1003));
        assert_eq!(account("127.0.0.1:40001", "127.0.0.1:4717"), None, "no process holds it");
        assert_eq!(account("127.0.0.1:4717", "127.0.0.1:40000"), None, "the other end has a line of its own");
        assert_eq!(account("127.0.0.2:40000", "127.0.0.1:4717"), None);
    }

    #[test]
    fn the_kernel_s_answer_is_that_of_its_lists() {
        let own = rustix::process::getuid().as_raw();
        for address in ["127.0.0.1:0", "[::1]:0"] {
            // There may be no IPv6.
            let Ok(listener) = std::net::TcpListener::bind(address) else { continue };
            let caller = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let (called, _) = listener.accept().unwrap();
            let ends = (plain(caller.local_addr().unwrap()), plain(caller.peer_addr().unwrap()));
            assert_eq!((diag::account_of(ends), from_lists(ends)), (Some(own), Some(own)), "{address}");
            let other_way = (ends.1, ends.0);
            assert_eq!(
                (diag::account_of(other_way), from_lists(other_way)),
                (Some(own), Some(own)),
                "{address}"
            );
            // For a missing connection the kernel responds with the listener's socket, which must not count.
            let stranger = (ends.1, (ends.0.0, ends.0.1 ^ 1));
            assert_eq!((diag::account_of(stranger), from_lists(stranger)), (None, None), "{address}");
            drop((caller, called));
            assert_eq!((diag::account_of(ends), from_lists(ends)), (None, None), "{address}: closed");
        }
    }

    #[test]
    fn the_account_that_stands_for_any_is_nobody() {
        assert_eq!((unless_overflow(1000, "65534\n"), unless_overflow(65534, "65534\n")), (Some(1000), None));
        assert_eq!((unless_overflow(65534, "1000\n"), unless_overflow(1000, "1000\n")), (Some(65534), None));
        assert_eq!(
            (unless_overflow(0, ""), unless_overflow(65534, ""), unless_overflow(65534, "?")),
            (Some(0), None, None)
        );
    }

    #[test]
    fn what_is_no_list_has_nobody() {
        let nobody = (plain("127.0.0.1:1".parse().unwrap()), plain("127.0.0.1:2".parse().unwrap()));
        for text in ["", "a\nb", "a\n 0: x y 01 z", "a\n 0: 0100007F:0001 0100007F:0002 01"] {
            assert_eq!(account_in(text, nobody), None);
        }
    }
}

//! The kernel's response about a TCP socket, by netlink: `inet_diag_req_v2` and `inet_diag_msg` of
//! linux/inet_diag.h.

use std::net::IpAddr;

use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink, recv, send, socket_with,
};

use super::Connection;

/// `SOCK_DIAG_BY_FAMILY` of linux/sock_diag.h.
const BY_FAMILY: u16 = 20;
/// `NLM_F_REQUEST` without `NLM_F_DUMP`, for the socket with exactly these ends.
const REQUEST: u16 = 1;
const TCP: u8 = 6;
/// Length of `nlmsghdr`.
const HEADER: usize = 16;
/// Offset of `struct inet_diag_sockid` in the request.
const ID_AT: usize = HEADER + 8;
const ID_IN_ANSWER_AT: usize = HEADER + 4;
/// Length of ports and addresses, which are in network byte order.
const ENDS: usize = 36;
const ID: usize = 48;

/// Returns the account of a connection's own end; `None` if no process has it open, or the kernel does not
/// respond.
pub(super) fn account_of(ends: Connection) -> Option<u32> {
    let flags = SocketFlags::CLOEXEC;
    let socket =
        socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, Some(netlink::SOCK_DIAG)).ok()?;
    let request = request(ends)?;
    send(&socket, &request, SendFlags::empty()).ok()?;
    let mut answer = [0; 512];
    // The kernel responds within the call.
    let (_, length) = recv(&socket, &mut answer[..], RecvFlags::DONTWAIT).ok()?;
    account_in(answer.get(..length)?, &request[ID_AT..ID_AT + ENDS])
}

fn request(((own, own_port), (other, other_port)): Connection) -> Option<Vec<u8>> {
    let (family, own, other) = match (own, other) {
        (IpAddr::V4(own), IpAddr::V4(other)) => {
            (AddressFamily::INET, own.octets().to_vec(), other.octets().to_vec())
        }
        (IpAddr::V6(own), IpAddr::V6(other)) => {
            (AddressFamily::INET6, own.octets().to_vec(), other.octets().to_vec())
        }
        _ => return None,
    };
    let length = u32::try_from(ID_AT + ID).ok()?;
    let mut bytes = Vec::with_capacity(ID_AT + ID);
    bytes.extend(length.to_ne_bytes());
    bytes.extend(BY_FAMILY.to_ne_bytes());
    bytes.extend(REQUEST.to_ne_bytes());
    // Sequence and sender: there is only one request.
    bytes.extend([0; 8]);
    bytes.extend([u8::try_from(family.as_raw()).ok()?, TCP, 0, 0]);
    let all_states = u32::MAX;
    bytes.extend(all_states.to_ne_bytes());
    bytes.extend(own_port.to_be_bytes());
    bytes.extend(other_port.to_be_bytes());
    for address in [own, other] {
        bytes.extend(&address);
        bytes.resize(bytes.len() + 16 - address.len(), 0);
    }
    // Any interface; no cookie (INET_DIAG_NOCOOKIE).
    bytes.extend([0; 4]);
    bytes.extend([0xff; 8]);
    Some(bytes)
}

/// Returns the account in a response, if it is about the socket with these `ends` and a process has it open.
/// If there is no such connection, the kernel responds with the listener at its own end.
fn account_in(answer: &[u8], ends: &[u8]) -> Option<u32> {
    let word = |at: usize| Some(u32::from_ne_bytes(answer.get(at..at + 4)?.try_into().ok()?));
    let kind = u16::from_ne_bytes(answer.get(4..6)?.try_into().ok()?);
    let is_about = answer.get(ID_IN_ANSWER_AT..ID_IN_ANSWER_AT + ENDS)? == ends;
    // After the id: expiry, two queues, account, inode.
    let behind = ID_IN_ANSWER_AT + ID;
    let (account, inode) = (word(behind + 12)?, word(behind + 16)?);
    (kind == BY_FAMILY && is_about && inode != 0).then_some(account)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(kind: u16, ends: &[u8], account: u32, inode: u32) -> Vec<u8> {
        let mut bytes = vec![0; ID_IN_ANSWER_AT + ID + 20];
        bytes[4..6].copy_from_slice(&kind.to_ne_bytes());
        bytes[ID_IN_ANSWER_AT..ID_IN_ANSWER_AT + ENDS].copy_from_slice(ends);
        let behind = ID_IN_ANSWER_AT + ID;
        bytes[behind + 12..behind + 16].copy_from_slice(&account.to_ne_bytes());
        bytes[behind + 16..behind + 20].copy_from_slice(&inode.to_ne_bytes());
        bytes
    }

    #[test]
    fn only_an_answer_about_the_connection_counts() {
        let (ends, others) = ([7; ENDS], [8; ENDS]);
        let whole = answer(BY_FAMILY, &ends, 1000, 31337);
        assert_eq!(account_in(&whole, &ends), Some(1000));
        assert_eq!(account_in(&whole, &others), None, "another socket, such as the listener");
        assert_eq!(account_in(&answer(2, &ends, 1000, 31337), &ends), None, "an error");
        assert_eq!(account_in(&answer(BY_FAMILY, &ends, 0, 0), &ends), None, "no process holds it");
        for length in 0..whole.len() {
            assert_eq!(account_in(&whole[..length], &ends), None, "cut at {length}");
        }
    }

    #[test]
    fn ends_of_two_families_are_no_connection() {
        let mixed = ((IpAddr::from([127, 0, 0, 1]), 1), (IpAddr::from([0; 16]), 2));
        assert_eq!(request(mixed), None);
    }
}

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::*;
use syclscope_system::id::Id;

const ROOM: Room = Room { all: 16, each: 4, reserve: 4 };
const PROXY: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));

fn connections(room: Room) -> Connections {
    Connections::new(room, Proxies::at(vec!["10.0.0.0/8".parse().unwrap()]))
}

fn address(number: u8) -> IpAddr {
    IpAddr::from([192, 0, 2, number])
}

fn stranger(number: u8) -> Caller {
    Caller::Stranger(Place::new(address(number)))
}

fn known(number: u8) -> Caller {
    Caller::Known(Client::Token(Id::for_bytes(&[number])))
}

fn is_closed(open: &mut OpenConnection) -> bool {
    open.closed.try_recv() == Err(oneshot::error::TryRecvError::Closed)
}

#[derive(Clone, Copy, Debug)]
enum Hostile {
    Silent,
    /// Send a request whose body does not end.
    Trickle,
    /// Request a slow response, or don't read it.
    Ask,
    /// End a request and stay.
    Stay,
}

#[test]
fn whatever_strangers_do_others_get_in() {
    let hostile =
        prop_oneof![Just(Hostile::Silent), Just(Hostile::Trickle), Just(Hostile::Ask), Just(Hostile::Stay)];
    // From few addresses or from many, directly or through a proxy.
    let deeds = prop::collection::vec((hostile, 0..40u8, any::<bool>()), 0..80);
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::default() });
    runner
        .run(&deeds, |deeds| {
            let all = connections(ROOM);
            let mut opened = Vec::new();
            for (deed, from, by_proxy) in deeds {
                let Some(open) = all.enter(Some(if by_proxy { PROXY } else { address(from) })) else {
                    continue;
                };
                let connection = open.connection().clone();
                opened.push(open);
                if matches!(deed, Hostile::Silent) {
                    continue;
                }
                let request = connection.begin();
                if connection.admit(stranger(from), false).is_err() {
                    // The connection gets an error response and is closed.
                    drop(request);
                    opened.pop();
                    continue;
                }
                if matches!(deed, Hostile::Trickle) {
                    connection.wait_for_body(true);
                }
                if matches!(deed, Hostile::Stay) {
                    drop(request);
                } else {
                    // Its response continues.
                    std::mem::forget(request);
                }
                prop_assert!(all.len() <= ROOM.all);
            }
            for number in 100..104 {
                let mut member = all.enter(Some(address(number))).expect("a member gets in");
                let connection = member.connection().clone();
                let request = connection.begin();
                prop_assert_eq!(connection.admit(known(number), false), Ok(()));
                prop_assert!(!is_closed(&mut member));
                drop(request);
                let probe = all.enter(Some(address(200))).expect("a probe gets in");
                let request = probe.connection().begin();
                prop_assert_eq!(probe.connection().admit(stranger(200), true), Ok(()));
                drop(request);
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn an_address_has_its_share_and_takes_it_from_nobody_else() {
    let all = connections(ROOM);
    let mut other = all.enter(Some(address(2))).unwrap();
    let mut opened: Vec<OpenConnection> = (0..10).map(|_| all.enter(Some(address(1))).unwrap()).collect();
    let open = opened.iter_mut().map(|open| !is_closed(open)).collect::<Vec<_>>();
    assert_eq!(open, [[false; 6].as_slice(), &[true; 4]].concat(), "the newest stay");
    assert!(!is_closed(&mut other));
}

#[test]
fn through_a_proxy_each_client_has_its_share() {
    let all = connections(ROOM);
    let opened: Vec<OpenConnection> = (0..8).map(|_| all.enter(Some(PROXY)).unwrap()).collect();
    let requests: Vec<OpenRequest> = opened.iter().map(|open| open.connection().begin()).collect();
    let admitted = opened.iter().map(|open| open.connection().admit(stranger(1), false).is_ok());
    assert_eq!(admitted.filter(|is_ok| *is_ok).count(), ROOM.each);
    assert_eq!(opened[7].connection().admit(stranger(2), false), Ok(()));
    drop(requests);
    assert_eq!(all.table().share_of(&stranger(1)), 0, "between requests it is the proxy's");
}

#[test]
fn the_owner_and_uploads_of_those_who_have_signed_in_stay() {
    let all = connections(ROOM);
    let mut opened: Vec<OpenConnection> = (0..ROOM.all).map(|_| all.enter(Some(PROXY)).unwrap()).collect();
    for (number, open) in opened.iter_mut().enumerate() {
        let request = open.connection().begin();
        let caller = if number % 2 == 0 { Caller::Owner } else { known(number as u8) };
        open.connection().admit(caller, false).unwrap();
        open.connection().wait_for_body(true);
        std::mem::forget(request);
    }
    assert!(all.enter(Some(address(1))).is_none());
    assert!(!opened.iter_mut().any(is_closed));
    opened.pop();
    assert!(all.enter(Some(address(1))).is_some());
}

//! Reaches a host that may have several addresses: the next one is tried as soon as one fails or is slow, and whichever
//! answers first is used (RFC 8305, without its preferences).

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;

/// How long an address is tried alone (RFC 8305, section 5).
const HEAD_START: Duration = Duration::from_millis(250);
/// The most addresses tried.
const MOST: usize = 16;

/// Connects to a host, from the address `bind` if there is one.
///
/// # Errors
/// The host has no address, or none answers.
pub async fn reach(host: &str, port: u16, bind: Option<IpAddr>) -> io::Result<TcpStream> {
    let found = tokio::net::lookup_host((host, port)).await?.collect();
    first(in_turn(found, bind)?, bind).await
}

/// Addresses in the order in which they are tried: the two families by turns, beginning with the family that was found
/// first. Only one of them can be reached from a given address.
fn in_turn(mut found: Vec<SocketAddr>, bind: Option<IpAddr>) -> io::Result<Vec<SocketAddr>> {
    if let Some(bind) = bind {
        found.retain(|address| address.is_ipv4() == bind.is_ipv4());
        if found.is_empty() {
            let what = format!("it has no address that can be reached from {bind} (bind)");
            return Err(io::Error::new(io::ErrorKind::AddrNotAvailable, what));
        }
    }
    let of_first = found.first().is_some_and(SocketAddr::is_ipv4);
    let (mut one, mut other): (Vec<_>, Vec<_>) = found.into_iter().partition(|each| each.is_ipv4() == of_first);
    one.reverse();
    other.reverse();
    let mut order = Vec::new();
    while let (length, true) = (order.len(), order.len() < MOST) {
        order.extend(one.pop());
        order.extend(other.pop());
        if order.len() == length {
            break;
        }
    }
    Ok(order)
}

/// The first connection that is made to any of these.
async fn first(addresses: Vec<SocketAddr>, bind: Option<IpAddr>) -> io::Result<TcpStream> {
    let several = addresses.len() > 1;
    let (mut next, mut tried, mut failures) = (addresses.into_iter(), JoinSet::new(), Vec::new());
    loop {
        match next.next() {
            Some(address) => drop(tried.spawn(async move { (address, dial(address, bind).await) })),
            None if tried.is_empty() => break,
            None => {}
        }
        tokio::select! {
            Some(done) = tried.join_next() => match done.map_err(io::Error::other)? {
                (_, Ok(stream)) => return Ok(stream),
                (address, Err(error)) => failures.push((address, error)),
            },
            () = tokio::time::sleep(HEAD_START), if next.len() > 0 => {}
        }
    }
    match failures.pop() {
        None => Err(io::Error::new(io::ErrorKind::NotFound, "it has no address")),
        Some((_, error)) if !several => Err(error),
        Some(last) => {
            failures.push(last);
            let each = failures.iter().map(|(address, error)| format!("{}: {error}", address.ip()));
            Err(io::Error::other(each.collect::<Vec<_>>().join("; ")))
        }
    }
}

async fn dial(address: SocketAddr, bind: Option<IpAddr>) -> io::Result<TcpStream> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    if let Some(bind) = bind {
        let own = socket.bind(SocketAddr::new(bind, 0));
        own.map_err(|error| io::Error::new(error.kind(), format!("bind: {bind} cannot be used: {error}")))?;
    }
    socket.connect(address).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(all: &[&str]) -> Vec<SocketAddr> {
        all.iter().map(|each| each.parse().unwrap()).collect()
    }

    #[test]
    fn families_take_turns_and_a_bound_address_reaches_its_own() {
        let found = addresses(&["[::1]:1", "[::2]:1", "1.1.1.1:1", "[::3]:1"]);
        let order = in_turn(found.clone(), None).unwrap();
        assert_eq!(order, addresses(&["[::1]:1", "1.1.1.1:1", "[::2]:1", "[::3]:1"]));
        let order = in_turn(found.clone(), Some("1.2.3.4".parse().unwrap())).unwrap();
        assert_eq!(order, addresses(&["1.1.1.1:1"]));
        let none = in_turn(addresses(&["[::1]:1"]), Some("1.2.3.4".parse().unwrap())).unwrap_err();
        assert!(none.to_string().contains("no address that can be reached from 1.2.3.4"), "{none}");
    }

    /// No resolver gives a test two addresses of which one is silent, so the test gives them itself. The silent one
    /// listens, but its queue is full, so the system drops what knocks.
    #[tokio::test]
    async fn a_silent_address_does_not_keep_the_bot_from_the_next_one() {
        let silent = TcpSocket::new_v4().unwrap();
        silent.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let silent = silent.listen(1).unwrap();
        let nowhere = silent.local_addr().unwrap();
        let mut queue = JoinSet::new();
        (0..8).for_each(|_| drop(queue.spawn(TcpStream::connect(nowhere))));
        while tokio::time::timeout(HEAD_START, queue.join_next()).await.is_ok() {}
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let here = listener.local_addr().unwrap();
        let refused = "127.0.0.1:1".parse().unwrap();
        let reached = tokio::time::timeout(8 * HEAD_START, first(vec![nowhere, refused, here], None)).await;
        assert_eq!(reached.expect("it does not wait for the silent one").unwrap().peer_addr().unwrap(), here);
    }

    #[tokio::test]
    async fn if_no_address_answers_each_is_named() {
        let both = addresses(&["127.0.0.1:1", "127.0.0.2:1"]);
        let said = first(both, None).await.unwrap_err().to_string();
        assert!(said.contains("127.0.0.1: ") && said.contains("; 127.0.0.2: "), "{said}");
        let unusable = reach("127.0.0.1", 1, Some("192.0.2.1".parse().unwrap())).await.unwrap_err().to_string();
        assert!(unusable.starts_with("bind: 192.0.2.1 cannot be used"), "{unusable}");
    }
}

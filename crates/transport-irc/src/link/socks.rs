//! SOCKS5 (RFC 1928), with a user and password if the proxy wants them (RFC 1929). The proxy resolves the server's name.

use std::net::IpAddr;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

const VERSION: u8 = 5;
const NO_LOGIN: u8 = 0;
const WITH_PASSWORD: u8 = 2;
/// The version of the login by password.
const PASSWORD: u8 = 1;
const CONNECT: u8 = 1;
const IPV4: u8 = 1;
const NAME: u8 = 3;
const IPV6: u8 = 4;

/// Asks a proxy to connect to a host and port. From then on the stream leads there.
///
/// # Errors
/// The reason, in words for the operator.
pub async fn ask<S>(stream: &mut S, login: Option<(&str, &str)>, host: &str, port: u16) -> Result<(), String>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    greet(stream, login).await?;
    let mut request = vec![VERSION, CONNECT, 0];
    match host.parse() {
        Ok(IpAddr::V4(address)) => {
            request.push(IPV4);
            request.extend(address.octets());
        }
        Ok(IpAddr::V6(address)) => {
            request.push(IPV6);
            request.extend(address.octets());
        }
        Err(_) => {
            request.push(NAME);
            request.extend(counted(host)?);
        }
    }
    request.extend(port.to_be_bytes());
    send(stream, &request).await?;
    let [version, result, _, kind] = read(stream).await?;
    if version != VERSION {
        return Err(NOT_SOCKS.to_owned());
    }
    if let Some(why) = refusal(result) {
        return Err(format!("it does not connect to {host}:{port}: {why}"));
    }
    // The address from which it connects does not matter.
    let length = match kind {
        IPV4 => 4,
        IPV6 => 16,
        _ => usize::from(read::<1, _>(stream).await?[0]),
    };
    let mut rest = vec![0; length + 2];
    stream.read_exact(&mut rest).await.map(|_| ()).map_err(broke)
}

/// Agrees on a way to log in, and logs in.
async fn greet<S: AsyncRead + AsyncWrite + Unpin>(stream: &mut S, login: Option<(&str, &str)>) -> Result<(), String> {
    let methods: &[u8] = if login.is_some() { &[NO_LOGIN, WITH_PASSWORD] } else { &[NO_LOGIN] };
    let count = u8::try_from(methods.len()).expect("two at most");
    send(stream, &[&[VERSION, count], methods].concat()).await?;
    let [version, method] = read(stream).await?;
    match (version, method, login) {
        (VERSION, NO_LOGIN, _) => Ok(()),
        (VERSION, WITH_PASSWORD, Some((user, password))) => {
            let user = counted(user)?;
            send(stream, &[vec![PASSWORD], user, counted(password)?].concat()).await?;
            match read(stream).await? {
                [_, 0] => Ok(()),
                _ => Err("it refuses proxy_user and its password".to_owned()),
            }
        }
        (VERSION, ..) if login.is_none() => {
            Err("it wants a login: set proxy_user and proxy_password_file = \"FILE\"".to_owned())
        }
        (VERSION, ..) => Err("it accepts no login by password".to_owned()),
        _ => Err(NOT_SOCKS.to_owned()),
    }
}

const NOT_SOCKS: &str = "it does not speak SOCKS5: check its port";

fn counted(text: &str) -> Result<Vec<u8>, String> {
    let length = u8::try_from(text.len()).map_err(|_| "a name or password is longer than 255 bytes".to_owned())?;
    Ok([&[length], text.as_bytes()].concat())
}

async fn send<S: AsyncWrite + Unpin>(stream: &mut S, bytes: &[u8]) -> Result<(), String> {
    stream.write_all(bytes).await.map_err(broke)?;
    stream.flush().await.map_err(broke)
}

async fn read<const N: usize, S: AsyncRead + Unpin>(stream: &mut S) -> Result<[u8; N], String> {
    let mut bytes = [0; N];
    stream.read_exact(&mut bytes).await.map_err(broke)?;
    Ok(bytes)
}

fn broke(error: std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::UnexpectedEof => "it closed the link".to_owned(),
        _ => error.to_string(),
    }
}

/// Why a proxy does not connect, by the number it gives (RFC 1928, section 6).
fn refusal(result: u8) -> Option<&'static str> {
    Some(match result {
        0 => return None,
        1 => "it failed",
        2 => "its rules forbid that",
        3 => "the network cannot be reached",
        4 => "the host cannot be reached",
        5 => "the connection was refused",
        6 => "it took too long",
        7 | 8 => "it cannot do that",
        _ => "it does not say why",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays a proxy that answers with these bytes. Returns what it was asked, and the result.
    async fn asked(login: Option<(&str, &str)>, host: &str, answers: &[u8]) -> (Vec<u8>, Result<(), String>) {
        let (mut own, mut proxy) = tokio::io::duplex(1_024);
        proxy.write_all(answers).await.unwrap();
        let result = ask(&mut own, login, host, 6_697).await;
        drop(own);
        let mut heard = Vec::new();
        proxy.read_to_end(&mut heard).await.unwrap();
        (heard, result)
    }

    #[tokio::test]
    async fn a_name_is_resolved_by_the_proxy_and_an_address_is_sent_as_it_is() {
        let fine = [5, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0];
        let (heard, result) = asked(None, "irc.example", &fine).await;
        assert_eq!(result, Ok(()));
        assert_eq!(heard, [&[5, 1, 0, 5, 1, 0, 3, 11][..], b"irc.example", &[0x1a, 0x29]].concat());
        let (heard, result) = asked(None, "::1", &fine).await;
        assert_eq!((result, heard[6]), (Ok(()), 4));
        // It may name itself.
        assert_eq!(asked(None, "x", &[5, 0, 5, 0, 0, 3, 2, b'm', b'e', 0, 0]).await.1, Ok(()));
    }

    #[tokio::test]
    async fn a_proxy_gets_user_and_password_only_if_it_asks() {
        let login = Some(("dice", "dragon"));
        let (heard, result) = asked(login, "x", &[5, 2, 1, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await;
        assert_eq!(result, Ok(()));
        assert_eq!(heard[..17], [&[5, 2, 0, 2, 1, 4][..], b"dice", &[6], b"dragon"].concat());
        let (heard, _) = asked(login, "x", &[5, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await;
        assert!(!String::from_utf8_lossy(&heard).contains("dragon"));
    }

    #[tokio::test]
    async fn what_fails_is_said_with_what_helps() {
        for (login, answers, says) in [
            (None, &[5, 0xff][..], "set proxy_user"),
            (Some(("a", "b")), &[5, 2, 1, 1], "it refuses proxy_user"),
            (Some(("a", "b")), &[5, 0xff], "no login by password"),
            (None, b"HTTP/1.1 400", "does not speak SOCKS5"),
            (None, &[5, 0, 5, 5, 0, 1], "does not connect to x:6697: the connection was refused"),
            (None, &[5, 0, 5, 99, 0, 1], "it does not say why"),
        ] {
            let (_, result) = asked(login, "x", answers).await;
            assert!(result.as_ref().is_err_and(|why| why.contains(says)), "{result:?}");
        }
        assert!(asked(None, &"x".repeat(256), &[5, 0]).await.1.is_err());
    }
}

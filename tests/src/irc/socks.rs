//! A SOCKS5 proxy that leads every name to one server on this machine.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

/// A proxy that wants a login.
pub struct Socks {
    port: u16,
    asked: Receiver<String>,
}

impl Socks {
    /// Starts one that leads to this port.
    pub fn leading_to(server: u16, user: &str, password: &str) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port is free");
        let port = listener.local_addr().expect("it listens").port();
        let (sender, asked) = mpsc::channel();
        let login =
            [&[1, user.len() as u8][..], user.as_bytes(), &[password.len() as u8], password.as_bytes()].concat();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (login, sender) = (login.clone(), sender.clone());
                // Whoever breaks off gets nothing.
                thread::spawn(move || drop(lead(client, server, &login, &sender)));
            }
        });
        Socks { port, asked }
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The host and port it was asked for first.
    pub fn asked(&self) -> String {
        self.asked.try_recv().expect("it was asked for a server")
    }
}

fn lead(mut client: TcpStream, server: u16, login: &[u8], asked: &Sender<String>) -> io::Result<()> {
    let [_, count] = read(&mut client)?;
    io::copy(&mut Read::by_ref(&mut client).take(count.into()), &mut io::sink())?;
    client.write_all(&[5, 2])?;
    let mut shown = vec![0; login.len()];
    client.read_exact(&mut shown)?;
    if shown != login {
        return client.write_all(&[1, 1]);
    }
    client.write_all(&[1, 0])?;
    let [_, _, _, kind, length] = read(&mut client)?;
    if kind != 3 {
        return client.write_all(&[5, 8, 0, 1, 0, 0, 0, 0, 0, 0]);
    }
    let mut name = vec![0; length.into()];
    client.read_exact(&mut name)?;
    let port = u16::from_be_bytes(read(&mut client)?);
    // The test may be over.
    let _ = asked.send(format!("{}:{port}", String::from_utf8_lossy(&name)));
    let mut to = TcpStream::connect(("127.0.0.1", server))?;
    client.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0])?;
    let (mut back, mut from) = (client.try_clone()?, to.try_clone()?);
    thread::spawn(move || {
        let _ = io::copy(&mut from, &mut back);
        let _ = back.shutdown(Shutdown::Both);
    });
    io::copy(&mut client, &mut to)?;
    to.shutdown(Shutdown::Both)
}

fn read<const N: usize>(client: &mut TcpStream) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    client.read_exact(&mut bytes)?;
    Ok(bytes)
}

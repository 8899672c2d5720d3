//! A SOCKS5 proxy (RFC 1928) that works or fails on purpose. It only ever reaches loopback.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};

/// How a [`SocksProxy`] treats its clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SocksConduct {
    /// It connects to the asked port on loopback, whatever the name.
    Open,
    /// It wants a user name and a password, and takes none.
    AskForCredentials,
    /// It accepts no way of authentication.
    NoMethod,
    /// It refuses by its rules (reply 2).
    Refuse,
    /// It cannot reach the host (reply 4).
    Unreachable,
    /// The target refuses the connection (reply 5).
    TargetRefuses,
    /// It says yes, and joins the client to this other port.
    WrongHost(u16),
    /// It says nothing.
    Hang,
    /// It closes at once.
    Close,
}

/// A running proxy on loopback. Its threads end with the process.
pub struct SocksProxy {
    address: SocketAddr,
}

impl SocksProxy {
    /// Starts one.
    ///
    /// # Errors
    /// When no port can be had.
    pub fn start(conduct: SocksConduct) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                std::thread::spawn(move || drop(serve(client, conduct)));
            }
        });
        Ok(Self { address })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

fn serve(mut client: TcpStream, conduct: SocksConduct) -> std::io::Result<()> {
    match conduct {
        SocksConduct::Close => return Ok(()),
        SocksConduct::Hang => return crate::wire::Wire::Plain(client).hang_up(),
        _ => {}
    }
    let [_, methods] = read_bytes(&mut client)?;
    std::io::copy(&mut (&mut client).take(u64::from(methods)), &mut std::io::sink())?;
    match conduct {
        SocksConduct::NoMethod => return client.write_all(&[5, 0xff]),
        SocksConduct::AskForCredentials => {
            client.write_all(&[5, 2])?;
            // A client without credentials goes away here; one with some is told that they are wrong.
            let [_, name] = read_bytes(&mut client)?;
            std::io::copy(&mut (&mut client).take(u64::from(name)), &mut std::io::sink())?;
            let [password] = read_bytes(&mut client)?;
            std::io::copy(&mut (&mut client).take(u64::from(password)), &mut std::io::sink())?;
            return client.write_all(&[1, 1]);
        }
        _ => client.write_all(&[5, 0])?,
    }
    let asked = read_target(&mut client)?;
    let port = match conduct {
        SocksConduct::Refuse => return client.write_all(&reply(2)),
        SocksConduct::Unreachable => return client.write_all(&reply(4)),
        SocksConduct::TargetRefuses => return client.write_all(&reply(5)),
        SocksConduct::WrongHost(port) => port,
        _ => asked,
    };
    match TcpStream::connect((Ipv4Addr::LOCALHOST, port)) {
        Ok(server) => {
            client.write_all(&reply(0))?;
            crate::wire::join(client, server)
        }
        Err(_) => client.write_all(&reply(5)),
    }
}

/// The port of a request; the address is read and forgotten.
fn read_target(client: &mut TcpStream) -> std::io::Result<u16> {
    let [_, _, _, kind] = read_bytes(client)?;
    let length = match kind {
        1 => 4,
        4 => 16,
        _ => {
            let [length] = read_bytes(client)?;
            length
        }
    };
    std::io::copy(&mut client.take(u64::from(length)), &mut std::io::sink())?;
    Ok(u16::from_be_bytes(read_bytes(client)?))
}

fn reply(code: u8) -> [u8; 10] {
    [5, code, 0, 1, 0, 0, 0, 0, 0, 0]
}

fn read_bytes<const LENGTH: usize>(client: &mut TcpStream) -> std::io::Result<[u8; LENGTH]> {
    let mut bytes = [0; LENGTH];
    client.read_exact(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Answer, Lab, Scenario};

    fn greet(proxy: &SocksProxy) -> TcpStream {
        let mut stream = TcpStream::connect(proxy.address()).unwrap();
        stream.write_all(&[5, 1, 0]).unwrap();
        stream
    }

    #[test]
    fn an_open_one_connects_and_a_closed_one_says_why() {
        let lab = Lab::start(Scenario::models(Answer::json(200, serde_json::json!({})))).unwrap();
        let mut stream = greet(&SocksProxy::start(SocksConduct::Open).unwrap());
        assert_eq!(read_bytes(&mut stream).unwrap(), [5, 0]);
        let mut request = vec![5, 1, 0, 3, 9];
        request.extend(b"localhost");
        request.extend(lab.address().port().to_be_bytes());
        stream.write_all(&request).unwrap();
        assert_eq!(read_bytes::<10>(&mut stream).unwrap()[..2], [5, 0]);
        stream.write_all(b"GET /v1/models HTTP/1.1\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");

        let mut stream = greet(&SocksProxy::start(SocksConduct::NoMethod).unwrap());
        assert_eq!(read_bytes(&mut stream).unwrap(), [5, 0xff]);
    }
}

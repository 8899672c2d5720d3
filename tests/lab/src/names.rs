//! A name server that fails on purpose: every question gets the same answer.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};

/// What a [`NameServer`] answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameAnswer {
    /// This address (questions for other record types get an empty answer).
    Address(Ipv4Addr),
    /// There is no such name.
    NoSuchName,
    /// The server failed.
    ServerFailure,
    /// The server refuses.
    Refused,
    /// The name exists, but has no address.
    NoData,
    /// Silence.
    Nothing,
}

impl NameAnswer {
    /// An address that a local proxy invents for every name (198.18.0.0/15, RFC 2544) to catch the traffic.
    pub const FAKE_IP: Self = Self::Address(Ipv4Addr::new(198, 18, 0, 42));
}

/// A running name server on loopback, UDP only. Its thread ends with the process.
pub struct NameServer {
    address: SocketAddr,
}

impl NameServer {
    /// Starts one on a free port.
    ///
    /// # Errors
    /// When no port can be had.
    pub fn start(answer: NameAnswer) -> std::io::Result<Self> {
        let socket = UdpSocket::bind(("127.0.0.1", 0))?;
        let address = socket.local_addr()?;
        std::thread::spawn(move || {
            let mut buffer = [0; 1500];
            while let Ok((length, peer)) = socket.recv_from(&mut buffer) {
                if let Some(reply) = reply(&buffer[..length], answer) {
                    let _ = socket.send_to(&reply, peer);
                }
            }
        });
        Ok(Self { address })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

/// The answer packet: header, the question again, perhaps one A record (RFC 1035, section 4).
fn reply(question: &[u8], answer: NameAnswer) -> Option<Vec<u8>> {
    const HEADER: usize = 12;
    let name_end = HEADER + question.get(HEADER..)?.iter().position(|byte| *byte == 0)? + 1;
    let kind = question.get(name_end..name_end + 2)?;
    let asked = question.get(HEADER..name_end + 4)?;
    let (code, address) = match answer {
        NameAnswer::Nothing => return None,
        NameAnswer::Address(address) => (0, (kind == [0, 1]).then_some(address)),
        NameAnswer::NoData => (0, None),
        NameAnswer::ServerFailure => (2, None),
        NameAnswer::NoSuchName => (3, None),
        NameAnswer::Refused => (5, None),
    };
    let mut packet = question.get(..2)?.to_vec();
    packet.extend([0x81, 0x80 | code, 0, 1, 0, u8::from(address.is_some()), 0, 0, 0, 0]);
    packet.extend(asked);
    if let Some(address) = address {
        // A pointer to the name, type A, class IN, 60 s, four bytes.
        packet.extend([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4]);
        packet.extend(address.octets());
    }
    Some(packet)
}

//! A port where nothing happens.

use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// A port at which connecting gets no answer at all, neither yes nor no: its queue of connections is full.
pub struct SilentPort {
    address: SocketAddr,
    _kept: (socket2::Socket, Vec<TcpStream>),
}

impl SilentPort {
    /// Opens one.
    ///
    /// # Errors
    /// When no port can be had.
    pub fn open() -> std::io::Result<Self> {
        let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None)?;
        socket.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into())?;
        socket.listen(0)?;
        let address = socket.local_addr()?.as_socket().ok_or_else(|| std::io::Error::other("no address"))?;
        let mut waiting = Vec::new();
        while let Ok(stream) = TcpStream::connect_timeout(&address, Duration::from_millis(100)) {
            waiting.push(stream);
        }
        Ok(Self { address, _kept: (socket, waiting) })
    }

    /// Where it is.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

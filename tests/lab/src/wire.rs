//! A connection, plain or TLS.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// A connection.
pub(crate) enum Wire {
    /// TCP.
    Plain(TcpStream),
    /// TLS over TCP.
    Tls(Box<rustls::StreamOwned<rustls::ServerConnection, TcpStream>>),
}

impl Wire {
    pub(crate) fn socket(&self) -> &TcpStream {
        match self {
            Self::Plain(stream) => stream,
            Self::Tls(stream) => &stream.sock,
        }
    }

    /// Ends the connection with a reset instead of an orderly close.
    pub(crate) fn reset(self) {
        // Best effort: a peer that is gone already needs no reset.
        let _ = socket2::SockRef::from(self.socket()).set_linger(Some(Duration::ZERO));
    }

    /// Keeps the connection open until the other side gives up, at most a minute.
    pub(crate) fn hang(mut self) {
        let _ = self.socket().set_read_timeout(Some(Duration::from_secs(60)));
        let mut buffer = [0; 4096];
        while matches!(self.read(&mut buffer), Ok(read) if read > 0) {}
    }

    /// As [`Wire::hang`], for a server that has nothing else to report.
    pub(crate) fn hang_up(self) -> std::io::Result<()> {
        self.hang();
        Ok(())
    }

    /// Says goodbye as the protocol wants it.
    pub(crate) fn finish(mut self) {
        if let Self::Tls(stream) = &mut self {
            stream.conn.send_close_notify();
        }
        let _ = self.flush();
        let _ = self.socket().shutdown(std::net::Shutdown::Write);
        // Wait for the other side, so that what it still sends does not turn our close into a reset.
        let _ = self.socket().set_read_timeout(Some(Duration::from_millis(200)));
        let mut buffer = [0; 4096];
        while matches!(self.read(&mut buffer), Ok(read) if read > 0) {}
    }
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.read(buffer),
            Self::Tls(stream) => stream.read(buffer),
        }
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.write(bytes),
            Self::Tls(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Plain(stream) => stream.flush(),
            Self::Tls(stream) => stream.flush(),
        }
    }
}

/// Joins two connections until both are at their end.
pub(crate) fn join(mut client: TcpStream, mut server: TcpStream) -> std::io::Result<()> {
    client.set_read_timeout(None)?;
    let (mut client_reads, mut server_writes) = (client.try_clone()?, server.try_clone()?);
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut client_reads, &mut server_writes);
        let _ = server_writes.shutdown(std::net::Shutdown::Write);
    });
    std::io::copy(&mut server, &mut client)?;
    client.shutdown(std::net::Shutdown::Write)
}

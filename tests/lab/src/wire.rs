//! A connection, plain or TLS.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// A certificate chain and its key, both PEM.
#[derive(Clone, Copy, Debug)]
pub struct Certificate {
    /// The chain, the server's own first.
    pub chain: &'static str,
    /// The private key.
    pub key: &'static str,
}

impl Certificate {
    /// For `localhost`, `127.0.0.1`, `relay.example` and the official hosts; signed by [`Certificate::AUTHORITY`].
    pub const GOOD: Self = Self { chain: include_str!("../certificates/good.pem"), key: include_str!("../certificates/key.pem") };
    /// The same names and authority, but it ended in 2021.
    pub const EXPIRED: Self =
        Self { chain: include_str!("../certificates/expired.pem"), key: include_str!("../certificates/key.pem") };
    /// The authority that signed them. Its own key is not kept.
    pub const AUTHORITY: &'static str = include_str!("../certificates/authority.pem");

    pub(crate) fn config(self) -> std::io::Result<Arc<rustls::ServerConfig>> {
        let chain: Vec<_> =
            CertificateDer::pem_slice_iter(self.chain.as_bytes()).collect::<Result<_, _>>().map_err(std::io::Error::other)?;
        let key = PrivateKeyDer::from_pem_slice(self.key.as_bytes()).map_err(std::io::Error::other)?;
        let config = rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
            .map_err(std::io::Error::other)?;
        Ok(Arc::new(config))
    }
}

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

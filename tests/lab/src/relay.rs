//! A slow and lossy road: a TCP relay that delays what passes and kills some of the connections.
//!
//! It stands for a router with latency and loss where the kernel has no `netem`. Real loss of single packets shows to a
//! client as delay or, when it lasts, as a dead connection; these two are what this makes.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// What the road is like.
#[derive(Clone, Copy, Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Road {
    /// How many milliseconds each piece of data takes, in each direction.
    pub latency_ms: u64,
    /// Every so many-th connection is killed (1: all of them; 0: none) …
    pub lose_every: usize,
    /// … after the answer has come so many bytes far.
    pub lose_after_bytes: usize,
}

/// A running relay on loopback. Its threads end with the process.
pub struct Relay {
    address: SocketAddr,
}

impl Relay {
    /// Starts one before `target`.
    ///
    /// # Errors
    /// When no port can be had.
    pub fn start(target: SocketAddr, road: Road) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let count = Arc::new(AtomicUsize::new(0));
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let number = count.fetch_add(1, Ordering::Relaxed) + 1;
                let lost = road.lose_every != 0 && number.is_multiple_of(road.lose_every);
                let Ok(server) = TcpStream::connect(target) else { continue };
                let _ = join(client, server, road, lost);
            }
        });
        Ok(Self { address })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

fn join(client: TcpStream, server: TcpStream, road: Road, lost: bool) -> std::io::Result<()> {
    let latency = Duration::from_millis(road.latency_ms);
    let (up_from, up_to) = (client.try_clone()?, server.try_clone()?);
    std::thread::spawn(move || carry(up_from, up_to, latency, usize::MAX));
    let far = if lost { road.lose_after_bytes } else { usize::MAX };
    std::thread::spawn(move || carry(server, client, latency, far));
    Ok(())
}

/// Carries bytes until the end, or until `far` of them came through; then both connections are reset.
fn carry(mut from: TcpStream, mut to: TcpStream, latency: Duration, mut far: usize) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(read) = from.read(&mut buffer) {
        if read == 0 {
            let _ = to.shutdown(Shutdown::Write);
            return;
        }
        std::thread::sleep(latency);
        let passing = read.min(far);
        if to.write_all(&buffer[..passing]).is_err() {
            return;
        }
        far -= passing;
        if far == 0 {
            // What has passed arrives before the reset throws it away.
            std::thread::sleep(Duration::from_millis(20));
            let _ = socket2::SockRef::from(&to).set_linger(Some(Duration::ZERO));
            // The other thread holds clones: only a shutdown reaches them too.
            let _ = from.shutdown(Shutdown::Both);
            let _ = to.shutdown(Shutdown::Both);
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::{Answer, Lab, Scenario};

    fn ask(address: SocketAddr) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(b"GET /v1/models HTTP/1.1\r\nhost: a\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    #[test]
    fn it_delays_and_loses_by_turns() {
        let lab = Lab::start(Scenario::models(Answer::json(200, serde_json::json!({"data": []})))).unwrap();
        let road = Road { latency_ms: 60, lose_every: 2, lose_after_bytes: 10 };
        let relay = Relay::start(lab.address(), road).unwrap();
        #[allow(clippy::disallowed_methods, reason = "measures a delay")]
        let begun = Instant::now();
        assert!(ask(relay.address()).ends_with("{\"data\":[]}"));
        assert!(begun.elapsed() >= Duration::from_millis(120));
        assert_eq!(ask(relay.address()), "HTTP/1.1 2");
        assert!(ask(relay.address()).ends_with("{\"data\":[]}"));
    }
}

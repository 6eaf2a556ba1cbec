//! A browser's connection: requests are pipelined, and responses arrive in the same order.

use std::io::{BufRead as _, BufReader, Error, ErrorKind, Read as _, Result, Write as _};
use std::net::TcpStream;
use std::time::Duration;

/// Timeout of a read.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
    head: String,
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

impl Connection {
    /// Connects to `host`, a name or address with a port. `encodings` are the accepted encodings.
    pub(crate) fn open(host: &str, encodings: &str) -> Result<Self> {
        let stream = TcpStream::connect(host)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let head = format!("Host: {host}\r\nAccept: */*\r\nAccept-Encoding: {encodings}\r\n\r\n");
        Ok(Self { stream: BufReader::new(stream), head })
    }

    /// Requests all `paths` at once. Read each response by [`Self::answer`].
    pub(crate) fn ask<'a>(&mut self, paths: impl IntoIterator<Item = &'a str>) -> Result<()> {
        let requests: String =
            paths.into_iter().map(|path| format!("GET {path} HTTP/1.1\r\n{}", self.head)).collect();
        self.stream.get_mut().write_all(requests.as_bytes())
    }

    /// Reads the next response; its body may be compressed.
    pub(crate) fn answer(&mut self) -> Result<Answer> {
        let status = self.line()?.split(' ').nth(1).and_then(|code| code.parse().ok());
        let status = status.ok_or_else(|| broken("no status"))?;
        let (mut length, mut is_chunked) = (0, false);
        loop {
            let line = self.line()?.to_ascii_lowercase();
            match line.split_once(':').map(|(name, value)| (name, value.trim())) {
                Some(("content-length", value)) => length = value.parse().map_err(|_| broken("no length"))?,
                Some(("transfer-encoding", "chunked")) => is_chunked = true,
                Some(_) => {}
                None => break,
            }
        }
        let mut body = Vec::new();
        if is_chunked {
            while self.chunk(&mut body)? > 0 {}
        } else {
            self.part(&mut body, length)?;
        }
        Ok(Answer { status, body })
    }

    /// Appends the next chunk to `body` and returns its length in bytes.
    fn chunk(&mut self, body: &mut Vec<u8>) -> Result<usize> {
        let length = usize::from_str_radix(&self.line()?, 16).map_err(|_| broken("no chunk"))?;
        self.part(body, length)?;
        self.line()?;
        Ok(length)
    }

    fn part(&mut self, body: &mut Vec<u8>, length: usize) -> Result<()> {
        let taken = self.stream.by_ref().take(length as u64).read_to_end(body)?;
        if taken == length { Ok(()) } else { Err(broken("cut off")) }
    }

    /// Reads a line without its end; empty after the head.
    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        if line.is_empty() { Err(broken("closed")) } else { Ok(line.trim_end().to_owned()) }
    }
}

fn broken(what: &str) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}

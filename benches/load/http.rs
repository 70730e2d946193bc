//! The least HTTP/1.1 that is needed to load a broker: one kept-alive connection, one request at a time, and one feed.
//!
//! Written by hand so that the client costs little: it shares the machine with the server that it measures. The kill
//! test uses it too, because it says exactly what a connection saw before it broke.

use std::io;
use std::net::SocketAddr;

use bytes::{Buf as _, BytesMut};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// One kept-alive connection with one bearer token.
pub struct Connection {
    stream: TcpStream,
    unread: BytesMut,
    headers: String,
}

/// A reply, whole.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub body: BytesMut,
}

/// A space's log as it is streamed, for one bearer token.
pub struct Feed {
    stream: TcpStream,
    /// Bytes as they came, in chunks of the transfer coding.
    coded: BytesMut,
    /// Bytes of the stream.
    plain: BytesMut,
}

/// One item of a feed: an event, `ready` or `reset`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedItem {
    pub name: String,
    /// The cursor after it.
    pub cursor: String,
    /// Its JSON.
    pub data: String,
}

/// How a reply's body ends.
#[derive(Debug, PartialEq, Eq)]
enum Framing {
    Length(usize),
    Chunked,
}

/// More than any reply here needs: a length beyond it is a fault of the server, not a reason to allocate.
const BODY_BYTES_MAX: usize = 64 << 20;
const READ_BYTES: usize = 4 << 10;

impl Connection {
    pub async fn open(address: SocketAddr, token: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let headers = format!("host: {address}\r\nauthorization: Bearer {token}\r\n");
        Ok(Self { stream, unread: BytesMut::new(), headers })
    }

    pub async fn get(&mut self, path: &str) -> io::Result<Reply> {
        let request = format!("GET {path} HTTP/1.1\r\n{}\r\n", self.headers);
        self.exchange(&request).await
    }

    pub async fn post(&mut self, path: &str, body: &str) -> io::Result<Reply> {
        let request = format!(
            "POST {path} HTTP/1.1\r\n{}content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.headers,
            body.len()
        );
        self.exchange(&request).await
    }

    async fn exchange(&mut self, request: &str) -> io::Result<Reply> {
        self.stream.write_all(request.as_bytes()).await?;
        let (status, framing) = read_head(&mut self.stream, &mut self.unread).await?;
        let Framing::Length(length) = framing else {
            return Err(broken("a reply without content-length"));
        };
        while self.unread.len() < length {
            read_more(&mut self.stream, &mut self.unread).await?;
        }
        Ok(Reply { status, body: self.unread.split_to(length) })
    }
}

impl Feed {
    /// Follows the log after a cursor, or from now on.
    pub async fn open(address: SocketAddr, token: &str, after: Option<&str>) -> io::Result<Self> {
        let mut stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let after = after.map_or_else(String::new, |cursor| format!("last-event-id: {cursor}\r\n"));
        let request =
            format!("GET /v1/events HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n{after}\r\n");
        stream.write_all(request.as_bytes()).await?;
        let mut coded = BytesMut::new();
        match read_head(&mut stream, &mut coded).await? {
            (200, Framing::Chunked) => Ok(Self { stream, coded, plain: BytesMut::new() }),
            (status, _) => Err(io::Error::other(format!("the feed was refused with {status}"))),
        }
    }

    /// The next item. May not be dropped and called again.
    pub async fn next(&mut self) -> io::Result<FeedItem> {
        loop {
            while let Some(end) = find(&self.plain, b"\n\n") {
                let block = self.plain.split_to(end + 2);
                if let Some(item) = FeedItem::read(&String::from_utf8_lossy(&block)) {
                    return Ok(item);
                }
            }
            if !take_chunk(&mut self.coded, &mut self.plain)? {
                read_more(&mut self.stream, &mut self.coded).await?;
            }
        }
    }
}

impl FeedItem {
    /// None for a comment.
    fn read(block: &str) -> Option<Self> {
        let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
        Some(Self { name: field("event: ")?, cursor: field("id: ")?, data: field("data: ")? })
    }
}

async fn read_more(stream: &mut TcpStream, buffer: &mut BytesMut) -> io::Result<()> {
    buffer.reserve(READ_BYTES);
    match stream.read_buf(buffer).await? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(()),
    }
}

/// Reads a head and leaves what comes after it in the buffer.
async fn read_head(stream: &mut TcpStream, buffer: &mut BytesMut) -> io::Result<(u16, Framing)> {
    loop {
        if let Some(end) = find(buffer, b"\r\n\r\n") {
            let head = buffer.split_to(end + 4);
            return parse_head(&String::from_utf8_lossy(&head));
        }
        read_more(stream, buffer).await?;
    }
}

fn parse_head(head: &str) -> io::Result<(u16, Framing)> {
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.get(9..12)).and_then(|status| status.parse().ok());
    let status = status.ok_or_else(|| broken("a reply without status"))?;
    for line in lines {
        let Some((name, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        if name.eq_ignore_ascii_case("content-length") {
            let length = value.parse().ok().filter(|length| *length <= BODY_BYTES_MAX);
            return Ok((status, Framing::Length(length.ok_or_else(|| broken("a strange content-length"))?)));
        }
        if name.eq_ignore_ascii_case("transfer-encoding") && value.eq_ignore_ascii_case("chunked") {
            return Ok((status, Framing::Chunked));
        }
    }
    Err(broken("a reply without an end"))
}

/// Moves one chunk from the coded to the plain bytes; false if it is not there as a whole yet.
fn take_chunk(coded: &mut BytesMut, plain: &mut BytesMut) -> io::Result<bool> {
    let Some(line) = find(coded, b"\r\n") else { return Ok(false) };
    let size = std::str::from_utf8(&coded[..line]).ok().and_then(|size| usize::from_str_radix(size, 16).ok());
    let size = size.filter(|size| *size <= BODY_BYTES_MAX).ok_or_else(|| broken("a strange chunk"))?;
    if size == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let begin = line + 2;
    if coded.len() < begin + size + 2 {
        return Ok(false);
    }
    plain.extend_from_slice(&coded[begin..begin + size]);
    coded.advance(begin + size + 2);
    Ok(true)
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

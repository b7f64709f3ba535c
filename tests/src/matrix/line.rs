//! A connection between a client and its homeserver on which requests can be answered wrongly, late, twice or not at
//! all. It speaks just enough HTTP for that: one request per connection, bodies with a length.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// The fate of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Weather {
    /// The request is passed on, and the answer back.
    Fair,
    /// The request is passed on after this many milliseconds, and the answer back.
    Slow(u64),
    /// The request never reaches the homeserver. This status comes back, with a body that is not JSON.
    Status(u16),
    /// The request never reaches the homeserver. The answer is a rate limit of so many milliseconds.
    Limited(u64),
    /// The homeserver does as asked, but the answer is lost.
    LostAnswer,
    /// The request never reaches the homeserver. The answer is a soft logout: the token is no longer valid, the device
    /// is.
    Unauthorised,
    /// The request never reaches the homeserver. The connection closes.
    LostRequest,
    /// The request never reaches the homeserver. This body comes back with status 200.
    Nonsense(String),
}

/// Decides the fate of a request from its number and its first line.
type Forecast = Arc<dyn Fn(usize, &str) -> Weather + Send + Sync>;

/// A connection to a homeserver.
pub struct BadLine {
    port: u16,
    forecast: Arc<Mutex<Forecast>>,
    serving: JoinHandle<()>,
}

impl BadLine {
    /// Opens a connection to the homeserver at `port`, in fair weather.
    pub async fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let here = listener.local_addr().expect("it is bound").port();
        let forecast: Arc<Mutex<Forecast>> = Arc::new(Mutex::new(Arc::new(|_, _| Weather::Fair)));
        let (fore, count) = (forecast.clone(), Arc::<AtomicUsize>::default());
        let serving = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (fore, count) = (fore.clone(), count.clone());
                // Clients close links early in these tests, so errors are expected.
                tokio::spawn(async move { drop(serve(client, port, &fore, &count).await) });
            }
        });
        BadLine { port: here, forecast, serving }
    }

    /// The homeserver's address, as the bot sees it.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Decides the fate of requests from now on.
    pub fn forecast(&self, forecast: impl Fn(usize, &str) -> Weather + Send + Sync + 'static) {
        *self.forecast.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(forecast);
    }
}

impl Drop for BadLine {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// Handles the requests of one link, one after the other.
async fn serve(
    client: TcpStream,
    port: u16,
    forecast: &Mutex<Forecast>,
    requests: &AtomicUsize,
) -> std::io::Result<()> {
    client.set_nodelay(true)?;
    let mut client = BufReader::new(client);
    let server = TcpStream::connect(("127.0.0.1", port)).await?;
    server.set_nodelay(true)?;
    let mut server = BufReader::new(server);
    while let Some(request) = message(&mut client).await? {
        let number = requests.fetch_add(1, Ordering::Relaxed);
        let first = request.head.lines().next().unwrap_or_default().to_owned();
        let forecast = forecast.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let weather = forecast(number, &first);
        if let Weather::Slow(ms) = weather {
            tokio::time::sleep(Duration::from_millis(ms)).await;
        }
        match weather {
            Weather::Fair | Weather::Slow(_) => {
                server.write_all(&request.bytes()).await?;
                let Some(answer) = message(&mut server).await? else { return Ok(()) };
                client.write_all(&answer.bytes()).await?;
            }
            Weather::LostAnswer => {
                server.write_all(&request.bytes()).await?;
                message(&mut server).await?;
                return Ok(());
            }
            Weather::LostRequest => return Ok(()),
            Weather::Status(status) => {
                client.write_all(answer(status, "text/html", "<h1>Bad weather</h1>").as_bytes()).await?;
            }
            Weather::Limited(ms) => {
                let body = format!("{{\"errcode\":\"M_LIMIT_EXCEEDED\",\"error\":\"slowly\",\"retry_after_ms\":{ms}}}");
                client.write_all(answer(429, "application/json", &body).as_bytes()).await?;
            }
            Weather::Unauthorised => {
                let body = "{\"errcode\":\"M_UNKNOWN_TOKEN\",\"error\":\"expired\",\"soft_logout\":true}";
                client.write_all(answer(401, "application/json", body).as_bytes()).await?;
            }
            Weather::Nonsense(body) => {
                client.write_all(answer(200, "application/json", &body).as_bytes()).await?;
            }
        }
    }
    Ok(())
}

fn answer(status: u16, kind: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status} Weather\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n{body}")
}

/// A request or an answer.
struct Message {
    head: String,
    body: Vec<u8>,
}

impl Message {
    fn bytes(&self) -> Vec<u8> {
        [self.head.as_bytes(), &self.body].concat()
    }
}

/// Reads the next request or answer; `None` at the end of the link.
async fn message(link: &mut BufReader<TcpStream>) -> std::io::Result<Option<Message>> {
    let mut head = String::new();
    loop {
        let before = head.len();
        if link.read_line(&mut head).await? == 0 {
            return Ok(None);
        }
        if &head[before..] == "\r\n" {
            break;
        }
    }
    let field = |name: &str| {
        head.lines().find_map(|line| {
            let (field, value) = line.split_once(':')?;
            field.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        })
    };
    let mut body = Vec::new();
    if let Some(length) = field("content-length").and_then(|length| length.parse().ok()) {
        body.resize(length, 0);
        link.read_exact(&mut body).await?;
    } else if field("transfer-encoding").is_some() {
        loop {
            let mut size = String::new();
            link.read_line(&mut size).await?;
            let length = usize::from_str_radix(size.trim(), 16).unwrap_or_default();
            let mut chunk = vec![0; length + 2];
            link.read_exact(&mut chunk).await?;
            body.extend([size.as_bytes(), &chunk].concat());
            if length == 0 {
                break;
            }
        }
    }
    Ok(Some(Message { head, body }))
}

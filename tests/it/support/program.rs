//! The real program: a server as its own process on a free port with its own data directory, and the command line
//! beside it.

use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;

const ASKHUB: &str = env!("CARGO_BIN_EXE_askhub");
/// Machines that run all tests at once are slow: this only bounds a test that would hang.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running server and its data directory.
pub struct Program {
    pub url: String,
    // Before the directory: the process ends first.
    server: Running,
    directory: tempfile::TempDir,
}

/// A process that runs, and is killed when the test is over.
pub struct Running {
    child: Child,
    stdout: Heard,
    stderr: Heard,
}

/// What a process has written so far.
struct Heard {
    text: Arc<Mutex<String>>,
    reader: Option<JoinHandle<()>>,
}

/// A command that has ended.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Program {
    /// Starts a server on a free port.
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// Starts a server on a free port, with further flags.
    pub async fn start_with(flags: &[&str]) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        let (server, url) = serve(directory.path(), "127.0.0.1:0", flags).await;
        Self { url, server, directory }
    }

    /// Where it keeps its files.
    pub fn data_dir(&self) -> PathBuf {
        data_dir(self.directory.path())
    }

    /// The text of one of its files.
    pub fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.data_dir().join(name)).expect("the server has written it").trim().to_owned()
    }

    /// What the server has said on stderr.
    pub fn said(&self) -> String {
        self.server.stderr.text()
    }

    /// Kills the server as a power cut would.
    pub async fn kill(&mut self) {
        self.server.child.kill().expect("the server runs");
        self.server.status().await;
    }

    /// Starts it again where it was.
    pub async fn start_again(&mut self) {
        let address = self.url.strip_prefix("http://").expect("the URL has a scheme").to_owned();
        let (server, url) = serve(self.directory.path(), &address, &[]).await;
        assert_eq!(url, self.url);
        self.server = server;
    }

    /// Sends the server a signal and waits for its end.
    pub async fn stop(&mut self, signal: &str) -> ExitStatus {
        self.server.signal(signal);
        self.server.status().await
    }

    /// Runs a command of this machine to its end.
    pub async fn run(&self, arguments: &[&str]) -> Ended {
        self.spawn(arguments).end().await
    }

    /// Runs a command that must succeed and gives its JSON.
    pub async fn json(&self, arguments: &[&str]) -> Value {
        let ended = self.run(&[arguments, &["--json"]].concat()).await;
        assert_eq!(ended.code, Some(0), "{arguments:?}: {ended:?}");
        serde_json::from_str(&ended.stdout).expect("it is JSON")
    }

    /// Starts a command of this machine.
    pub fn spawn(&self, arguments: &[&str]) -> Running {
        self.spawn_with(arguments, &[])
    }

    /// Starts a command with further variables.
    pub fn spawn_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Running {
        let mut command = askhub(self.directory.path());
        command.args(arguments).envs(variables.iter().copied());
        Running::of(command)
    }

    /// Starts a command that reads `input` on stdin.
    pub fn spawn_given(&self, arguments: &[&str], input: &str) -> Running {
        let mut file = tempfile::tempfile().expect("a temporary file can be made");
        file.write_all(input.as_bytes()).and_then(|()| file.rewind()).expect("it can be written");
        let mut command = askhub(self.directory.path());
        command.args(arguments);
        Running::with(command, file.into())
    }

    /// The one call that is pending, once it is.
    pub async fn pending_call(&self) -> Value {
        eventually("a call is pending", async || {
            let list = self.json(&["list"]).await;
            list["calls"].as_array().and_then(|calls| calls.first()).cloned()
        })
        .await
    }

    /// The call as its asker's page shows it.
    pub async fn call(&self, id: &str) -> Value {
        self.json(&["show", id]).await
    }
}

impl Running {
    fn of(command: Command) -> Self {
        Self::with(command, Stdio::null())
    }

    fn with(mut command: Command, stdin: Stdio) -> Self {
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program is built");
        let stdout = Heard::from(child.stdout.take().expect("it is piped"));
        let stderr = Heard::from(child.stderr.take().expect("it is piped"));
        Self { child, stdout, stderr }
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([format!("-{signal}"), self.child.id().to_string()]).output();
        let sent = sent.expect("there is a kill");
        assert!(sent.status.success(), "{sent:?}");
    }

    /// Ends when it has said something on stderr.
    pub async fn has_said(&self, words: &str) {
        eventually(words, async || self.stderr.text().contains(words).then_some(())).await;
    }

    /// Waits for its end.
    pub async fn end(mut self) -> Ended {
        let code = self.status().await.code();
        Ended { code, stdout: self.stdout.whole(), stderr: self.stderr.whole() }
    }

    async fn status(&mut self) -> ExitStatus {
        eventually("the process ends", async || self.child.try_wait().expect("it is our child")).await
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Heard {
    /// Listens in a thread: a pipe that nobody reads would stop the process.
    fn from(mut pipe: impl Read + Send + 'static) -> Self {
        let text = Arc::new(Mutex::new(String::new()));
        let heard = Arc::clone(&text);
        let reader = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let mut part = [0; 4096];
            while let Ok(count @ 1..) = pipe.read(&mut part) {
                bytes.extend_from_slice(&part[..count]);
                // A character may be cut by the end of a part: the whole is read anew.
                *heard.lock().expect("nobody panics here") = String::from_utf8_lossy(&bytes).into_owned();
            }
        });
        Self { text, reader: Some(reader) }
    }

    fn text(&self) -> String {
        self.text.lock().expect("nobody panics here").clone()
    }

    /// All of it, once the process has ended.
    fn whole(&mut self) -> String {
        if let Some(reader) = self.reader.take() {
            reader.join().expect("the reader does not panic");
        }
        self.text()
    }
}

/// Runs the program once, without a server of its own.
pub async fn run_alone(directory: &Path, arguments: &[&str]) -> Ended {
    let mut command = askhub(directory);
    command.args(arguments);
    Running::of(command).end().await
}

/// Looks for something until it is there.
pub async fn eventually<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let found = tokio::time::timeout(PATIENCE, async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            // real time: another process does it, and it has no clock that a test could move.
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    found.await.unwrap_or_else(|_| panic!("it should have come to this: {what}"))
}

/// A command that sees nothing of the machine that runs the tests.
fn askhub(directory: &Path) -> Command {
    let mut command = Command::new(ASKHUB);
    for (name, _) in std::env::vars_os() {
        if ["ASKHUB_", "XDG_"].iter().any(|prefix| name.to_string_lossy().starts_with(prefix)) {
            command.env_remove(name);
        }
    }
    command.env("HOME", directory).env("USER", "tester").env("ASKHUB_DATA_DIR", data_dir(directory));
    command
}

fn data_dir(directory: &Path) -> PathBuf {
    directory.join("data")
}

async fn serve(directory: &Path, address: &str, flags: &[&str]) -> (Running, String) {
    let mut command = askhub(directory);
    command.args(["serve", "--listen", address]).args(flags);
    let mut server = Running::of(command);
    let line = eventually("the server says whether it is ready", async || {
        let has_ended = server.child.try_wait().expect("it is our child").is_some();
        assert!(!has_ended, "the server should be ready: {}", server.stderr.text());
        server.stdout.text().split_once('\n').map(|(line, _)| line.to_owned())
    })
    .await;
    let url = line.strip_prefix("askhub listening on ").expect("it is the ready line").to_owned();
    (server, url)
}

//! A real nginx in front of the service, with its defaults and what a WebSocket needs.

use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A running nginx; ends when dropped.
pub struct Nginx {
    pub address: SocketAddr,
    process: Child,
    _directory: tempfile::TempDir,
}

/// A port that is free now.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").expect("a port is free").local_addr().expect("it is bound").port()
}

impl Nginx {
    /// Serves the path `/ask/` at `port` from `upstream`, with the path taken off or left on. None where nginx is not
    /// installed, which is a failure where `CI` is set.
    pub async fn start(port: u16, upstream: SocketAddr, strips: bool) -> Option<Self> {
        let program = ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/bin/nginx"]
            .into_iter()
            .find(|path| std::path::Path::new(path).exists());
        let Some(program) = program else {
            #[expect(clippy::disallowed_methods, reason = "the one word from outside: skipping is failing there")]
            let is_ci = std::env::var("CI").is_ok_and(|ci| !matches!(ci.as_str(), "" | "0" | "false"));
            assert!(!is_ci, "no nginx, and CI is set");
            eprintln!("SKIPPED: no nginx");
            return None;
        };
        let directory = tempfile::tempdir().expect("a directory can be made");
        let root = directory.path().display();
        let slash = if strips { "/" } else { "" };
        let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|name| format!("{name}_temp_path {root}/{name};\n"))
            .concat();
        let text = format!(
            "worker_processes 1;\ndaemon off;\npid {root}/pid;\nerror_log {root}/error.log;\nevents {{}}\nhttp {{\n\
             access_log off;\n{temporary}\
             map $http_upgrade $connection_upgrade {{ default upgrade; '' close; }}\n\
             server {{\n listen 127.0.0.1:{port};\n location /ask/ {{\n  proxy_pass http://{upstream}{slash};\n\
             proxy_http_version 1.1;\n  proxy_set_header Host $http_host;\n\
             proxy_set_header Upgrade $http_upgrade;\n  proxy_set_header Connection $connection_upgrade;\n }}\n}}\n}}\n"
        );
        let config = directory.path().join("nginx.conf");
        std::fs::write(&config, text).expect("the configuration can be written");
        let mut command = Command::new(program);
        command.arg("-c").arg(&config).arg("-p").arg(directory.path()).stderr(Stdio::null());
        let process = command.spawn().expect("nginx starts");
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let nginx = Self { address, process, _directory: directory };
        let deadline = tokio::time::Instant::now() + Duration::from_secs(10);
        while tokio::net::TcpStream::connect(address).await.is_err() {
            assert!(tokio::time::Instant::now() < deadline, "nginx does not listen");
            tokio::time::sleep(Duration::from_millis(10)).await; // real time: polls until nginx listens, bounded
        }
        Some(nginx)
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // The master ends its workers on SIGTERM; killed, it would leave them behind.
        let pid = self.process.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
        let _ = self.process.wait();
    }
}

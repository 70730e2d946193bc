//! stub
use std::{
    io,
    net::SocketAddr,
    path::{Path, PathBuf},
};
pub struct ServeConfig {
    pub listen: SocketAddr,
    pub data_dir: DataDir,
    pub database_url: Option<String>,
    pub public_url: Option<String>,
    pub allow_host: Vec<String>,
    pub trusted_proxy: Vec<String>,
    pub max_connections: Option<usize>,
    pub drain_delay: u64,
}
impl ServeConfig {
    pub fn database_url(&self) -> String {
        self.database_url.clone().unwrap_or_else(|| format!("sqlite:{}", self.data_dir.0.join("askhub.db").display()))
    }
}
pub struct DataDir(pub PathBuf);
impl DataDir {
    pub const OWNER_TOKEN: &str = "owner.token";
    pub const AGENT_TOKEN: &str = "agent.token";
    pub fn path(&self) -> &Path {
        &self.0
    }
    pub fn read(&self, f: &str) -> io::Result<Option<String>> {
        match std::fs::read_to_string(self.0.join(f)) {
            Ok(t) => Ok(Some(t)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(e),
        }
    }
    pub fn write_secret(&self, f: &str, t: &str) -> io::Result<()> {
        std::fs::create_dir_all(&self.0)?;
        std::fs::write(self.0.join(f), t)
    }
    pub fn write_server(&self, url: &str) -> io::Result<()> {
        std::fs::write(self.0.join("server.json"), format!("{{\"url\":\"{url}\"}}"))
    }
}

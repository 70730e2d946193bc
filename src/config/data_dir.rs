//! The data directory: where a server leaves its address and tokens, and where the command line of the same machine
//! finds them.
//!
//! Invariant: a file with a secret never exists with other permissions than 0600, not even empty, and a reader sees
//! the old content or the new one, never half of it. Written by `server`, read by `cli`.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{BadConfig, variable};

/// A data directory, which need not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataDir(PathBuf);

/// What is in `server.json`.
#[derive(Serialize, Deserialize)]
struct ServerFile {
    url: String,
}

impl DataDir {
    /// The file with the owner's token: may do everything.
    pub const OWNER_TOKEN: &str = "owner.token";
    /// The file with the token for the agents of the machine: may ask.
    pub const AGENT_TOKEN: &str = "agent.token";
    /// The file in which the server says how to reach it.
    pub const SERVER: &str = "server.json";

    /// The directory that was asked for, else the user's own.
    ///
    /// # Errors
    /// [`BadConfig::NoHome`] if there is neither.
    pub fn find(asked: Option<PathBuf>) -> Result<Self, BadConfig> {
        let asked = asked.filter(|path| !path.as_os_str().is_empty());
        asked.or_else(default_path).map(Self).ok_or(BadConfig::NoHome)
    }

    /// The directory itself.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Where the database is if nothing else is said.
    pub fn database_path(&self) -> PathBuf {
        self.0.join("askhub.db")
    }

    /// Where a file of the directory is.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Makes the directory, for its owner alone, unless it is there.
    ///
    /// # Errors
    /// The file system's.
    pub fn create(&self) -> io::Result<()> {
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(true).create(&self.0)
    }

    /// The text of a file, without blanks around it; none if there is no such file, or nothing in it.
    ///
    /// # Errors
    /// The file system's: somebody else's file, say.
    pub fn read(&self, name: &str) -> io::Result<Option<String>> {
        match std::fs::read_to_string(self.file(name)) {
            Ok(text) => Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Puts a secret into its file.
    ///
    /// # Errors
    /// The file system's; what was there before is then there still.
    pub fn write_secret(&self, name: &str, secret: &str) -> io::Result<()> {
        self.replace(name, &format!("{secret}\n"))
    }

    /// Where this directory's server can be reached; none if there never was one, or the file does not say it.
    ///
    /// # Errors
    /// The file system's.
    pub fn read_server(&self) -> io::Result<Option<String>> {
        let text = self.read(Self::SERVER)?;
        Ok(text.and_then(|text| serde_json::from_str::<ServerFile>(&text).ok()).map(|server| server.url))
    }

    /// Says where this directory's server can be reached.
    ///
    /// # Errors
    /// The file system's.
    pub fn write_server(&self, url: &str) -> io::Result<()> {
        let text = serde_json::to_string(&ServerFile { url: url.to_owned() }).map_err(io::Error::other)?;
        self.replace(Self::SERVER, &format!("{text}\n"))
    }

    fn replace(&self, name: &str, text: &str) -> io::Result<()> {
        self.create()?;
        let fresh = self.0.join(format!(".{}.new", uuid::Uuid::new_v4().simple()));
        let written = write_new(&fresh, text).and_then(|()| std::fs::rename(&fresh, self.file(name)));
        if written.is_err() {
            // Nothing has its name yet, and the first error is the one to report.
            let _ = std::fs::remove_file(&fresh);
            return written;
        }
        sync_directory(&self.0)
    }
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// A new name is on disk only when its directory is. Windows opens no directories and needs none of this.
fn sync_directory(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
}

fn default_path() -> Option<PathBuf> {
    let home = || variable("HOME").map(PathBuf::from);
    let base = if let Some(base) = variable("XDG_DATA_HOME").map(PathBuf::from).filter(|base| base.is_absolute()) {
        base
    } else if cfg!(windows) {
        variable("LOCALAPPDATA").map(PathBuf::from)?
    } else if cfg!(target_os = "macos") {
        home()?.join("Library/Application Support")
    } else {
        home()?.join(".local/share")
    };
    Some(base.join("askhub"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory() -> (tempfile::TempDir, DataDir) {
        let temporary = tempfile::tempdir().unwrap();
        let data_dir = DataDir::find(Some(temporary.path().join("made/here"))).unwrap();
        (temporary, data_dir)
    }

    #[test]
    fn what_is_written_is_read_back() {
        let (_temporary, data_dir) = directory();
        assert_eq!(data_dir.read(DataDir::OWNER_TOKEN).unwrap(), None);
        assert_eq!(data_dir.read_server().unwrap(), None);
        data_dir.write_secret(DataDir::OWNER_TOKEN, "askhub_one").unwrap();
        data_dir.write_secret(DataDir::AGENT_TOKEN, "askhub_two").unwrap();
        data_dir.write_secret(DataDir::OWNER_TOKEN, "askhub_three").unwrap();
        data_dir.write_server("http://127.0.0.1:7441").unwrap();
        assert_eq!(data_dir.read(DataDir::OWNER_TOKEN).unwrap().as_deref(), Some("askhub_three"));
        assert_eq!(data_dir.read(DataDir::AGENT_TOKEN).unwrap().as_deref(), Some("askhub_two"));
        assert_eq!(data_dir.read_server().unwrap().as_deref(), Some("http://127.0.0.1:7441"));
    }

    #[test]
    fn writing_leaves_nothing_else_behind() {
        let (_temporary, data_dir) = directory();
        data_dir.write_secret(DataDir::AGENT_TOKEN, "askhub_one").unwrap();
        data_dir.write_secret(DataDir::AGENT_TOKEN, "askhub_two").unwrap();
        let names: Vec<_> =
            std::fs::read_dir(data_dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["agent.token"]);
    }

    #[cfg(unix)]
    #[test]
    fn secrets_are_for_their_owner_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let (_temporary, data_dir) = directory();
        data_dir.write_secret(DataDir::OWNER_TOKEN, "askhub_one").unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&data_dir.file(DataDir::OWNER_TOKEN)), 0o600);
        assert_eq!(mode(data_dir.path()), 0o700);
    }

    #[test]
    fn a_server_file_that_says_nothing_is_none() {
        let (_temporary, data_dir) = directory();
        data_dir.create().unwrap();
        std::fs::write(data_dir.file(DataDir::SERVER), "{").unwrap();
        assert_eq!(data_dir.read_server().unwrap(), None);
    }

    #[test]
    fn an_empty_name_means_the_users_own_directory() {
        let found = DataDir::find(Some(PathBuf::new()));
        assert_ne!(found, Ok(DataDir(PathBuf::new())));
    }
}

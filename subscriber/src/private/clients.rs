//! Password options of well-known programs, if the option's name does not reveal a password, such as mysql's `-p`.

struct Client {
    programs: &'static [&'static str],
    /// Word that must precede the option, as in `docker login`.
    command: Option<&'static str>,
    /// The option's letter.
    option: &'static str,
    /// Letters of options without a value, which may precede the option in one word.
    flags: &'static str,
    /// True if the password may be the next word. For `mysql -p NAME` that is a database.
    has_next: bool,
    /// True if another program's command line starts at the first word that is not an option.
    starts_another: bool,
}

const CLIENTS: [Client; 10] = [
    Client::new(
        &[
            "mysql",
            "mysqladmin",
            "mysqlbinlog",
            "mysqlcheck",
            "mysqldump",
            "mysqlimport",
            "mysqlpump",
            "mysqlsh",
            "mysqlshow",
            "mysqlslap",
            "mariadb",
            "mariadb-admin",
            "mariadb-backup",
            "mariadb-check",
            "mariadb-dump",
            "mariadb-import",
            "mariadb-show",
            "xtrabackup",
        ],
        "p",
    ),
    Client { starts_another: true, ..Client::new(&["sshpass"], "p").with_next() },
    Client::new(&["mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport"], "p")
        .with_next(),
    Client::new(&["redis-cli", "valkey-cli"], "a").with_next(),
    Client::new(&["sqlcmd", "bcp", "isql", "tsql"], "P").with_next(),
    Client::new(&["ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldapwhoami", "ldappasswd"], "w")
        .with_next(),
    Client::new(&["7z", "7za", "7zr", "7zz", "rar", "unrar"], "p"),
    Client {
        flags: "0123456789ACDEFJKLMNSTUVWXacefghjklmopqruvwyz",
        ..Client::new(&["zip", "unzip"], "P").with_next()
    },
    Client {
        command: Some("login"),
        ..Client::new(&["docker", "podman", "buildah", "skopeo", "nerdctl", "oras", "helm", "az"], "p")
            .with_next()
    },
    // The word has the user's name before the password.
    Client { flags: "#012346BGIJLMNOSVZafgijklnpqsv", ..Client::new(&["curl"], "u").with_next() },
];

impl Client {
    const fn new(programs: &'static [&'static str], option: &'static str) -> Self {
        Self { programs, command: None, option, flags: "", has_next: false, starts_another: false }
    }

    const fn with_next(self) -> Self {
        Self { has_next: true, ..self }
    }

    /// Returns what follows the option in a word.
    fn value<'w>(&self, word: &'w str) -> Option<&'w str> {
        let letters = word.strip_prefix('-')?.trim_start_matches(|letter: char| self.flags.contains(letter));
        letters.strip_prefix(self.option)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Password {
    None,
    /// Starting at a byte of this word.
    From(usize),
    Next,
}

/// Reads the words of a command line in order. Words that are passwords are not read.
#[derive(Clone, Copy, Default)]
pub(super) struct Reader {
    client: Option<&'static Client>,
    is_command_there: bool,
}

impl Reader {
    pub(super) fn read(&mut self, word: &str) -> Password {
        let start = word.len() - word.trim_start_matches(QUOTES).len();
        let bare = word.trim_matches(QUOTES);
        let name = bare.rsplit(['/', '\\']).next().unwrap_or(bare);
        let name = name.strip_suffix(".exe").unwrap_or(name);
        if let Some(client) = CLIENTS.iter().find(|client| client.programs.contains(&name)) {
            *self = Self { client: Some(client), is_command_there: client.command.is_none() };
            return Password::None;
        }
        let Some(client) = self.client else { return Password::None };
        self.is_command_there |= client.command == Some(bare);
        if ENDS.contains(&bare) || client.starts_another && !bare.starts_with('-') {
            *self = Self::default();
            return Password::None;
        }
        match client.value(bare) {
            Some("") if self.is_command_there && client.has_next => Password::Next,
            Some(rest) if self.is_command_there && !matches!(rest, "" | ";") => {
                Password::From(start + bare.len() - rest.len())
            }
            _ => Password::None,
        }
    }
}

/// Words after which a shell starts another command.
const ENDS: [&str; 5] = [";", "|", "||", "&&", "&"];
const QUOTES: [char; 2] = ['"', '\''];

/// Returns the start of a password in a text that is a complete command line.
pub(super) fn find(text: &str) -> Option<usize> {
    let mut reader = Reader::default();
    let mut is_next = false;
    for word in text.split_whitespace() {
        let start = word.as_ptr().addr() - text.as_ptr().addr();
        if is_next {
            return Some(start);
        }
        match reader.read(word) {
            Password::From(at) => return Some(start + at),
            Password::Next => is_next = true,
            // `a;mysql`, as a shell parses it.
            Password::None if word.ends_with(';') => reader = Reader::default(),
            Password::None => {}
        }
    }
    None
}

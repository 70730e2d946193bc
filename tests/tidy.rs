//! The shape of the repository, as a test: who may use whom, how long a file may be, what words mean one thing.
//!
//! Each rule is a pure function from text to complaints. A test runs it over the repository, and another one proves
//! that it complains about a bad snippet, because a rule that cannot fail is no rule. Nothing here depends on askhub.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// Each module with what it may use. `domain` is open to all and not repeated; a module may use itself.
const MODULE_GRAPH: &[(&str, &[&str])] = &[
    ("main", &["cli"]),
    ("cli", &["server", "client", "config"]),
    (
        "server",
        &[
            "config",
            "telemetry",
            "http",
            "mcp",
            "client",
            "wire",
            "dialect",
            "auth",
            "sweeper",
            "notify",
            "broker",
            "registry",
            "store",
            "clock",
        ],
    ),
    ("config", &[]),
    ("telemetry", &[]),
    ("http", &["wire", "dialect", "auth", "broker"]),
    ("mcp", &["wire", "dialect", "auth", "broker", "client"]),
    ("client", &["wire"]),
    ("wire", &[]),
    ("sweeper", &["broker"]),
    ("notify", &["broker"]),
    ("broker", &["store", "registry", "clock"]),
    ("auth", &["store", "clock"]),
    ("store", &["clock"]),
    ("registry", &[]),
    ("clock", &[]),
    ("dialect", &[]),
    ("domain", &[]),
];

/// `domain` and `dialect` are rules about values: whoever needs one of these is in the wrong module.
const PURE_MODULES: &[&str] = &["domain", "dialect"];
const IMPURE_WORDS: &[&str] =
    &["async", "await", "tokio", "sqlx", "axum", "reqwest", "rand", "tracing", "env", "fs", "net"];

/// What does not fit in here is two ideas in one file. Tests are not counted.
const SOURCE_LINES_MAX: usize = 500;
const ARCHITECTURE_LINES_MAX: usize = 150;
const README_LINES_MAX: usize = 250;

/// Names for not knowing where something belongs.
const FORBIDDEN_MODULES: &[&str] = &["util", "utils", "common", "helper", "helpers", "manager", "managers", "misc"];

/// One word per thing: these name things that the glossary in ARCHITECTURE.md names differently.
const FORBIDDEN_WORDS: &[(&str, &str)] = &[
    ("tenant", "space"),
    ("workspace", "space"),
    ("approver", "responder"),
    ("respondent", "responder"),
    ("answerer", "responder"),
    ("requester", "agent"),
    ("ticket", "call"),
];

/// What a test writes beside or above a sleep that it cannot do without, followed by the reason.
const REAL_TIME: &str = "// real time:";

// --- the repository --------------------------------------------------------------------------------------------------

#[test]
fn modules_use_only_what_the_graph_allows() {
    let sources = sources("src");
    let names = top_level_modules(&sources);
    for source in &sources {
        expect_none(&source.path, module_graph_complaints(&source.path, &source.text, &names));
    }
}

#[test]
fn every_module_is_in_the_graph() {
    let known: BTreeSet<&str> = MODULE_GRAPH.iter().map(|(module, _)| *module).collect();
    for module in top_level_modules(&sources("src")) {
        assert!(module == "lib" || known.contains(module.as_str()), "src/{module}.rs is not in MODULE_GRAPH");
    }
}

#[test]
fn rules_about_values_do_no_io_and_no_waiting() {
    for source in sources("src") {
        expect_none(&source.path, purity_complaints(&source.path, &source.text));
    }
}

#[test]
fn only_the_registry_holds_a_concurrent_map() {
    for source in sources("src") {
        expect_none(&source.path, dashmap_complaints(&source.path, &source.text));
    }
}

#[test]
fn source_files_are_short_and_say_what_they_are_for() {
    for source in sources("src") {
        expect_none(&source.path, file_complaints(&source.path, &source.text));
    }
}

#[test]
fn no_module_is_named_for_not_knowing() {
    for source in ["src", "tests", "benches"].into_iter().flat_map(sources) {
        expect_none(&source.path, module_name_complaints(&source.path, &source.text));
    }
}

#[test]
fn one_thing_has_one_word() {
    for source in sources("src") {
        expect_none(&source.path, word_complaints(&source.path, &source.text));
    }
}

#[test]
fn tests_wait_for_conditions_and_not_for_time() {
    for source in sources("tests/it") {
        expect_none(&source.path, sleep_complaints(&source.text));
    }
}

#[test]
fn migrations_are_twins() {
    let sqlite = file_names("migrations/sqlite");
    let postgres = file_names("migrations/postgres");
    expect_none("migrations", migration_complaints(&sqlite, &postgres));
}

#[test]
fn the_readme_and_the_code_know_the_same_variables() {
    let mut code = read("src/config.rs");
    for source in sources("src") {
        if module_of(&source.path) == "cli" {
            code.push_str(&source.text);
        }
    }
    expect_none("README.md", variable_complaints(&read("README.md"), &code));
}

#[test]
fn the_documents_stay_short() {
    expect_none("ARCHITECTURE.md", length_complaints(&read("ARCHITECTURE.md"), ARCHITECTURE_LINES_MAX));
    expect_none("README.md", length_complaints(&read("README.md"), README_LINES_MAX));
}

#[test]
fn links_in_the_documents_lead_somewhere() {
    let top = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "clients/hydra/README.md", "tests/vectors/README.md"];
    let top = top.map(|path| Source { path: path.to_owned(), text: read(path) });
    for document in files("docs", "md").into_iter().chain(top) {
        let file = root().join(&document.path);
        let exists = |target: &str| file.with_file_name(target).exists();
        expect_none(&document.path, link_complaints(&document.text, exists));
    }
}

// --- the rules -------------------------------------------------------------------------------------------------------

fn module_graph_complaints(path: &str, text: &str, modules: &BTreeSet<String>) -> Vec<String> {
    let module = module_of(path);
    if module == "lib" || is_test_file(path) {
        return Vec::new();
    }
    let allowed = MODULE_GRAPH.iter().find(|(name, _)| *name == module).map_or(&[][..], |(_, allowed)| *allowed);
    let is_allowed = |used: &str| used == module || used == "domain" || allowed.contains(&used);
    used_modules(path, &code_of(production_part(text)), modules)
        .into_iter()
        .filter(|used| !is_allowed(used) || (module == "domain" && used != "domain"))
        .map(|used| format!("{module} may not use {used}"))
        .collect()
}

/// The top-level modules that `code` names: by `crate::x`, `crate::{x, y::z}`, or by enough `super`s.
fn used_modules(path: &str, code: &str, modules: &BTreeSet<String>) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    let to_root = "super::".repeat(depth_of(path));
    for prefix in ["crate::", "askhub::", to_root.as_str()] {
        for rest in after_each(code, prefix) {
            let names = match rest.strip_prefix('{') {
                Some(group) => first_names_of_group(group),
                None => vec![leading_name(rest)],
            };
            used.extend(names.into_iter().filter(|name| modules.contains(*name)).map(str::to_owned));
        }
    }
    used
}

fn purity_complaints(path: &str, text: &str) -> Vec<String> {
    if !PURE_MODULES.contains(&module_of(path)) || is_test_file(path) {
        return Vec::new();
    }
    let code = code_of(production_part(text));
    let words: BTreeSet<&str> = words(&code).collect();
    IMPURE_WORDS.iter().filter(|word| words.contains(**word)).map(|word| format!("`{word}` in a pure module")).collect()
}

fn dashmap_complaints(path: &str, text: &str) -> Vec<String> {
    let code = code_of(text);
    let has_map = words(&code).any(|word| word == "dashmap");
    if has_map && module_of(path) != "registry" { vec!["dashmap belongs to registry.rs".into()] } else { Vec::new() }
}

fn file_complaints(path: &str, text: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    if !text.starts_with("//!") {
        complaints.push("the first line is not `//!` with what the module is for".into());
    }
    if !is_test_file(path) {
        complaints.extend(length_complaints(production_part(text), SOURCE_LINES_MAX));
    }
    complaints
}

fn length_complaints(text: &str, lines_max: usize) -> Vec<String> {
    let lines = text.lines().count();
    if lines > lines_max { vec![format!("{lines} lines, the limit is {lines_max}")] } else { Vec::new() }
}

fn module_name_complaints(path: &str, text: &str) -> Vec<String> {
    let code = code_of(text);
    let declared = after_each(&code, "mod ").into_iter().map(leading_name);
    let parts = path.split('/').map(|part| part.trim_end_matches(".rs"));
    let bad = parts.chain(declared).filter(|name| FORBIDDEN_MODULES.contains(name));
    bad.map(|name| format!("`{name}` says nothing about what is in it")).collect()
}

fn word_complaints(path: &str, text: &str) -> Vec<String> {
    // A dialect speaks the words of the tool that it imitates.
    if module_of(path) == "dialect" {
        return Vec::new();
    }
    let code = code_of(text);
    let parts: BTreeSet<String> = words(&code).flat_map(parts_of_identifier).collect();
    let bad = FORBIDDEN_WORDS.iter().filter(|(word, _)| parts.contains(*word) || parts.contains(&format!("{word}s")));
    bad.map(|(word, right)| format!("the word for `{word}` is `{right}`")).collect()
}

fn sleep_complaints(text: &str) -> Vec<String> {
    // The marker is a comment, so it is looked for in the text, and the sleep in the code; both have the same lines.
    let code = code_of(text);
    let has_reason =
        |line: &str| line.split_once(REAL_TIME).is_some_and(|(_, reason)| reason.split_whitespace().next().is_some());
    let mut complaints = Vec::new();
    let mut above_has_reason = false;
    for (number, (line, code)) in text.lines().zip(code.lines()).enumerate() {
        let sleeps = words(code).any(|word| word == "sleep" || word == "sleep_until") && code.contains('(');
        if sleeps && !has_reason(line) && !above_has_reason {
            complaints.push(format!("line {}: a sleep without `{REAL_TIME} reason`", number + 1));
        }
        above_has_reason = has_reason(line);
    }
    complaints
}

fn migration_complaints(sqlite: &[String], postgres: &[String]) -> Vec<String> {
    let mut complaints = Vec::new();
    if sqlite != postgres {
        complaints.push(format!("not the same names: {sqlite:?} and {postgres:?}"));
    }
    for (index, name) in sqlite.iter().enumerate() {
        let expected = format!("{:04}_", index + 1);
        if !name.starts_with(&expected) || !name.ends_with(".sql") {
            complaints.push(format!("{name}: the name should be {expected}….sql"));
        }
    }
    complaints
}

fn variable_complaints(readme: &str, code: &str) -> Vec<String> {
    let section = readme.split("\n## Configuration").nth(1).unwrap_or_default();
    let section = section.split("\n## ").next().unwrap_or_default();
    let table: String = section.lines().filter(|line| line.starts_with('|')).collect();
    let documented = variables(&table);
    let read = variables(code);
    if documented.is_empty() {
        return vec!["there is no configuration table".into()];
    }
    let invented = documented.difference(&read).map(|name| format!("{name} is documented, nothing reads it"));
    let secret = read.difference(&documented).map(|name| format!("{name} is read, the table does not have it"));
    invented.chain(secret).collect()
}

/// Links to other files; those to other sites, and to places in the same file, are not looked at.
fn link_complaints(text: &str, exists: impl Fn(&str) -> bool) -> Vec<String> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    let bad = targets.filter(|target| !target.is_empty() && !target.contains(':') && !exists(target));
    bad.map(|target| format!("there is no {target}")).collect()
}

// --- reading Rust without a compiler ---------------------------------------------------------------------------------

/// The text with comments and the content of strings blanked out; lines stay where they are.
fn code_of(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let skipped = match next {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            'r' if !ends_in_word(&code) => raw_string_length(rest),
            '"' => string_length(rest),
            '\'' => character_length(rest),
            _ => 0,
        };
        if skipped == 0 {
            code.push(next);
            rest = &rest[next.len_utf8()..];
        } else {
            code.push(' ');
            code.extend(rest[..skipped].chars().filter(|character| *character == '\n'));
            rest = &rest[skipped..];
        }
    }
    code
}

fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (index, character) in text.char_indices().skip(1) {
        match character {
            '"' if !is_escaped => return index + 1,
            '\\' => is_escaped = !is_escaped,
            _ => is_escaped = false,
        }
    }
    text.len()
}

fn raw_string_length(text: &str) -> usize {
    let hashes = text[1..].chars().take_while(|character| *character == '#').count();
    if !text[1 + hashes..].starts_with('"') {
        return 0;
    }
    let end = format!("\"{}", "#".repeat(hashes));
    let start = 2 + hashes;
    text[start..].find(&end).map_or(text.len(), |found| start + found + end.len())
}

/// A character literal; a lifetime has no length here and stays.
fn character_length(text: &str) -> usize {
    let mut characters = text.char_indices().skip(1);
    match characters.next() {
        Some((_, '\\')) => text[3..].find('\'').map_or(0, |found| 3 + found + 1),
        Some(_) => characters.next().filter(|(_, end)| *end == '\'').map_or(0, |(index, _)| index + 1),
        None => 0,
    }
}

/// What comes before the tests in the file.
fn production_part(text: &str) -> &str {
    let mut position = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_end() == "#[cfg(test)]" {
            let after = &text[position + line.len()..];
            let item = after.lines().find(|line| !line.trim_start().starts_with("#[")).unwrap_or_default();
            if item.contains("mod ") && item.trim_end().ends_with('{') {
                return &text[..position];
            }
        }
        position += line.len();
    }
    text
}

/// `src/store/sql.rs` belongs to `store`.
fn module_of(path: &str) -> &str {
    let path = path.strip_prefix("src/").unwrap_or(path);
    path.split('/').next().unwrap_or(path).trim_end_matches(".rs")
}

/// How many `super`s lead from the file to the root of the crate.
fn depth_of(path: &str) -> usize {
    path.strip_prefix("src/").unwrap_or(path).split('/').count()
}

fn is_test_file(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.contains("/tests/")
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn ends_in_word(text: &str) -> bool {
    text.ends_with(is_word)
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|character| !is_word(character)).filter(|word| !word.is_empty())
}

/// `NewTenantId` and `new_tenant_id` are both new, tenant, id.
fn parts_of_identifier(identifier: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut was_lower = false;
    for character in identifier.chars() {
        if character == '_' || (character.is_uppercase() && was_lower) {
            parts.push(String::new());
        }
        was_lower = character.is_lowercase();
        if character != '_' {
            parts.last_mut().expect("there is always one").extend(character.to_lowercase());
        }
    }
    parts
}

/// The rests of `text` after each `prefix` that is not the end of a longer path or word.
fn after_each<'text>(text: &'text str, prefix: &str) -> Vec<&'text str> {
    let starts_path = |before: &str| !ends_in_word(before) && !before.ends_with("::") && !before.ends_with('$');
    let found = text.match_indices(prefix).filter(|(index, _)| starts_path(&text[..*index]));
    found.map(|(index, _)| &text[index + prefix.len()..]).collect()
}

fn leading_name(text: &str) -> &str {
    text.split(|character| !is_word(character)).next().unwrap_or_default()
}

/// Of `a::b, c::{d, e}, f}` the names `a`, `c` and `f`.
fn first_names_of_group(group: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut depth = 0;
    let mut start = 0;
    for (index, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                names.push(leading_name(group[start..index].trim_start()));
                start = index + 1;
                if character == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    names
}

fn variables(text: &str) -> BTreeSet<String> {
    let names = words(text).filter(|word| word.starts_with("ASKHUB_") && word.len() > "ASKHUB_".len());
    names.map(str::to_owned).collect()
}

// --- reading the repository ------------------------------------------------------------------------------------------

struct Source {
    path: String,
    text: String,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path} should be readable: {error}"))
}

/// All Rust files below a folder, in a fixed order.
fn sources(folder: &str) -> Vec<Source> {
    files(folder, "rs")
}

fn files(folder: &str, extension: &str) -> Vec<Source> {
    let mut paths = Vec::new();
    collect(&root().join(folder), extension, &mut paths);
    paths.sort();
    let relative =
        |path: &PathBuf| path.strip_prefix(root()).expect("it was found below").to_string_lossy().into_owned();
    let sources: Vec<Source> = paths
        .iter()
        .map(|path| Source { path: relative(path), text: fs::read_to_string(path).expect("source files are text") })
        .collect();
    assert!(!sources.is_empty(), "{folder} has no .{extension} files: the rules would pass without looking");
    sources
}

fn collect(folder: &Path, extension: &str, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder exists").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, extension, paths);
        } else if path.extension().is_some_and(|found| found == extension) {
            paths.push(path);
        }
    }
}

fn top_level_modules(sources: &[Source]) -> BTreeSet<String> {
    sources.iter().map(|source| module_of(&source.path).to_owned()).collect()
}

fn file_names(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join(folder)).expect("the folder exists").flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    names
}

fn expect_none(path: &str, complaints: Vec<String>) {
    assert!(complaints.is_empty(), "{path}:\n  {}", complaints.join("\n  "));
}

// --- each rule can fail ----------------------------------------------------------------------------------------------

fn complaints_about(path: &str, text: &str) -> Vec<String> {
    let modules = MODULE_GRAPH.iter().map(|(module, _)| (*module).to_owned()).collect();
    module_graph_complaints(path, text, &modules)
}

#[test]
fn an_arrow_against_the_graph_is_found_however_it_is_written() {
    let says = |used: &str| vec![format!("store may not use {used}")];
    assert_eq!(complaints_about("src/store.rs", "use crate::http::Router;"), says("http"));
    assert_eq!(complaints_about("src/store/sql.rs", "fn a() { crate::broker::b() }"), says("broker"));
    assert_eq!(complaints_about("src/store.rs", "use crate::{clock::Clock, auth};"), says("auth"));
    assert_eq!(
        complaints_about("src/store.rs", "use crate::{\n    clock::{A, B},\n    wire::{C, D},\n};"),
        says("wire")
    );
    assert_eq!(complaints_about("src/store.rs", "use super::mcp;"), says("mcp"));
    assert_eq!(complaints_about("src/store/sql.rs", "use super::super::mcp;"), says("mcp"));
    assert_eq!(complaints_about("src/domain/call.rs", "use crate::clock;"), ["domain may not use clock"]);
    assert_eq!(complaints_about("src/main.rs", "askhub::server::serve();"), ["main may not use server"]);
}

#[test]
fn an_arrow_of_the_graph_is_not_a_complaint() {
    for (path, text) in [
        ("src/store/sql.rs", "use crate::{clock::Clock, domain, store::Row};"),
        ("src/store/sql.rs", "use super::broker;"),
        ("src/store.rs", "//! See [`crate::http`].\nconst A: &str = \"crate::http\"; // crate::http"),
        ("src/store.rs", "use other_crate::http; use self::http;"),
        ("src/store.rs", "#[cfg(test)]\nmod tests {\n    use crate::broker;\n}"),
        ("src/store/tests.rs", "use crate::broker;"),
        ("src/lib.rs", "pub use crate::broker;"),
    ] {
        assert_eq!(complaints_about(path, text), Vec::<String>::new(), "{path}: {text}");
    }
}

#[test]
fn waiting_in_a_pure_module_is_found() {
    assert_eq!(purity_complaints("src/domain/call.rs", "async fn a() {}"), ["`async` in a pure module"]);
    assert_eq!(purity_complaints("src/dialect.rs", "use std::fs;"), ["`fs` in a pure module"]);
    assert!(purity_complaints("src/domain.rs", "//! No async here.\nfn offset() {}").is_empty());
    assert!(purity_complaints("src/broker.rs", "async fn a() {}").is_empty());
}

#[test]
fn a_concurrent_map_outside_the_registry_is_found() {
    assert_eq!(dashmap_complaints("src/broker.rs", "use dashmap::DashMap;").len(), 1);
    assert!(dashmap_complaints("src/registry.rs", "use dashmap::DashMap;").is_empty());
}

#[test]
fn a_long_or_silent_file_is_found() {
    let long = format!("//! Long.\n{}", "\n".repeat(SOURCE_LINES_MAX));
    assert_eq!(file_complaints("src/a.rs", &long), ["501 lines, the limit is 500"]);
    assert_eq!(file_complaints("src/a.rs", "use std::fs;\n").len(), 1);
    let mostly_tests = format!("//! Short.\n#[cfg(test)]\nmod tests {{{}}}", "\n".repeat(SOURCE_LINES_MAX));
    assert!(file_complaints("src/a.rs", &mostly_tests).is_empty());
    let helper_first = format!("//! Long.\n#[cfg(test)]\nfn helper() {{}}\n{}", "\n".repeat(SOURCE_LINES_MAX));
    assert_eq!(file_complaints("src/a.rs", &helper_first).len(), 1);
}

#[test]
fn a_name_for_not_knowing_is_found() {
    assert_eq!(module_name_complaints("src/http/utils.rs", "").len(), 1);
    assert_eq!(module_name_complaints("tests/it/common/mod.rs", "").len(), 1);
    assert_eq!(module_name_complaints("src/a.rs", "pub(crate) mod helpers {}").len(), 1);
    assert!(module_name_complaints("src/a.rs", "// mod utils\nmod uncommon;").is_empty());
}

#[test]
fn a_second_word_for_one_thing_is_found() {
    assert_eq!(word_complaints("src/a.rs", "struct TenantId;"), ["the word for `tenant` is `space`"]);
    assert_eq!(word_complaints("src/a.rs", "let approvers = 1;"), ["the word for `approver` is `responder`"]);
    assert!(word_complaints("src/a.rs", "let lieutenant = \"tenant\";").is_empty());
    assert!(word_complaints("src/dialect/zero.rs", "let tenant = 1;").is_empty());
}

#[test]
fn a_sleep_without_a_reason_is_found() {
    assert_eq!(sleep_complaints("a();\ntokio::time::sleep(second).await;").len(), 1);
    assert_eq!(sleep_complaints("thread::sleep(second); // real time:").len(), 1);
    assert_eq!(sleep_complaints("// real time: too far away\n\nsleep(second).await;").len(), 1);
    assert!(sleep_complaints("sleep(second).await; // real time: the kernel's own timer").is_empty());
    assert!(sleep_complaints("// real time: another process\nsleep(second).await;").is_empty());
    assert!(sleep_complaints("use tokio::time::sleep;\nrun(\"sleep (1)\");").is_empty());
}

#[test]
fn a_migration_without_its_twin_is_found() {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(migration_complaints(&names(&["0001_a.sql"]), &names(&["0001_b.sql"])).len(), 1);
    assert_eq!(migration_complaints(&names(&["0002_a.sql"]), &names(&["0002_a.sql"])).len(), 1);
    assert!(migration_complaints(&names(&["0001_a.sql"]), &names(&["0001_a.sql"])).is_empty());
}

#[test]
fn a_variable_that_only_one_side_knows_is_found() {
    let readme = "# a\n\n## Configuration\n\n| `ASKHUB_A` | x |\n| `ASKHUB_B` | y |\n\n## Next\n\n| `ASKHUB_D` |\n";
    assert!(variable_complaints(readme, "env = \"ASKHUB_A\", env = \"ASKHUB_B\"").is_empty());
    assert_eq!(variable_complaints(readme, "\"ASKHUB_A\"").len(), 1);
    assert_eq!(variable_complaints(readme, "\"ASKHUB_A\" \"ASKHUB_B\" \"ASKHUB_C\"").len(), 1);
    assert_eq!(variable_complaints("# a\n", "").len(), 1);
}

#[test]
fn a_link_to_nowhere_is_found() {
    let complaints = |text| link_complaints(text, |target| target == "here.md");
    assert_eq!(complaints("[a](here.md), [b](here.md#part), [c](#part), [d](https://askhub.dev)"), [""; 0]);
    assert_eq!(complaints("[a](gone.md#part)"), ["there is no gone.md"]);
}

#[test]
fn comments_and_strings_are_not_code() {
    let code = code_of("a /* b */ \"c \\\" d\" 'e' '\\'' r#\"f \" g\"# &'life h // i\nj");
    assert_eq!(words(&code).collect::<Vec<_>>(), ["a", "life", "h", "j"]);
    assert_eq!(code.lines().count(), 2);
}

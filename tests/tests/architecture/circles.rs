//! Limits the size of import circles among the files of a crate, so that a reader can follow them.
//!
//! An import counts for the file that defines the name. A file that only re-exports it does not count. The sources are
//! read as text: `use` declarations, and paths that begin with a module or an imported name.

use super::{root, sources};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

/// The largest allowed circle, in files.
const MOST: usize = 8;

type Module = Vec<String>;

/// The modules of a crate.
struct Crate {
    texts: BTreeMap<Module, String>,
    /// Re-exports: the name in a module, and its full path.
    handed_on: BTreeMap<(Module, String), Module>,
}

static USE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^\s*(pub(?:\([a-z ]+\))?\s+)?use\s+([^;]+);").expect("it is well formed"));
static PATH: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\b\w+(?:::\w+)+").expect("it is well formed"));

impl Crate {
    fn read(folder: &Path) -> Self {
        let comment = Regex::new(r"//[^\n]*").expect("it is well formed");
        let mut texts = BTreeMap::new();
        for path in sources(folder) {
            let text = fs::read_to_string(&path).expect("it can be read");
            let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default().to_owned();
            let relative = path.strip_prefix(folder).expect("it is in there").with_extension("");
            let mut module: Module = relative.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            if matches!(module.last().map(String::as_str), Some("lib" | "main")) {
                module.pop();
            }
            texts.insert(module, comment.replace_all(&text, "").into_owned());
        }
        let mut all = Crate { texts, handed_on: BTreeMap::new() };
        for (module, text) in &all.texts {
            for found in USE.captures_iter(text).filter(|found| found.get(1).is_some()) {
                for (path, name) in expanded(&found[2]) {
                    if let Some(to) = all.absolute(module, &path) {
                        all.handed_on.insert((module.clone(), name), to);
                    }
                }
            }
        }
        all
    }

    /// A path from the crate's root, or `None` if it leads out of the crate.
    fn absolute(&self, module: &Module, path: &[String]) -> Option<Module> {
        let (mut base, mut rest) = (module.clone(), path);
        match rest.first()?.as_str() {
            "crate" => (base, rest) = (Vec::new(), &rest[1..]),
            "self" => rest = &rest[1..],
            "super" => {
                while rest.first().is_some_and(|word| word == "super") {
                    base.pop();
                    rest = &rest[1..];
                }
            }
            first => {
                base.push(first.to_owned());
                self.texts.get(&base)?;
                rest = &rest[1..];
            }
        }
        base.extend_from_slice(rest);
        Some(base)
    }

    /// The module that defines the item at a path.
    fn definer(&self, path: &[String], hops: usize) -> Module {
        let mut module = Module::new();
        for (at, word) in path.iter().enumerate() {
            let mut next = module.clone();
            next.push(word.clone());
            if self.texts.contains_key(&next) {
                module = next;
                continue;
            }
            if let Some(to) = self.handed_on.get(&(module.clone(), word.clone())).filter(|_| hops < 8) {
                let mut to = to.clone();
                to.extend_from_slice(&path[at + 1..]);
                return self.definer(&to, hops + 1);
            }
            break;
        }
        module
    }

    /// A module's imports, by the module that defines them.
    fn imports(&self, module: &Module) -> BTreeMap<Module, BTreeSet<String>> {
        let text = &self.texts[module];
        let (mut names, mut paths) = (BTreeMap::new(), Vec::new());
        for found in USE.captures_iter(text) {
            for (path, name) in expanded(&found[2]) {
                let Some(to) = self.absolute(module, &path) else { continue };
                names.insert(name, to.clone());
                if found.get(1).is_none() {
                    paths.push((to, path.join("::")));
                }
            }
        }
        let body = USE.replace_all(text, "");
        for found in PATH.find_iter(&body) {
            let words: Module = found.as_str().split("::").map(str::to_owned).collect();
            let to = names.get(&words[0]).map(|to| to.iter().chain(&words[1..]).cloned().collect());
            if let Some(to) = to.or_else(|| self.absolute(module, &words)) {
                paths.push((to, found.as_str().to_owned()));
            }
        }
        let mut imports: BTreeMap<Module, BTreeSet<String>> = BTreeMap::new();
        for (to, written) in paths {
            let to = self.definer(&to, 0);
            if to != *module && self.texts.contains_key(&to) {
                imports.entry(to).or_default().insert(written);
            }
        }
        imports
    }

    /// The largest circle, with the imports that make it.
    fn largest_circle(&self) -> Vec<String> {
        let imports: BTreeMap<&Module, _> = self.texts.keys().map(|module| (module, self.imports(module))).collect();
        let reached = |from: &Module| {
            let (mut reached, mut next) = (BTreeSet::new(), vec![from.clone()]);
            while let Some(module) = next.pop() {
                next.extend(imports[&module].keys().filter(|to| reached.insert((*to).clone())).cloned());
            }
            reached
        };
        let all: BTreeMap<&Module, BTreeSet<Module>> = self.texts.keys().map(|each| (each, reached(each))).collect();
        let circle = |of: &Module| -> BTreeSet<&Module> {
            all.iter()
                .filter(|(each, back)| all[of].contains(**each) && back.contains(of))
                .map(|(each, _)| *each)
                .collect()
        };
        let Some(largest) = self.texts.keys().map(circle).max_by_key(BTreeSet::len) else { return Vec::new() };
        if largest.len() <= MOST {
            return Vec::new();
        }
        let arrows = largest.iter().flat_map(|from| {
            let within = imports[from].iter().filter(|(to, _)| largest.contains(to));
            within.map(|(to, written)| {
                let written: Vec<_> = written.iter().map(String::as_str).collect();
                format!("  {} -> {}: {}", named(from), named(to), written.join(", "))
            })
        });
        [format!("{} files import each other in a circle, and {MOST} are the most:", largest.len())]
            .into_iter()
            .chain(arrows)
            .collect()
    }
}

fn named(module: &Module) -> String {
    if module.is_empty() { "lib".to_owned() } else { module.join("/") }
}

/// The paths of a use tree, each with the name that it imports.
fn expanded(tree: &str) -> Vec<(Module, String)> {
    fn collect(before: &Module, tree: &str, found: &mut Vec<(Module, String)>) {
        let words = |text: &str| -> Module {
            text.split("::").map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
        };
        let tree = tree.trim();
        let Some(open) = tree.find('{') else {
            let (path, name) = tree.split_once(" as ").map_or((tree, None), |(path, name)| (path, Some(name.trim())));
            let mut path = [before.clone(), words(path)].concat();
            if path.len() > 1 && path.last().is_some_and(|word| word == "self") {
                path.pop();
            }
            let last = path.last().cloned().unwrap_or_default();
            found.push((path, name.map_or(last, str::to_owned)));
            return;
        };
        let before = [before.clone(), words(&tree[..open])].concat();
        let inner = &tree[open + 1..tree.rfind('}').unwrap_or(tree.len())];
        let (mut depth, mut from) = (0, 0);
        for (at, sign) in inner.char_indices().chain([(inner.len(), ',')]) {
            match sign {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    if !inner[from..at].trim().is_empty() {
                        collect(&before, &inner[from..at], found);
                    }
                    from = at + 1;
                }
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    collect(&Module::new(), tree, &mut found);
    found
}

#[test]
fn no_import_circle_is_too_large_to_follow() {
    let mut wrong = Vec::new();
    for folder in ["crates", "plugins"] {
        for entry in fs::read_dir(root().join(folder)).expect("it can be read") {
            let path = entry.expect("readable").path();
            let circle = Crate::read(&path.join("src")).largest_circle();
            if !circle.is_empty() {
                wrong.push(format!("{}: {}", path.display(), circle.join("\n")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_circle_is_found_through_reexports() {
    let folder = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("it can be written");
    write("lib.rs", "pub use m0::Zero;\nmod m0;\n");
    write("m0.rs", "use crate::m1::f1;\npub struct Zero;\n");
    for n in 1..=MOST {
        let next =
            if n == MOST { "use crate::Zero;".to_owned() } else { format!("use crate::m{}::f{};", n + 1, n + 1) };
        write(&format!("m{n}.rs"), &format!("{next}\npub fn f{n}() {{}}\n"));
    }
    let circle = Crate::read(folder.path()).largest_circle();
    assert!(circle.first().is_some_and(|first| first.starts_with("9 files")), "{circle:?}");
    assert!(circle.iter().any(|arrow| arrow.contains("m8 -> m0: crate::Zero")), "{circle:?}");
}

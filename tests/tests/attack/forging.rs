//! Shared by the attacks on exported journals: a table to export, and the page's verdicts from one browser.

use base64::Engine;
use dice::fair::{FairDice, Ones};
use dice::{Dice, Die};
use journal::export::Header;
use journal::{Entry, Link, unhex};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tests::browser::Browser;
use tests::{answers, astragal, complaint, run};

/// Plays the scene in the room `hall` and exports it to `export.jsonl` in the data directory.
pub fn export_of(data: &Path, scene: &[u8]) -> Vec<u8> {
    exported(data, scene, &[])
}

/// The same with everything the table holds.
pub fn moved_of(data: &Path, scene: &[u8]) -> Vec<u8> {
    exported(data, scene, &["--move"])
}

fn exported(data: &Path, scene: &[u8], kind: &[&str]) -> Vec<u8> {
    if !scene.is_empty() {
        let played = run(data, scene);
        assert!(played.status.success(), "{}", complaint(&played));
    }
    let file = data.join("export.jsonl");
    // It exists if a scene is being continued.
    let _ = fs::remove_file(&file);
    let output = astragal(data).args(["export", "hall"]).arg(&file).args(kind).output().expect("the program runs");
    assert!(output.status.success(), "{}", complaint(&output));
    fs::read(file).expect("it was written")
}

/// The bot's answers to these lines.
pub fn said(data: &Path, lines: &[u8]) -> String {
    answers(&run(data, lines)).join("\n")
}

pub fn header_of(export: &[u8]) -> Header {
    let line = export.split(|byte| *byte == b'\n').next().expect("a line");
    serde_json::from_slice(line).expect("a header")
}

pub fn seed_of(export: &[u8], epoch: u32) -> [u8; 32] {
    let seed = unhex(&header_of(export).seeds[&epoch]).expect("hexadecimal");
    seed.try_into().expect("32 bytes")
}

/// The dice with these sides that a seed gives an entry's message.
pub fn dice_of(ones: Ones, seed: &[u8; 32], link: &Link, sides: &[u32]) -> String {
    let entry: Entry = serde_json::from_str(link.entry.get()).expect("an entry");
    let mut fair = FairDice::with(ones, seed, &entry.key);
    let thrown: Vec<Die> =
        sides.iter().map(|sides| Die { sides: *sides, value: fair.throw(*sides).expect("it has sides") }).collect();
    serde_json::to_string(&thrown).expect("JSON")
}

/// The page in a browser, which verifies many files at once.
pub struct Verdicts {
    pub browser: Browser,
}

/// The page's complaint about a file and the entry it names, or `None` if the file holds.
pub type Theirs = Option<(String, Option<u64>)>;

/// Files verified in one call.
const AT_ONCE: usize = 50;

impl Verdicts {
    pub fn open() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in the workspace");
        Verdicts { browser: Browser::open(&root.join("deploy/verify.html")) }
    }

    /// The page's verdict on each.
    pub fn of(&self, files: &[Vec<u8>]) -> Vec<Theirs> {
        let script = "return arguments[0].map(file => {
            const bytes = Uint8Array.from(atob(file), c => c.charCodeAt(0));
            try { verify(bytes, () => {}); return null; } catch (error) {
                const entry = /^entry #(\\d+): /.exec(error.message);
                return [error.message, entry && Number(entry[1])];
            } });";
        let told = |verdict: &Value| {
            let what = verdict.get(0)?.as_str().expect("a page that fails says why").to_owned();
            Some((what, verdict[1].as_u64()))
        };
        let encoded = |file: &Vec<u8>| base64::prelude::BASE64_STANDARD.encode(file);
        let of_some = |files: &[Vec<u8>]| {
            let asked = self.browser.script(script, &json!(files.iter().map(encoded).collect::<Vec<_>>()));
            asked.as_array().unwrap_or_else(|| panic!("the page has no verdict: {asked}")).iter().map(told).collect()
        };
        let verdicts: Vec<Theirs> = files.chunks(AT_ONCE).flat_map(|files| -> Vec<Theirs> { of_some(files) }).collect();
        assert_eq!(verdicts.len(), files.len());
        verdicts
    }

    /// Enters the chain head that the room saw.
    pub fn type_head(&self, head: &str) {
        self.browser.script("by('head').value = arguments[0];", &json!(head));
    }
}

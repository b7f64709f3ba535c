//! `astragal play`: session files through the core.

use crate::game_files::with_the_program;
use crate::out::{Printed, out};
use plugin_testkit::Compare;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Plays the files; stops at the first difference with status 1.
pub fn play(files: &[PathBuf], printed: Printed) -> ExitCode {
    let (mut out, mut err) = (out(), io::stderr().lock());
    let compare = match printed {
        Printed::Json => Compare::DiceAlone,
        Printed::Text | Printed::Columns => Compare::Answers,
    };
    for path in files {
        let name = path.display().to_string();
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) => {
                // Standard error may be closed; the exit status says it too.
                let _ = writeln!(err, "astragal: {name} cannot be read: {error}");
                return ExitCode::FAILURE;
            }
        };
        let mut lines = 0;
        let played = plugin_testkit::play(&name, &text, with_the_program(None), compare, |report| {
            lines += 1;
            if printed == Printed::Json {
                let line = serde_json::to_string(&report).expect("reports have text keys and finite numbers");
                let _ = writeln!(out, "{line}");
            }
        });
        if let Err(difference) = played {
            let _ = writeln!(err, "{difference}");
            return ExitCode::FAILURE;
        }
        if printed == Printed::Text {
            let _ = writeln!(out, "{name}: {lines} lines played as written");
        }
    }
    ExitCode::SUCCESS
}

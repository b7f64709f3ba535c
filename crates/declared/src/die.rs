//! `[die ability]`: a die with words on its faces.

/// A die with words on its faces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Die {
    /// What it is called.
    pub name: String,
    /// What each face shows, from that of 1 on.
    pub faces: Vec<Vec<Symbol>>,
}

/// What a face shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The word: `success`.
    pub word: String,
    /// How often it is there.
    pub times: u32,
}

impl Die {
    /// How many sides it has.
    pub fn sides(&self) -> i64 {
        i64::try_from(self.faces.len()).unwrap_or(i64::MAX)
    }

    /// All words on it, each once or more often.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.faces.iter().flatten().map(|symbol| symbol.word.as_str())
    }

    /// How often this word is on each face, from that of 1 on.
    pub fn each(&self, word: &str) -> Vec<u32> {
        let on = |face: &Vec<Symbol>| face.iter().filter(|symbol| symbol.word == word).map(|symbol| symbol.times).sum();
        self.faces.iter().map(on).collect()
    }

    /// What the face of this number shows: `2 success + advantage`, or `-`.
    pub fn shown(&self, number: u32) -> String {
        let face = number.checked_sub(1).and_then(|at| self.faces.get(usize::try_from(at).ok()?));
        let each = |Symbol { word, times }: &Symbol| match times {
            1 => word.clone(),
            times => format!("{times} {word}"),
        };
        let all: Vec<String> = face.into_iter().flatten().map(each).collect();
        if all.is_empty() { "-".to_owned() } else { all.join(" + ") }
    }
}

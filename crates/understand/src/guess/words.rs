//! Words of sentences that say how the rest is meant, or that say nothing. One list each.

/// Verbs in front of what somebody uses, gets or begins.
pub(super) const VERBS: [&str; 18] = [
    "use", "give", "take", "start", "begin", "new", "add", "make", "do", "get", "go", "play", "set", "put", "grant",
    "gain", "have", "roll",
];
/// Verbs between a character and what becomes of them.
pub(super) const BECOMES: [&str; 18] = [
    "regains", "regain", "recovers", "is", "has", "gets", "get", "takes", "take", "took", "suffers", "suffer", "are",
    "was", "got", "gains", "gain", "becomes",
];
/// Those that say nothing about a condition.
pub(super) const HAS: [&str; 6] = ["has", "takes", "take", "took", "suffers", "suffer"];
/// Words that turn the meaning of the rest around, so they are never left out.
pub(super) const TURNS: [&str; 12] =
    ["no", "not", "reset", "stop", "cancel", "clear", "remove", "without", "never", "end", "dont", "don't"];
/// Words that mean nothing anywhere.
pub(super) const ARTICLES: [&str; 6] = ["a", "an", "the", "my", "please", "some"];
/// Words that mean nothing in most commands.
pub(super) const FILLERS: [&str; 44] = [
    "w", "out", "point", "points", "more", "token", "tokens", "extra", "another", "pls", "plz", "from", "into", "can",
    "could", "may", "instead", "back", "a", "an", "the", "my", "me", "i", "we", "please", "to", "for", "of", "with",
    "w/", "on", "in", "it", "that", "this", "at", "now", "some", "then", "just", "want", "lets", "let's",
];
/// Words in front of an argument, such as a name.
pub(super) const LINKS: [&str; 7] = ["on", "for", "to", "with", "at", "of", "in"];
/// Words behind `for` that begin a reason.
pub(super) const REASONS: [&str; 9] = ["that", "the", "this", "a", "his", "her", "their", "your", "such"];
/// Words that say that something is over: `Bob isn't prone anymore`.
pub(super) const ENDED: [&str; 6] = ["not", "longer", "isn't", "isnt", "aint", "ain't"];
/// Words for several characters.
pub(super) const GROUPS: [&str; 5] = ["all", "everyone", "everybody", "heroes", "foes"];
/// What people call it to use a value against somebody.
pub(super) const DONE: [&str; 40] = [
    "attack",
    "attacks",
    "attacking",
    "hit",
    "hits",
    "shoot",
    "shoots",
    "fire",
    "fires",
    "strike",
    "strikes",
    "swing",
    "swings",
    "slash",
    "slashes",
    "stab",
    "stabs",
    "use",
    "uses",
    "using",
    "roll",
    "rolls",
    "make",
    "makes",
    "try",
    "tries",
    "do",
    "does",
    "deal",
    "deals",
    "throw",
    "throws",
    "cast",
    "casts",
    "take",
    "takes",
    "punch",
    "kick",
    "steal",
    "go",
];
/// Words that say nothing beside a value and a name.
pub(super) const IDLE: [&str; 32] = [
    "i", "my", "a", "an", "the", "his", "her", "its", "their", "with", "w/", "by", "at", "on", "to", "and", "for",
    "of", "it", "him", "them", "please", "teh", "w", "from", "into", "in", "as", "pls", "plz", "im", "then",
];
/// Words behind a command or a name that only lead on: `pass card 1 over to Bob`, `possibilities left?`
pub(super) const IDLE_BEHIND: [&str; 10] =
    ["over", "down", "left", "remaining", "away", "moves", "goes", "moved", "again", "last"];
/// What is counted or used, where the command says it already: `misfortune die`.
pub(super) const THINGS: [&str; 8] = ["die", "dice", "card", "cards", "stone", "stones", "roll", "check"];
/// What people call a roll of a value, where dice are just dice.
pub(super) const CHECKS: [&str; 5] = ["check", "save", "saving", "throw", "test"];
/// Words in front of whom or what it is against.
pub(super) const AGAINST: [&str; 4] = ["vs", "versus", "against", "v"];
/// The same, as people ask for odds.
pub(super) const BEATS: [&str; 3] = ["beating", "beat", "beats"];
/// What people call what `adv` and `dis` add.
pub(super) const ADVANTAGE: [&str; 4] = ["advantage", "adv", "disadvantage", "dis"];
/// What joins two words.
pub(super) const JOINS: [&str; 3] = ["+", "&", "and"];
/// Words in front of a difficulty.
pub(super) const DIFFICULTY: [&str; 3] = ["dc", "dn", "tn"];
/// What people say for a counter of health, whatever it is called.
pub(super) const WOUNDS: [&str; 4] = ["wound", "wounds", "health", "hp"];
/// What a counter of health may be called.
pub(super) const HEALTH: [&str; 4] = ["hp", "health", "hits", "life"];
/// What may follow the last word of a part of a sentence.
pub(super) const ENDS: [char; 6] = [',', ';', '.', '!', '?', '…'];

/// True for a word that is no comment, though the command does not need it.
pub fn is_idle(word: &str) -> bool {
    [&THINGS[..], &IDLE_BEHIND].iter().any(|idle| idle.contains(&word))
}

/// True if a part of a sentence ends with this word, as typed.
pub(super) fn ends_a_clause(word: &str) -> bool {
    word.ends_with(ENDS)
}

/// True for a word in front of whom or what a line is against.
pub(super) fn is_against(word: &str) -> bool {
    AGAINST.contains(&word) || DIFFICULTY.contains(&word) || BEATS.contains(&word)
}

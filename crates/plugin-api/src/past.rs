//! Something that was played, to be told later in a sentence.

use serde_json::{Map, Value};

/// An entry of a game, as everybody may know it.
#[derive(Clone, Copy, Debug)]
pub struct Past<'a> {
    /// The name of whoever it is about: who acted, or whose roll it follows up on.
    pub who: &'a str,
    /// The character whom the answer names in front, if that is somebody else: `Ogre: damage 17`.
    pub about: Option<&'a str>,
    /// The command's name, as declared.
    pub command: &'a str,
    /// How it ended: the answer up to its first ` | `, without the names in front.
    pub result: &'a str,
    /// The whole answer, as plain text.
    pub answer: &'a str,
    /// The facts of the answer.
    pub facts: &'a Map<String, Value>,
}

impl Past<'_> {
    /// The fact of this name, if it is a whole number.
    pub fn number(&self, fact: &str) -> Option<i64> {
        self.facts.get(fact)?.as_i64()
    }

    /// The fact of this name, if it is a word.
    pub fn word(&self, fact: &str) -> Option<&str> {
        self.facts.get(fact)?.as_str()
    }

    /// True or false, if the answer states that it succeeded or not.
    pub fn success(&self) -> Option<bool> {
        self.facts.get("success")?.as_bool()
    }

    /// Whom or what it was measured against: a name, or a number as the answer shows it.
    pub fn against(&self) -> Option<&str> {
        let shown = || {
            let (_, shown) = self.result.split_once(" vs ").or_else(|| self.result.split_once(" against "))?;
            let end = shown.find([',', ';', ':', '(', ')']).unwrap_or(shown.len());
            Some(shown[..end].trim()).filter(|shown| !shown.is_empty())
        };
        self.word("against").or_else(shown)
    }

    /// The total and what it was measured against: ` with 17 against Ogre`, ` with 17`, ` against Ogre`; empty if neither
    /// is known.
    pub fn score(&self) -> String {
        // If nobody may know the value, the answer shows a total that its facts leave out.
        let shown = || {
            let before = self.result.split_once(" vs ")?.0;
            before.rsplit([' ', '(']).next()?.parse().ok()
        };
        let total = self.number("total").or_else(shown).map(|total| format!(" with {total}"));
        let against = self.against().map(|against| format!(" against {against}"));
        format!("{}{}", total.unwrap_or_default(), against.unwrap_or_default())
    }

    /// The sentence for a game that has no better one, without its full stop.
    pub fn plainly(&self) -> String {
        let Past { who, about, result, .. } = *self;
        match (self.success(), self.number("total"), about) {
            (Some(true), _, _) => format!("{who} succeeded{}", self.score()),
            (Some(false), _, _) => format!("{who} failed{}", self.score()),
            (None, _, Some(about)) => format!("{about}: {result}"),
            (None, Some(total), None) => format!("{who} rolled {total}"),
            (None, None, None) => format!("{who}: {result}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn plainly(result: &str, facts: Value) -> String {
        let Value::Object(facts) = facts else { unreachable!("facts have names") };
        Past { who: "Ann", about: None, command: "roll", result, answer: result, facts: &facts }.plainly()
    }

    #[test]
    fn the_plain_sentence_says_how_it_ended_and_against_whom() {
        let success = |success: bool| json!({ "success": success, "total": 17 });
        assert_eq!(plainly("SUCCESS by 2: 17 vs 15", success(true)), "Ann succeeded with 17 against 15");
        assert_eq!(plainly("FAILURE: 17 vs DC 18 (skill 3)", success(false)), "Ann failed with 17 against DC 18");
        assert_eq!(plainly("SUCCESS by 2 (17 vs 15)", success(true)), "Ann succeeded with 17 against 15");
        assert_eq!(plainly("17", json!({ "total": 17 })), "Ann rolled 17");
        assert_eq!(plainly("shows the tower", json!({})), "Ann: shows the tower");
        let named = json!({ "success": true, "total": 17, "against": "Old Ogre" });
        assert_eq!(plainly("SUCCESS: 17 vs 15", named), "Ann succeeded with 17 against Old Ogre");
    }

    #[test]
    fn a_total_against_a_value_that_nobody_may_know_is_read_from_the_answer() {
        for shown in ["GOOD: 17 vs Ogre", "SUCCESS (17 vs Ogre)"] {
            assert_eq!(plainly(shown, json!({ "success": true })), "Ann succeeded with 17 against Ogre");
        }
    }
}

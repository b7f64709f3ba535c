//! How a store on a server is, as an operator asks.

use serde::Serialize;

/// How it is.
#[derive(Clone, Debug, Serialize)]
pub struct Standing {
    /// The part of the database that is this bot's.
    pub shard: String,
    /// Seconds since its lease was renewed.
    pub renewed_ago_s: f64,
    /// How often that failed.
    pub failures: u64,
    /// Whether each commit waits for a standby of the database; `None` if that is not known.
    pub synchronous: Option<bool>,
    /// What a failure of the server costs, in words.
    pub cost: Option<String>,
    /// The bots that stand by for this one.
    pub others: Vec<String>,
    /// What is wrong with the database.
    pub trouble: Option<String>,
}

impl Standing {
    /// A line for the store, and one for the bots that stand by, or one that says what is wrong.
    pub fn lines(&self) -> Vec<String> {
        if let Some(trouble) = &self.trouble {
            let ago = self.renewed_ago_s;
            return vec![format!(
                "store: {trouble}; the lease of the shard {} was last renewed {ago:.0} seconds ago, and after 7 the bot leaves its \
                 networks",
                self.shard
            )];
        }
        let cost = self.cost.as_ref().map_or(String::new(), |cost| format!("; {cost}"));
        let others = if self.others.is_empty() { "no other bot".to_owned() } else { self.others.join(", ") };
        vec![format!("store: the shard {} on PostgreSQL{cost}", self.shard), format!("standing by: {others}")]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_that_does_not_answer_is_told_with_what_follows() {
        let mut standing = Standing {
            shard: "main".to_owned(),
            renewed_ago_s: 4.2,
            failures: 1,
            synchronous: Some(true),
            cost: Some("nothing is lost".to_owned()),
            others: vec!["second (3f2a)".to_owned()],
            trouble: None,
        };
        let lines = ["store: the shard main on PostgreSQL; nothing is lost", "standing by: second (3f2a)"];
        assert_eq!(standing.lines(), lines);
        standing.trouble = Some("db1: the database cannot be reached: refused".to_owned());
        let line = "store: db1: the database cannot be reached: refused; the lease of the shard main was last renewed 4 seconds ago, \
                    and after 7 the bot leaves its networks";
        assert_eq!(standing.lines(), [line]);
    }
}

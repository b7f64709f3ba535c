//! The operator, where a network needs to show them something and to hear a yes or no.

use async_trait::async_trait;

/// Somebody who reads lines and answers questions.
#[async_trait]
pub trait Terminal: Send {
    /// Shows a line.
    async fn show(&mut self, line: &str);
    /// Asks a yes-or-no question. Nobody who answers means no.
    async fn ask(&mut self, question: &str) -> bool;
}

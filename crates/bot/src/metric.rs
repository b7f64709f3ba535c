//! A bot's metrics, under the names that Prometheus shows.

use journal::committer::SYNC;
use table::{Outcome, OutcomeKind};

/// Command lines, by network and outcome.
pub(crate) const COMMANDS: &str = "astragal_commands_total";
/// The time from accepting a message until the network has the answer.
pub(crate) const ANSWER: &str = "astragal_answer_seconds";
/// Posts that the network will never take.
pub(crate) const DROPPED: &str = "astragal_posts_dropped_total";

/// Describes each metric; transports count the rest.
pub fn describe_metrics() {
    metrics::describe_counter!(COMMANDS, "Command lines, by what became of them");
    metrics::describe_histogram!(ANSWER, "From a message's acceptance to the network's having the answer, in seconds");
    metrics::describe_histogram!(SYNC, "One write of the store with its sync, in seconds");
    metrics::describe_counter!(DROPPED, "Posts that the network did not take and never will");
    metrics::describe_counter!("astragal_connections_total", "Times that the network let the bot in");
    metrics::describe_counter!("astragal_invitations_total", "Invitations into rooms, by what became of them");
    metrics::describe_counter!("astragal_undecryptable_total", "Messages that came without their key");
    metrics::describe_gauge!("astragal_connected", "Whether what is said on the network is heard");
    metrics::describe_gauge!("astragal_rooms", "Rooms that the bot is in");
    metrics::describe_gauge!("astragal_posts_waiting", "Posts that are not said yet");
}

/// Counts the outcomes of a message's lines.
pub(crate) fn count(network: &str, outcomes: &[Outcome]) {
    for outcome in outcomes {
        let became = match outcome.kind {
            OutcomeKind::Played => "played",
            OutcomeKind::Refused => "refused",
            OutcomeKind::Silent => continue,
        };
        metrics::counter!(COMMANDS, "network" => network.to_owned(), "outcome" => became).increment(1);
    }
}

//! A bot's metrics, under the names that Prometheus shows.

use journal::committer::SYNC;
use journal::store::READS;
use table::{Outcome, OutcomeKind};

/// Command lines, by network and outcome.
pub(crate) const COMMANDS: &str = "astragal_commands_total";
/// The time from accepting a message until the network has the answer.
pub(crate) const ANSWER: &str = "astragal_answer_seconds";
/// Posts that the network will never take.
pub(crate) const DROPPED: &str = "astragal_posts_dropped_total";

/// Errors in the log.
pub const ERRORS: &str = "astragal_errors_total";

/// Describes each metric; transports count some of them, and the program measures others.
pub fn describe_metrics() {
    metrics::describe_counter!(COMMANDS, "Command lines, by what became of them");
    metrics::describe_histogram!(ANSWER, "From a message's acceptance to the network's having the answer, in seconds");
    metrics::describe_histogram!(SYNC, "One write of the store with its sync, in seconds");
    metrics::describe_counter!(
        READS,
        "Records that were asked for, by where they were found: in memory or in the store"
    );
    metrics::describe_counter!("astragal_lease_failures_total", "Tries to renew the lease of the shard that failed");
    metrics::describe_counter!(DROPPED, "Posts that the network did not take and never will");
    metrics::describe_counter!("astragal_connections_total", "Times that the network let the bot in");
    metrics::describe_counter!("astragal_invitations_total", "Invitations into rooms, by what became of them");
    metrics::describe_counter!("astragal_undecryptable_total", "Messages that came without their key");
    metrics::describe_counter!("astragal_logins_refused_total", "Logins that the network refused");
    metrics::describe_counter!(ERRORS, "Errors in the log");
    metrics::describe_gauge!("astragal_build_info", "1, with the version of the program");
    metrics::describe_gauge!("astragal_store_bytes", "Size of what the bot keeps of its tables, without backups");
    metrics::describe_gauge!("astragal_lease_age_seconds", "How long ago the lease of the shard was renewed");
    metrics::describe_gauge!(
        "astragal_database_synchronous",
        "Whether each commit waits for a standby of the database"
    );
    metrics::describe_gauge!("astragal_standbys", "Bots that stand by for this one");
    metrics::describe_gauge!("astragal_disk_free_bytes", "Room that is left on the disk of the data directory");
    metrics::describe_gauge!(
        "astragal_backup_timestamp_seconds",
        "When the newest daily backup was written; 0 if there is none"
    );
    metrics::describe_gauge!("process_cpu_seconds_total", "Processor time that the bot used");
    metrics::describe_gauge!("process_resident_memory_bytes", "Memory that the bot uses");
    metrics::describe_gauge!("process_open_fds", "Files and connections that are open");
    metrics::describe_gauge!("process_max_fds", "The most that can be open");
    metrics::describe_gauge!("process_threads", "Threads of the bot");
    metrics::describe_gauge!("process_start_time_seconds", "When the bot started");
    metrics::describe_gauge!("astragal_connected", "Whether what is said on the network is heard");
    metrics::describe_gauge!("astragal_rooms", "Rooms that the bot is in");
    metrics::describe_gauge!("astragal_posts_waiting", "Posts that are not said yet");
    metrics::describe_gauge!(
        "astragal_oldest_waiting_seconds",
        "For how long in this run the oldest message has waited for its answer, or the oldest answer to be said"
    );
}

/// Lets what is counted on a network begin at nothing, so that the first one is seen to be one more.
pub fn count_from_nothing(network: &str) {
    let counters =
        ["astragal_undecryptable_total", "astragal_logins_refused_total", "astragal_connections_total", DROPPED];
    for counter in counters {
        metrics::counter!(counter, "network" => network.to_owned()).increment(0);
    }
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

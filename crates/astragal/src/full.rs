//! What helps if a disk is full. Does not know who wrote to it.

/// What the system says if something does not fit: on the disk, into a quota, or into a limit for files.
const SAID: [&str; 3] = ["No space left on device", "quota exceeded", "File too large"];

/// What the operator can do about an error, if the reason is that there is no room.
pub fn advice(error: &str) -> Option<&'static str> {
    let full = SAID.iter().any(|said| error.contains(said));
    full.then_some("the disk, or a limit on files, is full: make room and try again; what was stored is as it was")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_full_disk_needs_room() {
        assert!(advice("the log cannot be written: No space left on device (os error 28)").is_some());
        assert!(advice("Disk quota exceeded (os error 122)").is_some());
        assert!(advice("Permission denied (os error 13)").is_none());
    }
}

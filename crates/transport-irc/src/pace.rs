//! Rate limits: a burst, then one at a time. For what the bot says, what it hears from one sender, and what it logs.

use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;

/// Lets a burst through, then one per interval.
#[derive(Clone, Debug)]
pub struct Bucket {
    /// The interval; zero means no limit.
    pub every: Duration,
    /// The number that may go at once.
    pub burst: u32,
    /// When the bucket will be full again; the more of that is in the future, the more has been used.
    full_at: Instant,
}

impl Bucket {
    /// A full bucket.
    pub fn new(every: Duration, burst: u32, now: Instant) -> Self {
        Bucket { every, burst, full_at: now }
    }

    /// When the next may go.
    pub fn free_at(&self) -> Instant {
        self.full_at - self.every * self.burst.saturating_sub(1)
    }

    /// When one may go and leave another to go right after it, if the burst is at least two.
    pub fn spare_at(&self) -> Instant {
        self.full_at - self.every * self.burst.saturating_sub(2)
    }

    /// True if one may go now.
    pub fn is_free(&self, now: Instant) -> bool {
        self.every.is_zero() || self.full_at <= now || self.free_at() <= now
    }

    /// Lets one through if it may go now. Returns true if it did.
    pub fn take(&mut self, now: Instant) -> bool {
        if !self.is_free(now) {
            return false;
        }
        self.full_at = self.full_at.max(now) + self.every;
        true
    }

    /// Makes it full again.
    pub fn refill(&mut self, now: Instant) {
        self.full_at = now;
    }
}

/// A bucket for each sender. Those that are full again are forgotten, so that memory stays flat.
#[derive(Debug)]
pub struct PerSender {
    fresh: Bucket,
    most: usize,
    buckets: BTreeMap<String, Bucket>,
}

impl PerSender {
    /// An empty set. While `most` senders are tracked, new ones are let nothing through.
    pub fn new(fresh: Bucket, most: usize) -> Self {
        PerSender { fresh, most, buckets: BTreeMap::new() }
    }

    /// Lets one of this sender's through if it may go now. Returns true if it did.
    pub fn take(&mut self, sender: &str, now: Instant) -> bool {
        if let Some(bucket) = self.buckets.get_mut(sender) {
            return bucket.take(now);
        }
        if self.buckets.len() >= self.most {
            self.buckets.retain(|_, bucket| bucket.full_at > now);
        }
        if self.buckets.len() >= self.most {
            return false;
        }
        let mut bucket = self.fresh.clone();
        bucket.refill(now);
        let taken = bucket.take(now);
        self.buckets.insert(sender.to_owned(), bucket);
        taken
    }
}

/// Limits how often something is logged, however often it happens.
#[derive(Debug)]
pub struct Seldom {
    bucket: Bucket,
    passed_over: u64,
}

impl Seldom {
    /// Lets a few through at once, then one a minute.
    pub fn new(now: Instant) -> Self {
        const FEW: u32 = 5;
        Seldom { bucket: Bucket::new(Duration::from_secs(60), FEW, now), passed_over: 0 }
    }

    /// Returns `None` if it is not logged this time, else how many were left out since the last time.
    pub fn tell(&mut self, now: Instant) -> Option<u64> {
        if self.bucket.take(now) {
            return Some(std::mem::take(&mut self.passed_over));
        }
        self.passed_over += 1;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_burst_goes_through_and_then_one_at_a_time() {
        let now = Instant::now();
        let mut bucket = Bucket::new(SECOND, 3, now);
        let taken: Vec<bool> = (0..4).map(|_| bucket.take(now)).collect();
        assert_eq!(taken, [true, true, true, false]);
        assert!(bucket.take(now + SECOND) && !bucket.take(now + SECOND));
        let mut free = Bucket::new(Duration::ZERO, 1, now);
        assert!((0..100).all(|_| free.take(now)));
    }

    #[test]
    fn one_sender_uses_up_nothing_of_anothers() {
        let now = Instant::now();
        let mut senders = PerSender::new(Bucket::new(SECOND, 2, now), 2);
        assert!(senders.take("a", now) && senders.take("a", now) && !senders.take("a", now));
        assert!(senders.take("b", now));
        assert!(!senders.take("c", now), "there is no more room");
        assert!(senders.take("c", now + 2 * SECOND), "the others are quiet");
        assert!(senders.buckets.len() <= 2);
    }

    #[test]
    fn what_was_not_logged_is_counted() {
        let now = Instant::now();
        let mut seldom = Seldom::new(now);
        let told: Vec<_> = (0..7).map(|_| seldom.tell(now)).collect();
        assert_eq!(told, [Some(0), Some(0), Some(0), Some(0), Some(0), None, None]);
        assert_eq!(seldom.tell(now + 60 * SECOND), Some(2));
    }
}

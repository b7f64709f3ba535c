//! The queue of a table: plays its events in order and makes each durable before answering it.

pub(super) mod ahead;
mod orders;
mod overtaken;

use super::send::ToSay;
use super::{Busy, Running, agenda, left};
use crate::bot::Bot;
use crate::metric;
use crate::pace::{LongWork, Step};
use ahead::Counted;
use chat::{Event, Guarantees, Message, RoomId};
use jiff::Timestamp;
use journal::committer::Ticket;
use journal::keys::TableId;
use journal::store::StoreError;
use std::collections::{BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;
use table::words::CommandLine;
use table::{Heard, Host, Outcome, Outgoing, Table};
use tokio::sync::{mpsc, oneshot};

/// A table that has heard nothing for this long is unloaded.
const IDLE: Duration = Duration::from_secs(600);

/// How long to wait before playing again what could not be written: at first and at most.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(60);

const REFUSED: &str =
    "I cannot store anything now, so nothing changed. Try again later; the log tells the operator why.";
const DOUBTED: &str =
    "I cannot store anything now, and do not know yet whether that was kept: look with !history before you try again.";
const DELAYED: &str = "I cannot store anything now: I play that as soon as I can. The log tells the operator why.";

/// A job for a table.
pub(super) enum Job {
    /// Play an event.
    Event(Queued),
    /// Carry out the orders that are due by this time.
    Due(Timestamp),
    /// Play the operator's command.
    Order(Box<Message>, oneshot::Sender<Result<Vec<Outcome>, StoreError>>),
    /// Finish.
    Close(oneshot::Sender<()>),
}

/// An event that waits to be played.
pub(super) struct Queued {
    event: Box<Event>,
    /// The key of its record among the waiting events, if any.
    waiting: Option<String>,
    busy: Busy,
    /// Whom to tell when it is done.
    pub done: Option<oneshot::Sender<()>>,
    /// The table where it is played, if it only keeps its place in this queue.
    elsewhere: Option<TableId>,
    counted: Option<Counted>,
}

impl Queued {
    pub fn new(event: Event, waiting: Option<String>, busy: Busy) -> Self {
        Queued { event: Box::new(event), waiting, busy, done: None, elsewhere: None, counted: None }
    }
}

impl Running {
    /// Queues an event for its table, behind those of its room.
    pub(super) fn queue(self: Arc<Self>, id: TableId, mut queued: Queued) -> Result<(), StoreError> {
        let (queue, counted) = self.ahead.count(queued.event.room(), &id);
        queued.elsewhere = Some(id).filter(|id| *id != queue);
        queued.counted = Some(counted);
        self.give(queue, Job::Event(queued))
    }

    /// Queues an accepted event for its table.
    pub(crate) fn enqueue(
        self: Arc<Self>,
        id: TableId,
        event: Event,
        waiting: Option<String>,
    ) -> Result<(), StoreError> {
        let Some(side) = self.side(said_on(&event)) else {
            return Ok(());
        };
        let busy = Busy::new(&side.work);
        self.queue(id, Queued::new(event, waiting, busy))
    }

    /// Queues the operator's command for a table.
    pub(super) fn order(
        self: Arc<Self>,
        id: TableId,
        message: Message,
        done: oneshot::Sender<Result<Vec<Outcome>, StoreError>>,
    ) -> Result<(), StoreError> {
        self.give(id, Job::Order(Box::new(message), done))
    }

    pub(super) fn give(self: Arc<Self>, id: TableId, job: Job) -> Result<(), StoreError> {
        let mut queues = self.queues.lock().expect("nothing panics holding it");
        let fresh = || {
            let (queue, jobs) = mpsc::unbounded_channel();
            let (table, unconfirmed, passed, unsaid) = (None, VecDeque::new(), BTreeSet::new(), Vec::new());
            let worker = Worker {
                running: self.clone(),
                id: id.clone(),
                table,
                unconfirmed,
                passed,
                unsaid,
                erased: Vec::new(),
                left: BTreeSet::new(),
                leaving: false,
                begun: false,
            };
            tokio::spawn(worker.work(jobs));
            queue
        };
        let queue = queues.entry(id.clone()).or_insert_with(fresh);
        if let Err(unsent) = queue.send(job) {
            // The worker is gone, which only a panic can cause; start another for the table.
            *queue = fresh();
            let ended = |_| StoreError::Unavailable("the queue of the table has ended".to_owned());
            queue.send(unsent.0).map_err(ended)?;
        }
        Ok(())
    }

    /// Returns once everything accepted from a network has been played and answered.
    pub(crate) async fn settle(&self, network: &str) {
        if let Some(side) = self.side(network) {
            side.work.settle().await;
        }
    }

    /// Lets every table finish its jobs, then unloads it in order.
    pub(super) async fn close_tables(&self) {
        let queues = std::mem::take(&mut *self.queues.lock().expect("nothing panics holding it"));
        for (_, queue) in queues {
            let (done, closed) = oneshot::channel();
            if queue.send(Job::Close(done)).is_ok() {
                // A worker that has ended already has closed its table.
                let _ = closed.await;
            }
        }
    }
}

/// Means that a table has heard nothing for a long time.
struct Idle;

/// A batch that is answered, or asks for no answer, and not durable yet.
struct Unconfirmed {
    ticket: Ticket,
    /// The number to pass to [`Table::confirm`] later.
    reserved: u64,
    /// True if it holds a roll that was answered.
    answered: bool,
    /// The records of events without an effect that it removes.
    passed: BTreeSet<String>,
}

/// Plays the events of a table.
struct Worker {
    running: Arc<Running>,
    id: TableId,
    table: Option<Table>,
    /// Batches already answered but not durable yet.
    unconfirmed: VecDeque<Unconfirmed>,
    /// Records of waiting events that had no effect and could not be removed. They go with the next batch, so that no
    /// later start plays these events after what came later.
    passed: BTreeSet<String>,
    /// Posts of the current event, to be said once it is durable.
    unsaid: Vec<Outgoing>,
    /// The entries whose words the current event erases. What waits elsewhere to be said forgets them once that is durable.
    erased: Vec<u64>,
    /// Rooms that left the table since it was opened here. What was said there afterwards is played elsewhere.
    left: BTreeSet<RoomId>,
    /// True once an event was left for the next start; all later ones are left too, so none overtakes another.
    leaving: bool,
    /// True if something was made due that is to be carried out at once.
    begun: bool,
}

impl Worker {
    async fn work(mut self, mut jobs: mpsc::UnboundedReceiver<Job>) {
        loop {
            let idle = self.running.bot.pace.sleep(IDLE);
            let job = tokio::select! {
                biased;
                job = jobs.recv() => Ok(job),
                () = idle => Err(Idle),
            };
            match job {
                Ok(Some(Job::Event(queued))) => {
                    self.running.bot.at(Step::Play).await;
                    if let Some(Queued { event, waiting, busy, done, .. }) = self.not_passed_on(queued) {
                        self.carry_out_before(&event).await;
                        self.play_at_last(&event, waiting, &busy).await;
                        self.carry_out_waiting(&event).await;
                        self.carry_out_begun().await;
                        // The receiver may have stopped waiting.
                        done.map(|done| done.send(()));
                    }
                }
                Ok(Some(Job::Due(by))) => {
                    self.carry_out(by, |_| true).await;
                    self.carry_out_begun().await;
                }
                Ok(Some(Job::Order(message, done))) => {
                    let played = self.play(&Event::Said(*message), None, None).await;
                    if played.is_err() {
                        self.give_up().await;
                    }
                    // The receiver may have stopped waiting.
                    let _ = done.send(played);
                }
                Ok(Some(Job::Close(done))) => {
                    self.put_away().await;
                    // The receiver may have stopped waiting.
                    let _ = done.send(());
                    return;
                }
                Ok(None) => return self.put_away().await,
                Err(Idle) => {
                    self.put_away().await;
                    let mut queues = self.running.queues.lock().expect("nothing panics holding it");
                    // Jobs are sent under this lock, so none can arrive between the check and the removal.
                    if jobs.is_empty() {
                        queues.remove(&self.id);
                        return;
                    }
                }
            }
        }
    }

    /// The event, if it is played here; otherwise it is passed on to the table where it is played.
    fn not_passed_on(&mut self, mut queued: Queued) -> Option<Queued> {
        let elsewhere = queued.elsewhere.take().or_else(|| match &*queued.event {
            Event::Redacted { .. } => self.where_it_is_taken_back(&queued.event),
            event => self.where_its_room_went(event),
        });
        let Some(table) = elsewhere else {
            return Some(queued);
        };
        if *self.running.closing.borrow() {
            // Its table may be closed already. If its network will not send it again, it is played here.
            self.leaving |= queued.waiting.is_some();
            return Some(queued);
        }
        // Whatever is said next in the room comes behind it.
        let counted = queued.counted.take();
        if let Err(error) = self.running.clone().give(table, Job::Event(queued)) {
            tracing::error!(table = %self.id, %error, "what was said in a room that left is not played");
        }
        drop(counted);
        None
    }

    /// The table of an event's room, if the room left this one.
    fn where_its_room_went(&mut self, event: &Event) -> Option<TableId> {
        let room = self.left.get(event.room())?.clone();
        let table = self.running.host().table_of(&room).ok()?;
        if table == self.id {
            self.left.remove(&room);
            return None;
        }
        Some(table)
    }

    /// The table where a message was played that is taken back, if that was not here.
    fn where_it_is_taken_back(&self, event: &Event) -> Option<TableId> {
        self.running.host().table_for(event).ok().filter(|table| *table != self.id)
    }

    /// Plays an event. If it cannot be written, it is refused; but if the network considers it accepted, it is retried
    /// until it can be written, or left for the next start.
    async fn play_at_last(&mut self, event: &Event, waiting: Option<String>, busy: &Busy) {
        if self.leaving && waiting.is_some() {
            return;
        }
        let mut closing = self.running.closing.subscribe();
        let mut wait = FIRST_WAIT;
        let mut played = self.play(event, waiting.clone(), Some(busy)).await;
        while let Err(error) = played {
            tracing::error!(table = %self.id, %error, "a command was not played");
            self.give_up().await;
            let told = if matches!(error, StoreError::InDoubt(_)) { DOUBTED } else { REFUSED };
            let Some(key) = &waiting else { return self.apologise(event, busy, told) };
            if wait == FIRST_WAIT {
                self.apologise(event, busy, DELAYED);
            }
            tokio::select! {
                biased;
                _ = closing.wait_for(|closing| *closing) => {
                    self.leaving = true;
                    return;
                }
                () = self.running.bot.pace.sleep(wait) => wait = (wait * 2).min(LONGEST_WAIT),
            }
            played = self.play_again(event, key, busy).await;
        }
    }

    /// Plays an event again after a failure, unless it no longer waits: then the same write that removed it from the
    /// waiting events has stored its result, and only the answer is missing.
    async fn play_again(&mut self, event: &Event, waiting: &str, busy: &Busy) -> Result<Vec<Outcome>, StoreError> {
        let record = self.running.host().committer().read(waiting)?;
        if record.is_some_and(|record| table::stands_for(waiting, &record, event)) {
            let mut counted = event.clone();
            if let Some(message) = counted.message_mut() {
                message.counted = true;
            }
            return self.play(&counted, Some(waiting.to_owned()), Some(busy)).await;
        }
        tracing::warn!(table = %self.id, "a command was played, though its write was called failed");
        self.say_all(Some(busy));
        Ok(Vec::new())
    }

    /// Plays an event once; see [`play`](Self::play).
    async fn try_to_play(
        &mut self,
        event: &Event,
        waiting: Option<String>,
        busy: Option<&Busy>,
    ) -> Result<Vec<Outcome>, StoreError> {
        self.confirm_durable().await;
        let bot = self.running.bot.clone();
        let host = bot.host();
        let mut table = match self.table.take() {
            Some(table) => table,
            None => Table::open(&host, self.id.clone())?,
        };
        let host = table.plays_with(&host)?;
        let event = &*host.agreed(event)?;
        let network = self.running.side(said_on(event));
        let guarantees = network.map(|side| side.guarantees).unwrap_or_default();
        let lines = table.lines(&host, event)?;
        if let Some(batch) = table.lay(&host, event, &lines, guarantees) {
            durable(host.committer().submit(Some(table.lane()), batch)).await?;
        }
        let (mut table, heard) = match hear(table, (&bot, &host), (event, lines), guarantees).await? {
            Some(heard) => heard,
            // The table in memory may be half changed.
            None => (Table::open(&host, self.id.clone())?, left::stumbled(&bot, event, waiting.is_some())),
        };
        bot.at(Step::Heard).await;
        self.erased = heard.erased();
        let Heard { mut batch, mut posts, early, reserved, outcomes } = heard;
        // Another room of the table may be on a network that is no longer configured.
        for lost in posts.extract_if(.., |post| self.running.side(&post.post.room.network).is_none()) {
            batch.delete(lost.key);
        }
        self.unsaid = posts;
        let passes = waiting.clone().filter(|_| batch.iter().all(|(_, value)| value.is_none()));
        self.passed.iter().for_each(|key| batch.delete(key.clone()));
        // An order may leave another under the same key.
        if let Some(key) = waiting.filter(|key| !matches!(batch.get(key), Some(Some(_)))) {
            batch.delete(key);
        }
        let due = agenda::made_due(&batch);
        if !early {
            // An empty batch waits for those before it.
            let left = ahead::rooms_that_leave(&self.id, &batch);
            let stored = durable(host.committer().submit(Some(table.lane()), batch)).await;
            if let Err(error) = stored {
                // It may be stored all the same: whoever carries it out looks.
                self.begun |= self.running.agenda.add(due);
                return Err(error);
            }
            self.left.extend(left);
            self.unconfirmed.clear();
            self.passed.clear();
            table.confirm(reserved);
        } else if !batch.is_empty() {
            let mut passed = std::mem::take(&mut self.passed);
            let answered = passes.is_none();
            passed.extend(passes);
            let ticket = host.committer().submit_soon(Some(table.lane()), batch);
            self.unconfirmed.push_back(Unconfirmed { ticket, reserved, answered, passed });
        }
        // Another table's queue may carry it out, so it must be stored.
        self.begun |= self.running.agenda.add(due);
        self.table = Some(table);
        metric::count(&event.room().network, &outcomes);
        bot.at(Step::Played).await;
        self.say_all(busy);
        Ok(outcomes)
    }

    /// Says the posts of the current event if a `busy` guard is given. What it erased is forgotten first, as these posts do
    /// not hold it.
    fn say_all(&mut self, busy: Option<&Busy>) {
        let erased = std::mem::take(&mut self.erased);
        if !erased.is_empty() {
            self.running.forget(&self.id, &erased.into());
        }
        let posts = std::mem::take(&mut self.unsaid);
        if let Some(busy) = busy {
            posts.into_iter().for_each(|post| self.say(post, busy));
        }
    }

    /// Confirms what has become durable. If a write failed, the table in memory is ahead of the disk.
    async fn confirm_durable(&mut self) {
        while let Some(first) = self.unconfirmed.front_mut() {
            let ended = match first.ticket.try_recv() {
                Err(oneshot::error::TryRecvError::Empty) => return,
                ended => ended,
            };
            let Some(Unconfirmed { reserved, passed, .. }) = self.unconfirmed.pop_front() else { return };
            match (ended, &mut self.table) {
                (Ok(Ok(())), Some(table)) => table.confirm(reserved),
                (Ok(Ok(())), None) => {}
                // It is already answered; the table starts again from the state on the disk.
                (Ok(Err(_)) | Err(_), _) => {
                    self.passed.extend(passed);
                    return self.give_up().await;
                }
            }
        }
    }

    /// Discards the table in memory. Its submitted batches have failed or will fail. It may be reopened only after
    /// that, or it would read data that is never written.
    async fn give_up(&mut self) {
        self.table = None;
        self.await_unconfirmed().await;
    }

    /// Waits until nothing is unconfirmed any more. Returns false if something was not written.
    async fn await_unconfirmed(&mut self) -> bool {
        let mut all = true;
        for Unconfirmed { ticket, answered, passed, .. } in std::mem::take(&mut self.unconfirmed) {
            if let Err(error) = durable(ticket).await {
                all = false;
                if answered {
                    tracing::error!(table = %self.id, %error, "an answered roll was not written");
                }
                self.passed.extend(passed);
            }
        }
        all
    }

    async fn put_away(&mut self) {
        if !self.await_unconfirmed().await {
            // A roll was answered but could not be written; the next opening reports its number as lost.
            self.table = None;
        }
        let closing = self.table.take().and_then(|table| Some((table.lane(), table.close()?)));
        let (lane, mut batch) = closing.map_or_else(Default::default, |(lane, batch)| (Some(lane), batch));
        std::mem::take(&mut self.passed).into_iter().for_each(|key| batch.delete(key));
        if !batch.is_empty()
            && let Err(error) = durable(self.running.host().committer().submit(lane, batch)).await
        {
            tracing::error!(table = %self.id, %error, "the table was not put away in order");
        }
    }

    fn say(&self, outgoing: Outgoing, busy: &Busy) {
        if let Some(side) = self.running.side(&outgoing.post.room.network)
            && side.outgoing.send(ToSay::Post(Box::new(outgoing), busy.on(&side.work))).is_err()
        {
            tracing::error!(table = %self.id, "the sender ended early; the answer will be said after the next start");
        }
    }

    /// Tells the sender, without using the store, that their command was not played.
    fn apologise(&self, event: &Event, busy: &Busy, text: &str) {
        let (Event::Said(message) | Event::Edited { message, .. }) = event else {
            return;
        };
        let post = left::sorry(message, text);
        self.say(Outgoing::unstored(post), busy);
    }
}

/// The network on which an event happened, whose guarantees it has.
pub(super) fn said_on(event: &Event) -> &str {
    event.message().map_or(&event.room().network, |message| &message.said_in().network)
}

/// Lets the table hear an event. Returns `None` if that panics. Long work leaves the thread that plays other tables;
/// this table's next event waits for it all the same.
async fn hear(
    mut table: Table,
    (bot, host): (&Bot, &Arc<Host>),
    (event, lines): (&Event, Vec<CommandLine>),
    network: Guarantees,
) -> Result<Option<(Table, Heard)>, StoreError> {
    if bot.pace.long_work() == LongWork::Here || !table.may_take_long(host, event, &lines) {
        // Whatever a panic leaves half done is discarded with the table.
        let heard = catch_unwind(AssertUnwindSafe(|| table.hear(host, event, &lines, network)));
        return heard.ok().transpose().map(|heard| heard.map(|heard| (table, heard)));
    }
    let (host, event) = (host.clone(), event.clone());
    let heard =
        tokio::task::spawn_blocking(move || table.hear(&host, &event, &lines, network).map(|heard| (table, heard)))
            .await;
    match heard {
        Ok(heard) => heard.map(Some),
        Err(ended) if ended.is_panic() => Ok(None),
        Err(_) => Err(StoreError::Unavailable("the bot is stopping".to_owned())),
    }
}

async fn durable(ticket: Ticket) -> Result<(), StoreError> {
    ticket.await.unwrap_or_else(|_| Err(StoreError::Unavailable("the bot is stopping".to_owned())))
}

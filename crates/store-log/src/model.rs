//! A disk in memory that forgets and fails as real ones do, for tests and simulations: the same chances give the same disk.
//!
//! What was written and not synced is kept, lost or torn at a power cut, sector by sector. What a sync failed for stays to be
//! read until then, and no later sync makes it durable.

use crate::disk::{Disk, DiskFile};
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes that a power cut keeps or loses as one.
const SECTOR: usize = 512;

/// A number below the one that it is asked for.
pub type Chance = Box<dyn FnMut(u64) -> u64 + Send>;

/// What may go wrong with one step on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It fails, and a write or sync may be done in part.
    Fails,
    /// The power goes: neither this nor any later step is done before [`Model::power_cut`].
    PowerGoes,
}

/// A disk in memory. Clones are the same disk.
#[derive(Clone)]
pub struct Model(Arc<Mutex<State>>);

struct State {
    chance: Chance,
    /// Steps until one goes wrong, and how.
    fault: Option<(u64, Fault)>,
    off: bool,
    files: Vec<Content>,
    names: BTreeMap<String, usize>,
    /// The names as they were at each step since they were last synced, the oldest first.
    before: Vec<BTreeMap<String, usize>>,
}

#[derive(Clone, Default)]
struct Content {
    /// As it is read.
    now: Vec<u8>,
    /// As it is after a power cut at the least.
    durable: Vec<u8>,
    /// Written since the last sync, and written before a sync that failed.
    unsynced: Vec<Write>,
    doomed: Vec<Write>,
}

#[derive(Clone)]
enum Write {
    Bytes(u64, Vec<u8>),
    Cut(u64),
}

struct File {
    disk: Model,
    number: usize,
}

impl Model {
    /// An empty disk.
    pub fn new(chance: Chance) -> Self {
        let names = BTreeMap::new();
        let before = vec![names.clone()];
        Model(Arc::new(Mutex::new(State { chance, fault: None, off: false, files: Vec::new(), names, before })))
    }

    /// Lets the step behind `steps` others go wrong, and no other.
    pub fn fault(&self, steps: u64, fault: Fault) {
        self.state().fault = Some((steps, fault));
    }

    /// Whether the step that was to go wrong is still to come.
    pub fn is_waiting_for_a_fault(&self) -> bool {
        self.state().fault.is_some()
    }

    /// Cuts the power off, and switches it on again: what was not synced is kept, lost or torn.
    pub fn power_cut(&self) {
        let mut state = self.state();
        let state = &mut *state;
        (state.off, state.fault) = (false, None);
        let mut names = state.before.clone();
        names.push(state.names.clone());
        let kept = usize::try_from((state.chance)(names.len() as u64)).unwrap_or(0);
        state.names = names.swap_remove(kept);
        state.before = vec![state.names.clone()];
        for file in &mut state.files {
            file.power_cut(&mut state.chance);
        }
    }

    /// Flips a bit of a file; whether there was one.
    pub fn flip(&self, name: &str, bit: u64) -> bool {
        let mut state = self.state();
        let Some(number) = state.names.get(name).copied() else { return false };
        let file = &mut state.files[number];
        let at = usize::try_from(bit / 8).unwrap_or(usize::MAX);
        let Some(byte) = file.now.get_mut(at) else { return false };
        *byte ^= 1 << (bit % 8);
        if let Some(byte) = file.durable.get_mut(at) {
            *byte ^= 1 << (bit % 8);
        }
        true
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// A step on the disk, which may go wrong.
    fn step(&mut self) -> io::Result<()> {
        let failed = |off| Err(io::Error::other(if off { "the power is off" } else { "on purpose" }));
        if self.off {
            return failed(true);
        }
        match &mut self.fault {
            Some((0, fault)) => {
                self.off = *fault == Fault::PowerGoes;
                self.fault = None;
                failed(self.off)
            }
            Some((steps, _)) => {
                *steps -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn change_names(&mut self, change: impl FnOnce(&mut BTreeMap<String, usize>)) {
        self.before.push(self.names.clone());
        change(&mut self.names);
    }
}

impl Content {
    fn power_cut(&mut self, chance: &mut Chance) {
        let mut kept = std::mem::take(&mut self.durable);
        let unsynced = std::mem::take(&mut self.unsynced);
        for write in std::mem::take(&mut self.doomed).into_iter().chain(unsynced) {
            match chance(4) {
                0 => {}
                1 => write.torn(&mut kept, chance),
                _ => write.done(&mut kept),
            }
        }
        self.now.clone_from(&kept);
        self.durable = kept;
    }
}

impl Write {
    fn done(&self, content: &mut Vec<u8>) {
        match self {
            Write::Cut(length) => content.truncate(usize::try_from(*length).unwrap_or(usize::MAX)),
            Write::Bytes(offset, bytes) => put(content, *offset, bytes),
        }
    }

    /// Some of its sectors are written.
    fn torn(&self, content: &mut Vec<u8>, chance: &mut Chance) {
        let Write::Bytes(offset, bytes) = self else { return };
        let mut at = 0;
        while at < bytes.len() {
            let in_sector = usize::try_from((offset + at as u64) % SECTOR as u64).unwrap_or(0);
            let end = (at + SECTOR - in_sector).min(bytes.len());
            if chance(2) == 0 {
                put(content, offset + at as u64, &bytes[at..end]);
            }
            at = end;
        }
    }
}

fn put(content: &mut Vec<u8>, offset: u64, bytes: &[u8]) {
    let offset = usize::try_from(offset).expect("a disk in memory is small");
    if content.len() < offset + bytes.len() {
        content.resize(offset + bytes.len(), 0);
    }
    content[offset..offset + bytes.len()].copy_from_slice(bytes);
}

fn no_such_file() -> io::Error {
    io::Error::from(io::ErrorKind::NotFound)
}

impl Disk for Model {
    fn list(&self) -> io::Result<Vec<String>> {
        Ok(self.state().names.keys().cloned().collect())
    }

    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        let mut state = self.state();
        state.step()?;
        let number = match state.names.get(name).copied() {
            Some(number) => number,
            None => {
                state.files.push(Content::default());
                let number = state.files.len() - 1;
                state.change_names(|names| {
                    names.insert(name.to_owned(), number);
                });
                number
            }
        };
        Ok(Arc::new(File { disk: self.clone(), number }))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut state = self.state();
        state.step()?;
        let number = state.names.get(from).copied().ok_or_else(no_such_file)?;
        state.change_names(|names| {
            names.remove(from);
            names.insert(to.to_owned(), number);
        });
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let mut state = self.state();
        state.step()?;
        state.names.contains_key(name).then_some(()).ok_or_else(no_such_file)?;
        state.change_names(|names| {
            names.remove(name);
        });
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let mut state = self.state();
        state.step()?;
        state.before = vec![state.names.clone()];
        Ok(())
    }
}

impl File {
    /// Does something with the content, if the step does not go wrong; then `fails` may do a part of it.
    fn with<T>(
        &self,
        work: impl FnOnce(&mut Content) -> T,
        fails: impl FnOnce(&mut Content, &mut Chance),
    ) -> io::Result<T> {
        let mut state = self.disk.state();
        let state = &mut *state;
        let step = state.step();
        let content = &mut state.files[self.number];
        match step {
            Ok(()) => Ok(work(content)),
            Err(error) => {
                fails(content, &mut state.chance);
                Err(error)
            }
        }
    }

    fn write(&self, write: Write) -> io::Result<()> {
        let in_part = write.clone();
        self.with(
            |content| {
                write.done(&mut content.now);
                content.unsynced.push(write);
            },
            |content, chance| {
                if chance(2) == 0 {
                    in_part.done(&mut content.now);
                    content.unsynced.push(in_part);
                }
            },
        )
    }
}

impl DiskFile for File {
    fn length(&self) -> io::Result<u64> {
        Ok(self.disk.state().files[self.number].now.len() as u64)
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        let state = self.disk.state();
        let now = &state.files[self.number].now;
        let from = usize::try_from(offset).unwrap_or(usize::MAX).min(now.len());
        let read = into.len().min(now.len() - from);
        into[..read].copy_from_slice(&now[from..from + read]);
        Ok(read)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.write(Write::Bytes(offset, bytes.to_vec()))
    }

    fn cut(&self, length: u64) -> io::Result<()> {
        self.write(Write::Cut(length))
    }

    fn sync(&self) -> io::Result<()> {
        self.with(
            |content| {
                for write in std::mem::take(&mut content.unsynced) {
                    write.done(&mut content.durable);
                }
            },
            |content, _| {
                let unsynced = std::mem::take(&mut content.unsynced);
                content.doomed.extend(unsynced);
            },
        )
    }
}

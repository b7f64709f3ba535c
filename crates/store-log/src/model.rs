//! A disk in memory that forgets and fails like a real one, for tests and simulations. The same chances give the same
//! disk.
//!
//! At a power cut, unsynced writes are kept, lost or torn, sector by sector. Writes whose sync failed stay readable
//! until then, but no later sync makes them durable. A process that merely ends changes nothing.

mod content;

use crate::disk::{Disk, DiskFile};
use content::{Content, Write};
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Returns a number below its argument.
pub type Chance = Box<dyn FnMut(u64) -> u64 + Send>;

/// What can go wrong with a step on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It fails, and so do the following ones, this many in all. A failing write or sync may be done in part.
    Fails(u64),
    /// The power goes out: neither this nor any later step is done before [`Model::power_cut`].
    PowerGoes,
}

/// A disk in memory, as one process sees it. Clones are the same disk in the same process.
#[derive(Clone)]
pub struct Model {
    state: Arc<Mutex<State>>,
    process: u64,
}

struct State {
    chance: Chance,
    /// The number of steps until one goes wrong, and how.
    fault: Option<(u64, Fault)>,
    off: bool,
    /// True if there is no room for a new or longer file.
    full: bool,
    /// The only process that may act.
    process: u64,
    files: Vec<Content>,
    names: BTreeMap<String, usize>,
    /// The file names after each step since the last sync, oldest first.
    before: Vec<BTreeMap<String, usize>>,
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
        let (fault, off, full, process, files) = (None, false, false, 0, Vec::new());
        let state = State { chance, fault, off, full, process, files, names, before };
        Model { state: Arc::new(Mutex::new(state)), process }
    }

    /// Another disk with the same content, where nothing goes wrong yet.
    pub fn copy(&self, chance: Chance) -> Self {
        let state = self.state();
        let (files, names, before) = (state.files.clone(), state.names.clone(), state.before.clone());
        let (fault, off, full, process) = (None, false, false, 0);
        drop(state);
        let state = State { chance, fault, off, full, process, files, names, before };
        Model { state: Arc::new(Mutex::new(state)), process }
    }

    /// The disk for a process that begins now. Earlier processes have ended and can do nothing more; what they wrote
    /// stays readable.
    pub fn next_process(&self) -> Self {
        let mut state = self.state();
        state.process += 1;
        state.off = false;
        let process = state.process;
        drop(state);
        Model { state: self.state.clone(), process }
    }

    /// Makes the step after the next `steps` go wrong.
    pub fn fault(&self, steps: u64, fault: Fault) {
        self.state().fault = Some((steps, fault));
    }

    /// From now on there is no room for a new or longer file.
    pub fn fill(&self) {
        self.state().full = true;
    }

    /// Nothing goes wrong any more.
    pub fn heal(&self) {
        let mut state = self.state();
        (state.fault, state.full) = (None, false);
    }

    /// True if the faulty step is still to come.
    pub fn is_waiting_for_a_fault(&self) -> bool {
        self.state().fault.is_some()
    }

    /// True if the power is out.
    pub fn is_off(&self) -> bool {
        self.state().off
    }

    /// True if there is no room for anything new.
    pub fn is_full(&self) -> bool {
        self.state().full
    }

    /// True if this process can do nothing more, because it has ended or the power is out.
    pub fn is_gone(&self) -> bool {
        let state = self.state();
        state.off || state.process != self.process
    }

    /// A step of something else on the same disk, such as a database, which may go wrong like any other.
    ///
    /// # Errors
    /// It goes wrong.
    pub fn step(&self) -> io::Result<()> {
        self.state().step(self.process)
    }

    /// Cuts the power and switches it on again: unsynced writes are kept, lost or torn.
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

    /// The names of its files, even if a fault is set.
    pub fn names(&self) -> Vec<String> {
        self.state().names.keys().cloned().collect()
    }

    /// Flips a bit of a file. Returns true if the bit exists.
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
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Counts a step of a process on the disk, which may go wrong.
    fn step(&mut self, process: u64) -> io::Result<()> {
        if process != self.process {
            return Err(io::Error::other("the process has ended"));
        }
        if self.off {
            return Err(io::Error::other("the power is off"));
        }
        match &mut self.fault {
            None => return Ok(()),
            Some((steps @ 1.., _)) => {
                *steps -= 1;
                return Ok(());
            }
            Some((0, Fault::Fails(more @ 2..))) => *more -= 1,
            Some((0, fault)) => {
                self.off = *fault == Fault::PowerGoes;
                self.fault = None;
            }
        }
        Err(io::Error::other("on purpose"))
    }

    fn change_names(&mut self, change: impl FnOnce(&mut BTreeMap<String, usize>)) {
        self.before.push(self.names.clone());
        change(&mut self.names);
    }
}

fn full() -> io::Error {
    io::Error::from(io::ErrorKind::StorageFull)
}

fn no_such_file() -> io::Error {
    io::Error::from(io::ErrorKind::NotFound)
}

impl Disk for Model {
    fn list(&self) -> io::Result<Vec<String>> {
        let mut state = self.state();
        state.step(self.process)?;
        Ok(state.names.keys().cloned().collect())
    }

    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        let mut state = self.state();
        state.step(self.process)?;
        let number = match state.names.get(name).copied() {
            Some(number) => number,
            None if state.full => return Err(full()),
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
        state.step(self.process)?;
        let number = state.names.get(from).copied().ok_or_else(no_such_file)?;
        state.change_names(|names| {
            names.remove(from);
            names.insert(to.to_owned(), number);
        });
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let mut state = self.state();
        state.step(self.process)?;
        state.names.contains_key(name).then_some(()).ok_or_else(no_such_file)?;
        state.change_names(|names| {
            names.remove(name);
        });
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let mut state = self.state();
        state.step(self.process)?;
        state.before = vec![state.names.clone()];
        Ok(())
    }
}

impl File {
    /// Does something with the content if the step does not go wrong; otherwise `fails` may do part of it.
    fn with<T>(
        &self,
        work: impl FnOnce(&mut Content) -> T,
        fails: impl FnOnce(&mut Content, &mut Chance),
    ) -> io::Result<T> {
        let mut state = self.disk.state();
        let state = &mut *state;
        let gone = state.off || state.process != self.disk.process;
        let step = state.step(self.disk.process);
        let content = &mut state.files[self.number];
        match step {
            Ok(()) => Ok(work(content)),
            Err(error) if gone => Err(error),
            Err(error) => {
                fails(content, &mut state.chance);
                Err(error)
            }
        }
    }

    /// Checks that the disk has room for a write. If not, does as much of it as there is room for.
    fn has_room(&self, write: &Write) -> io::Result<()> {
        let mut state = self.disk.state();
        let state = &mut *state;
        let content = &mut state.files[self.number];
        let Write::Bytes(offset, bytes) = write else { return Ok(()) };
        let room = usize::try_from((content.now.len() as u64).saturating_sub(*offset)).unwrap_or(usize::MAX);
        if !state.full || state.off || state.process != self.disk.process || room >= bytes.len() {
            return Ok(());
        }
        let part = Write::Bytes(*offset, bytes[..room].to_vec());
        part.done(&mut content.now);
        content.unsynced.push(part);
        Err(full())
    }

    fn write(&self, write: Write) -> io::Result<()> {
        self.has_room(&write)?;
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
        self.with(|content| content.now.len() as u64, |_, _| ())
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        let read = |content: &mut Content| {
            let from = usize::try_from(offset).unwrap_or(usize::MAX).min(content.now.len());
            let read = into.len().min(content.now.len() - from);
            into[..read].copy_from_slice(&content.now[from..from + read]);
            read
        };
        self.with(read, |_, _| ())
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

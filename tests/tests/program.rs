//! The program as an operator runs it, its files, and attacks on its promises.

mod attack;
mod console;
mod control;
mod data_dir;
mod erasing;
mod exports;
mod guide;
mod journal;
mod kill;
mod line_chat;
mod links;
mod manual;
mod operators;
mod package;
mod pages;
mod read;

//! Schedules that a strategy chose.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bugs;
mod classes;
mod cost;
mod found;
mod free;
mod library;
mod limits;
mod minimized;
mod other_jvms;
mod outside;
mod populations;
mod processor;
mod share_ahead;
mod share_cost;
mod share_order;
mod shared;
mod shares;
mod stage;
mod values;

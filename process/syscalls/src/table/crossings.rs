//! What is no call of the kernel: the question of a C program that was cut, which
//! only a player answers. Linux has nothing at this number.

use super::plain;
use crate::shape::Call;

pub(super) const CALLS: &[Call] = &[plain(511, "crossing", 3)];

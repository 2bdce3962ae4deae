//! The recording.

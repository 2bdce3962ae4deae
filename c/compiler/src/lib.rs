//! `reprise cc` and `reprise cut`: a C compiler that keeps a whole program's
//! bitcode, and what computes and builds the boundary.
//!
//! Only the program `reprise-cc` needs LLVM's library, and is built with the feature
//! `llvm`. This part runs the compiler and the linker and knows what is kept where.
//!
//! | question | file |
//! | --- | --- |
//! | what does the compiler wrapper add? | `wrapper.rs` |
//! | what is kept beside a program? | `kept.rs` |
//! | how is a program built again from other bitcode? | `link.rs` |
//! | what is asked of `reprise-cc`, and what does it answer? | `request.rs` |
//! | bitcode: what does it say, what is inserted? | `main.rs` and below |

pub mod kept;
pub mod link;
pub mod request;
pub mod wrapper;

/// The compiler that is used.
pub const COMPILER: &str = "clang-19";

/// What `reprise`, `reprise-cc` and the runtime have to agree about: requests, and what
/// inserted code calls. `reprise-cc PROTOCOL_QUESTION` answers with it.
pub const PROTOCOL: u32 = 4;

/// The same.
pub const PROTOCOL_QUESTION: &str = "protocol";

/// What has to be installed.
pub const PACKAGES: &str = "clang-19 lld-19 llvm-19";

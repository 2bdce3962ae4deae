//! Who numbers methods and sites: the agent, which also writes the tables.

/// Hands out numbers while a class is being instrumented.
pub trait Catalog {
    /// A method of the class, by its access flags, name and descriptor.
    fn method(&mut self, access: u16, name: &str, descriptor: &str) -> u32;
    /// An instruction that may cross the boundary.
    fn site(&mut self, site: &Site<'_>) -> u32;
    /// What is directly above a class of the program, its superclass and its
    /// interfaces, as far as that is known already.
    fn above(&self, _class: &str) -> Option<Vec<String>> {
        None
    }
    /// Whether a field, looked for from this class on, is a volatile one of an
    /// inside class. Only a replay knows all classes beforehand.
    fn is_volatile(&self, _owner: &str, _name: &str, _descriptor: &str) -> bool {
        false
    }
}

/// An instruction that may cross the boundary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Site<'s> {
    /// The number of its method.
    pub method: u32,
    /// Its offset in the original code.
    pub offset: u32,
    /// Its source line; 0 when unknown.
    pub line: u32,
    /// Its opcode.
    pub opcode: u8,
    /// The class it names.
    pub owner: &'s str,
    /// The member it names; empty for `new`.
    pub name: &'s str,
    /// The member's descriptor; `V` for `new`.
    pub descriptor: &'s str,
}

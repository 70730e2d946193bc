//! The askhub program.

fn main() {}

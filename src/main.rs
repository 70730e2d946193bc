//! The askhub program.

use std::process::ExitCode;

/// Thousands of waits come and go: it gives memory back and fragments less than the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    askhub::cli::main()
}

//! Randomness that can be had again: a test prints the seed it ran with.

use rand::SeedableRng as _;
use rand::rngs::StdRng;

/// Put a seed that was printed here to run with it again.
const REPEAT: Option<u64> = None;

/// A generator with a new seed, which is printed: a failing test shows what it printed.
pub fn random(test: &str) -> StdRng {
    let seed = REPEAT.unwrap_or_else(rand::random);
    println!("{test}: seed {seed}");
    StdRng::seed_from_u64(seed)
}

//! askhub from the outside: one binary for all integration tests, so that it is linked once.

mod dialect;

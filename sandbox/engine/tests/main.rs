//! Tests with a running server.

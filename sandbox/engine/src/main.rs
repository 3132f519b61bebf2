//! The sandbox as a program.

fn main() {}

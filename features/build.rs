//! Cargo looks at build dependencies where there is a build script only.

fn main() {}

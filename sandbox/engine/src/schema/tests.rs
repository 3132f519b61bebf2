//! Tests of the schemas. `corpus` runs over real contracts.

mod corpus;

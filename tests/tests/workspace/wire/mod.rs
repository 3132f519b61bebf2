//! Generated operations of every shape: the exact request, and what is made of each answer.

mod bodies;
mod parameters;
mod responses;

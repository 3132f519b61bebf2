//! Generated operations of every shape: the exact request, and the result of each answer.

#[cfg(has = "wire/bodies")]
mod bodies;
#[cfg(has = "wire/parameters")]
mod parameters;
#[cfg(has = "wire/responses")]
mod responses;

//! Threads with room for contracts of any depth.

use std::cell::Cell;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread::{self, Builder};

use crate::{Problem, Report};

/// Schemas recurse as deep as their authors like, and so do the libraries that read them.
pub(crate) const STACK: usize = 256 * 1024 * 1024;

thread_local! {
    static HAS_ROOM: Cell<bool> = const { Cell::new(false) };
}

/// Runs a program on a thread with room for contracts of any depth: its stack is 256 MiB. Calls from threads that `program` starts do
/// not run on it.
///
/// Other functions of this crate start such a thread where they need one. On this one they do not: an allocator that has memory for each
/// thread, as that of glibc, then gives the memory of one step to the next.
///
/// ```
/// let address = driftless_codegen::room(|| driftless_codegen::address(b"openapi: 3.0.4\npaths: {}\nservers: [{url: /api}]"));
/// assert_eq!(address.unwrap().as_deref(), Some("/api"));
/// ```
///
/// # Errors
///
/// The system does not start the thread, or cannot reserve its stack.
///
/// # Panics
///
/// The program panics.
pub fn room<T: Send>(program: impl FnOnce() -> T + Send) -> io::Result<T> {
    let roomy = || {
        HAS_ROOM.set(true);
        program()
    };
    thread::scope(|scope| {
        let thread = Builder::new().name("room".to_owned()).stack_size(STACK).spawn_scoped(scope, roomy)?;
        Ok(thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// Runs a step where there is room for it. A panic is a problem of the generator.
pub(crate) fn with_room<T: Send>(step: &(dyn Fn() -> Result<T, Report> + Sync)) -> Result<T, Report> {
    if HAS_ROOM.get() {
        return catch_unwind(AssertUnwindSafe(step)).unwrap_or_else(|_| Err(Report::from(stopped())));
    }
    thread::scope(|scope| {
        let builder = Builder::new().name("codegen".to_owned()).stack_size(STACK);
        match builder.spawn_scoped(scope, step) {
            Ok(thread) => thread.join().unwrap_or_else(|_| Err(Report::from(stopped()))),
            // Without a thread of its own, the common stack has to do.
            Err(_) => step(),
        }
    })
}

fn stopped() -> Problem {
    Problem {
        code: "generate/stopped",
        document: "contract".to_owned(),
        pointer: None,
        position: None,
        message: "the generator stopped in the middle".to_owned(),
        hint: "this is a defect of the generator: please report it with the contract".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{room, with_room};
    use crate::Report;

    #[test]
    fn a_panic_is_a_problem_on_either_thread() {
        let step = || -> Result<(), Report> { panic!("a test") };
        let code = || with_room(&step).map_err(|report| report.problems()[0].code);
        assert_eq!(code(), Err("generate/stopped"));
        assert_eq!(room(code).expect("a thread"), Err("generate/stopped"));
    }

    #[test]
    fn steps_of_a_program_share_its_thread() {
        let thread = || with_room(&|| Ok(std::thread::current().id())).expect("no problem");
        assert_ne!(thread(), std::thread::current().id());
        assert_eq!(room(|| thread() == std::thread::current().id()).ok(), Some(true));
    }
}

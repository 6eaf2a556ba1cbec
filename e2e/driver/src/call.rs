//! A call from the program: its fault, its time in the log, its answer.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::answer::{Answer, Code};
use crate::{clock, fault, log};

/// Runs the body of the call `name`.
pub(crate) fn call(name: &'static str, body: impl FnOnce() -> Answer) -> u32 {
    let begin_ns = clock::host_ns();
    let answer = fault::before(name).and_then(|()| {
        // A panic must not leave a function that C calls.
        catch_unwind(AssertUnwindSafe(body)).unwrap_or(Err(Code::UNKNOWN))
    });
    let code = answer.map_or_else(|code| code.0, |()| 0);
    log::call(name, begin_ns, clock::host_ns(), code);
    code
}

/// Functions of the interface: the first name is ours, the second the interface's.
macro_rules! calls {
    ($($(#[$note:meta])* fn $name:ident $text:literal ($($arg:ident: $kind:ty),* $(,)?) $body:block)*) => {
        $(
            $(#[$note])*
            pub(crate) extern "C" fn $name($($arg: $kind),*) -> u32 {
                $crate::call::call($text, || -> $crate::answer::Answer {
                    $body
                    Ok(())
                })
            }
        )*
    };
}
pub(crate) use calls;

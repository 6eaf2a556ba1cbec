//! Return addresses on the calling thread's stack, from the unwind tables of the loaded files.
//!
//! The rule that finds the caller of an address is read from the tables when the address first appears, and cached for
//! all threads. After that a frame costs a table lookup and two reads of the stack. Besides the thread's own stack only
//! those tables are read, and only while the loader's list of files can't change.

mod modules;
mod rule;
mod rules;

use std::arch::asm;
use std::cell::Cell;
use std::mem::MaybeUninit;

pub(crate) use modules::{LoadedModule, modules_of};
use rule::{Base, Rule, Saved};

/// Maximum number of recorded frames, the innermost ones.
pub(crate) const MAX_FRAMES: usize = 256;

/// Return addresses, the innermost one first.
pub(crate) struct ReturnAddresses {
    addresses: [MaybeUninit<u64>; MAX_FRAMES],
    count: usize,
    /// True if the outermost frame was reached.
    pub(crate) is_whole: bool,
    /// A number that changes if other files may be mapped at the same addresses.
    pub(crate) generation: u64,
}

#[derive(Clone, Copy)]
struct Bounds {
    begin: u64,
    end: u64,
    /// Distance of the words from their addresses: 0 except for a copy.
    shift: u64,
}

/// A thread at one moment: its registers, and a copy of its stack from the stack pointer on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stopped<'a> {
    pub(crate) instruction: u64,
    pub(crate) stack: u64,
    /// 0 if unknown.
    pub(crate) frame: u64,
    pub(crate) copy: &'a [u64],
}

thread_local! {
    /// The thread's stack, after the first request; empty if unknown.
    static BOUNDS: Cell<Option<Bounds>> = const { Cell::new(None) };
}

#[derive(Clone, Copy)]
struct Registers {
    instruction: u64,
    stack: u64,
    frame: u64,
}

/// Reads the registers of the calling function.
macro_rules! registers {
    () => {{
        let (instruction, stack, frame): (u64, u64, u64);
        // SAFETY: reads three registers.
        unsafe {
            asm!(
                "lea {instruction}, [rip]",
                "mov {stack}, rsp",
                "mov {frame}, rbp",
                instruction = out(reg) instruction,
                stack = out(reg) stack,
                frame = out(reg) frame,
                options(nomem, nostack, preserves_flags),
            );
        }
        Registers { instruction, stack, frame }
    }};
}

impl ReturnAddresses {
    pub(crate) fn addresses(&self) -> &[u64] {
        // SAFETY: this number of addresses was written, and they are numbers.
        unsafe { std::slice::from_raw_parts(self.addresses.as_ptr().cast(), self.count) }
    }

    #[inline(never)]
    pub(crate) fn here<T>(with: impl FnOnce(&Self) -> T) -> T {
        let registers = registers!();
        let bounds = bounds().map(|bounds| Bounds { begin: registers.stack, ..bounds });
        with(&Self::walked(registers, bounds, None))
    }

    /// Calls `with` with the addresses of another thread's frames: the address of its next instruction, and the return
    /// addresses.
    pub(crate) fn read<T>(thread: Stopped<'_>, with: impl FnOnce(&Self) -> T) -> T {
        let Stopped { instruction, stack, frame, copy } = thread;
        let shift = (copy.as_ptr() as u64).wrapping_sub(stack);
        let end = stack.saturating_add(8 * copy.len() as u64);
        // Names are looked up before a return address.
        let first = instruction.wrapping_add(1);
        let registers = Registers { instruction, stack, frame };
        with(&Self::walked(registers, Some(Bounds { begin: stack, end, shift }), Some(first)))
    }

    #[inline(always)]
    fn walked(from: Registers, bounds: Option<Bounds>, first: Option<u64>) -> Self {
        let mut found = Self {
            addresses: [const { MaybeUninit::uninit() }; MAX_FRAMES],
            count: 0,
            is_whole: false,
            generation: rules::generation(),
        };
        found.walk(from, bounds, first);
        if rules::generation() != found.generation {
            // Files were loaded or unloaded since the rules were read: the rules of the first frames may be outdated.
            found.generation = rules::generation();
            found.walk(from, bounds, first);
        }
        found
    }

    /// Returns a hash of the stack's contents.
    pub(crate) fn number(&self) -> u64 {
        let begin = self.generation << 1 | u64::from(self.is_whole);
        self.addresses().iter().fold(begin, |number, address| mixed(number, *address))
    }

    fn walk(&mut self, mut at: Registers, bounds: Option<Bounds>, first: Option<u64>) {
        (self.count, self.is_whole) = (0, false);
        if let Some(address) = first {
            self.addresses[0].write(address);
            self.count = 1;
        }
        let Some(bounds) = bounds.filter(|bounds| bounds.holds(at.stack)) else { return };
        // Return addresses are looked up one byte earlier, because a call may be the last instruction of its function.
        let mut place = at.instruction;
        while self.count < MAX_FRAMES {
            let rule = rules::rule(place);
            if rule.is_outermost() {
                self.is_whole = true;
                return;
            }
            let Some(caller) = bounds.caller(at, rule) else { return };
            if caller.instruction == 0 {
                self.is_whole = true;
                return;
            }
            self.addresses[self.count].write(caller.instruction);
            self.count += 1;
            at = caller;
            place = caller.instruction - 1;
        }
    }
}

impl Bounds {
    #[inline]
    fn holds(self, address: u64) -> bool {
        (self.begin..self.end).contains(&address)
    }

    #[inline]
    fn read(self, address: u64) -> Option<u64> {
        let is_in = address >= self.begin && address <= self.end.wrapping_sub(8) && address.is_multiple_of(8);
        // SAFETY: a word between the thread's own stack pointer and the end of its stack, or of a copy of that.
        is_in.then(|| unsafe { *(address.wrapping_add(self.shift) as *const u64) })
    }

    #[inline]
    fn caller(self, at: Registers, rule: Rule) -> Option<Registers> {
        let base = match rule.base() {
            Base::Stack => at.stack.wrapping_add_signed(rule.offset()),
            Base::Frame => at.frame.wrapping_add_signed(rule.offset()),
            Base::BehindFrame => self.read(at.frame.wrapping_add_signed(rule.offset()))?,
            Base::Unknown => return self.caller_by_frame(at),
        };
        // The stack grows downwards.
        if base <= at.stack {
            return None;
        }
        let frame = match rule.saved() {
            Saved::Same => at.frame,
            Saved::At(offset) => self.read(base.wrapping_add_signed(offset))?,
            Saved::BehindFrame(offset) => self.read(at.frame.wrapping_add_signed(offset))?,
        };
        Some(Registers { instruction: self.read(base.wrapping_sub(8))?, stack: base, frame })
    }

    /// Returns the caller of code without tables, such as a just-in-time compiler's, if it keeps frame pointers.
    #[cold]
    fn caller_by_frame(self, at: Registers) -> Option<Registers> {
        let frame = self.read(at.frame).filter(|_| at.frame >= at.stack)?;
        let instruction = self.read(at.frame + 8)?;
        let is_code = rules::rule(instruction.wrapping_sub(1)).is_known();
        is_code.then_some(Registers { instruction, stack: at.frame + 16, frame })
    }
}

/// Returns a hash that depends on all bits of both.
#[inline]
pub(crate) fn mixed(number: u64, word: u64) -> u64 {
    let mixed = (number ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 29
}

/// Returns the bounds of the calling thread's stack, both 0 if unknown.
pub(crate) fn own_bounds() -> (u64, u64) {
    bounds().map_or((0, 0), |bounds| (bounds.begin, bounds.end))
}

#[inline]
fn bounds() -> Option<Bounds> {
    BOUNDS.get().or_else(find_bounds)
}

#[cold]
fn find_bounds() -> Option<Bounds> {
    let mut bounds = Bounds { begin: 0, end: 0, shift: 0 };
    // The C library reads a file for the main thread's. SAFETY: valid places for the results; the attributes are
    // destroyed.
    super::without_cancellation(|| unsafe {
        let mut attributes: libc::pthread_attr_t = std::mem::zeroed();
        if libc::pthread_getattr_np(libc::pthread_self(), &mut attributes) == 0 {
            let (mut begin, mut bytes) = (std::ptr::null_mut(), 0);
            if libc::pthread_attr_getstack(&attributes, &mut begin, &mut bytes) == 0 {
                let end = (begin as u64).saturating_add(bytes as u64);
                bounds = Bounds { begin: begin as u64, end, shift: 0 };
            }
            libc::pthread_attr_destroy(&mut attributes);
        }
    });
    BOUNDS.set(Some(bounds));
    Some(bounds)
}

#[cfg(test)]
mod tests {
    use super::super::callers::Callers;
    use super::*;

    #[inline(never)]
    fn deep(depth: usize, check: &mut dyn FnMut()) {
        if depth == 0 {
            check();
        } else {
            deep(depth - 1, check);
            std::hint::black_box(depth);
        }
    }

    /// Returns the addresses from the standard library's unwinder, and ours, starting at the same function.
    #[inline(never)]
    fn both() -> (Vec<u64>, Vec<u64>, bool) {
        let theirs = Callers::here().addresses().to_vec();
        let (ours, is_whole) = ReturnAddresses::here(|found| (found.addresses().to_vec(), found.is_whole));
        (theirs, ours, is_whole)
    }

    #[test]
    fn addresses_are_those_of_the_standard_librarys_unwinder() {
        for depth in [0, 1, 5, 12] {
            deep(depth, &mut || {
                let (theirs, ours, is_whole) = both();
                assert!(is_whole);
                // The two calls return to different addresses in `both`, which has a single caller.
                let first =
                    theirs.iter().position(|address| ours.contains(address)).expect("the same frames");
                let theirs = &theirs[first..];
                let shift = ours.iter().position(|address| *address == theirs[0]).unwrap();
                assert!(first <= 2 && shift <= 2, "{first} {shift}");
                let common = theirs.len().min(ours.len() - shift);
                assert_eq!(theirs[..common], ours[shift..shift + common]);
            });
        }
    }

    #[test]
    fn a_deep_recursion_is_cut() {
        deep(1000, &mut || {
            let (count, is_whole) = ReturnAddresses::here(|found| (found.addresses().len(), found.is_whole));
            assert_eq!((count, is_whole), (MAX_FRAMES, false));
        });
    }

    #[test]
    fn each_thread_has_a_stack_of_its_own() {
        let count = || ReturnAddresses::here(|found| (found.addresses().len(), found.is_whole));
        let (there, is_whole) = std::thread::spawn(count).join().unwrap();
        assert!(there > 2 && is_whole);
    }

    #[test]
    fn frames_are_found_in_a_copy_of_a_stack() {
        deep(5, &mut || {
            let Registers { instruction, stack, frame } = registers!();
            let words = (own_bounds().1 - stack) as usize / 8;
            // SAFETY: the thread's own stack, from its pointer to its end.
            let copy = unsafe { std::slice::from_raw_parts(stack as *const u64, words) }.to_vec();
            let read = |copy: &[u64]| {
                let stopped = Stopped { instruction, stack, frame, copy };
                ReturnAddresses::read(stopped, |found| (found.addresses().to_vec(), found.is_whole))
            };
            let (whole, is_whole) = read(&copy);
            assert!(is_whole && whole[0] == instruction + 1);
            ReturnAddresses::here(|here| assert!(here.addresses().ends_with(&whole[2..])));
            // For a part of the stack, the frames within it.
            let (part, is_whole) = read(&copy[..24]);
            assert!(!is_whole && part.len() < whole.len() && whole.starts_with(&part));
            assert_eq!(read(&[]), (vec![instruction + 1], false));
        });
    }

    #[test]
    fn nothing_outside_of_the_stack_is_read() {
        let bounds = Bounds { begin: 4096, end: 8192, shift: 0 };
        for address in [0, 4088, 4097, 8185, 8192, u64::MAX - 3, u64::MAX - 7] {
            assert_eq!(bounds.read(address), None, "{address}");
        }
        let at = Registers { instruction: 1, stack: 4096, frame: 4096 };
        assert!(bounds.caller(at, Rule::new(Base::Stack, -8, Saved::Same)).is_none(), "the stack would grow");
        assert!(bounds.caller(at, Rule::new(Base::Stack, 1 << 20, Saved::Same)).is_none(), "beyond its end");
    }
}

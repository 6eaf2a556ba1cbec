//! Unwind rules by address: from the unwind tables of the loaded files, cached for all threads.

use std::sync::atomic::{AtomicU64, Ordering};

use gimli::{
    BaseAddresses, CfaRule, EhFrame, EhFrameHdr, EndianSlice, Expression, NativeEndian, Operation,
    Reader as _, Register, RegisterRule, UnwindContext, UnwindContextStorage, UnwindExpression,
    UnwindSection as _, UnwindTableRow, X86_64,
};

use super::modules::{Found, find};
use super::rule::{Base, Rule, Saved};

type Slice<'a> = EndianSlice<'a, NativeEndian>;

/// Number of cached addresses; a new one replaces another.
const REMEMBERED: usize = 1 << 14;

/// A rule, and its combination with the key of its address: another thread may have written one of the two.
struct Place {
    check: AtomicU64,
    rule: AtomicU64,
}

static PLACES: [Place; REMEMBERED] =
    [const { Place { check: AtomicU64::new(0), rule: AtomicU64::new(0) } }; REMEMBERED];
static GENERATION: AtomicU64 = AtomicU64::new(0);

/// Returns a number that changes when files are loaded or unloaded: then an address may have other code.
#[inline]
pub(super) fn generation() -> u64 {
    GENERATION.load(Ordering::Relaxed)
}

#[inline]
pub(super) fn rule(address: u64) -> Rule {
    let generation = generation();
    let key = key(address, generation);
    let place = &PLACES[(key >> (u64::BITS - REMEMBERED.trailing_zeros())) as usize];
    let (check, rule) = (place.check.load(Ordering::Relaxed), place.rule.load(Ordering::Relaxed));
    if check ^ rule == key { Rule::of_word(rule) } else { look_up(address) }
}

#[inline]
fn key(address: u64, generation: u64) -> u64 {
    // Never zero for an address, and different for different addresses of one generation.
    (address ^ generation << 47).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cold]
#[inline(never)]
fn look_up(address: u64) -> Rule {
    let mut rule = Rule::UNKNOWN;
    let changes = find(address, |module| rule = read(module, address).unwrap_or(Rule::UNKNOWN));
    let generation = changes & ((1 << 16) - 1) | 1 << 16;
    GENERATION.store(generation, Ordering::Relaxed);
    let key = key(address, generation);
    let place = &PLACES[(key >> (u64::BITS - REMEMBERED.trailing_zeros())) as usize];
    place.check.store(key ^ rule.word(), Ordering::Relaxed);
    place.rule.store(rule.word(), Ordering::Relaxed);
    rule
}

/// Storage for the registers of a row, without the allocator.
struct OnStack;

impl UnwindContextStorage<usize> for OnStack {
    type Rules = [(Register, RegisterRule<usize>); 192];
    type Stack = [UnwindTableRow<usize, Self>; 4];
}

fn read(module: &Found<'_>, address: u64) -> Option<Rule> {
    let header = EndianSlice::new(module.header, NativeEndian);
    let bases = BaseAddresses::default().set_eh_frame_hdr(module.header_at);
    let parsed = EhFrameHdr::from(header).parse(&bases, 8).ok()?;
    let at = parsed.eh_frame_ptr().direct().ok()?;
    let frames = module.bytes_from(at)?;
    let bases = bases.set_eh_frame(at);
    let frames = EhFrame::from(EndianSlice::new(frames, NativeEndian));
    let table = parsed.table()?;
    let entry = table.fde_for_address(&frames, &bases, address, EhFrame::cie_from_offset).ok()?;
    if entry.cie().is_signal_trampoline() {
        return None;
    }
    let mut context = UnwindContext::<usize, OnStack>::new_in();
    let row = entry.unwind_info_for_address(&frames, &bases, &mut context, address).ok()?;
    rule_of(row, &|expression| expression.get(&frames).ok())
}

type Read<'r, 'a> = &'r dyn Fn(&UnwindExpression<usize>) -> Option<Expression<Slice<'a>>>;

fn rule_of(row: &UnwindTableRow<usize, OnStack>, expression: Read<'_, '_>) -> Option<Rule> {
    match row.register(X86_64::RA) {
        RegisterRule::Undefined => return Some(Rule::OUTERMOST),
        RegisterRule::Offset(-8) => {}
        _ => return None,
    }
    let (base, offset) = match row.cfa() {
        CfaRule::RegisterAndOffset { register, offset } if *register == X86_64::RSP => (Base::Stack, *offset),
        CfaRule::RegisterAndOffset { register, offset } if *register == X86_64::RBP => (Base::Frame, *offset),
        CfaRule::RegisterAndOffset { .. } => return None,
        CfaRule::Expression(found) => match by_frame(expression(found)?)? {
            (offset, true) => (Base::BehindFrame, offset),
            (offset, false) => (Base::Frame, offset),
        },
    };
    let saved = match row.register(X86_64::RBP) {
        RegisterRule::Offset(offset) => Saved::At(offset),
        RegisterRule::Expression(found) => match by_frame(expression(&found)?)? {
            (offset, false) => Saved::BehindFrame(offset),
            _ => return None,
        },
        _ => Saved::Same,
    };
    Some(Rule::new(base, offset, saved))
}

/// Returns the offset from the frame pointer in an expression, and true if it denotes the word there.
fn by_frame(expression: Expression<Slice<'_>>) -> Option<(i64, bool)> {
    let mut bytes = expression.0;
    let encoding = gimli::Encoding { address_size: 8, format: gimli::Format::Dwarf32, version: 4 };
    let Operation::RegisterOffset { register: X86_64::RBP, offset, .. } =
        Operation::parse(&mut bytes, encoding).ok()?
    else {
        return None;
    };
    if bytes.is_empty() {
        return Some((offset, false));
    }
    let is_read = matches!(Operation::parse(&mut bytes, encoding), Ok(Operation::Deref { size: 8, .. }));
    (is_read && bytes.is_empty()).then_some((offset, true))
}

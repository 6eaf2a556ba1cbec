//! The processor's time stamp counter.

/// Returns the counter's value. Meaningful only if [`is_reliable`] is true.
#[inline(always)]
pub(crate) fn counter() -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every processor of this architecture has the instruction.
    unsafe {
        std::arch::x86_64::_rdtsc()
    }
    #[cfg(not(target_arch = "x86_64"))]
    0
}

/// True if the counter runs at a constant speed on all cores in every state, and the kernel uses it for its own clock.
pub(crate) fn is_reliable() -> bool {
    const CLOCK_SOURCE: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    is_invariant() && std::fs::read_to_string(CLOCK_SOURCE).is_ok_and(|name| name.trim() == "tsc")
}

#[cfg(target_arch = "x86_64")]
fn is_invariant() -> bool {
    const HIGHEST: u32 = 0x8000_0000;
    const POWER: u32 = 0x8000_0007;
    const INVARIANT: u32 = 1 << 8;
    cpuid(HIGHEST).0 >= POWER && cpuid(POWER).1 & INVARIANT != 0
}

#[cfg(not(target_arch = "x86_64"))]
fn is_invariant() -> bool {
    false
}

/// Returns `eax` and `edx` of a leaf. (The standard library's function is safe or not, by version.)
#[cfg(target_arch = "x86_64")]
fn cpuid(leaf: u32) -> (u32, u32) {
    let (eax, edx): (u32, u32);
    // SAFETY: the instruction writes four registers: three are declared, the fourth is reserved by the compiler and
    // restored.
    unsafe {
        std::arch::asm!(
            "mov {kept:r}, rbx",
            "cpuid",
            "mov rbx, {kept:r}",
            kept = out(reg) _,
            inout("eax") leaf => eax,
            inout("ecx") 0_u32 => _,
            out("edx") edx,
            options(nostack),
        );
    }
    (eax, edx)
}

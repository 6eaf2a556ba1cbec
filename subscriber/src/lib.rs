//! What XPTI loads into a SYCL program.

// Duration of tests: short in `cargo xtask test`, as long as the promises require in `cargo xtask soak`.

/** True for `cargo xtask soak`. */
export const isSoak = Boolean(process.env.SYCLSCOPE_SOAK);

/** Returns `long` in a soak, else `short`. */
export const whole = (short, long) => (isSoak ? long : short);

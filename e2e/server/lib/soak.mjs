// Duration of tests: a little in `cargo xtask test`, as long as the promises say in `cargo xtask soak`.

/** True for `cargo xtask soak`. */
export const isSoak = Boolean(process.env.SYCLSCOPE_SOAK);

/** The first where there is little time, the second in a soak. */
export const whole = (short, long) => (isSoak ? long : short);

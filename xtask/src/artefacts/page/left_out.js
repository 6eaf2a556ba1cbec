// Replaces, in the demo's page, the modules that open a file of this computer and write it in another format.
export default async () =>
  addEventListener("message", () =>
    postMessage([
      "failed",
      "left_out",
      "This page was built by `cargo xtask demo`, which leaves out what opens and writes files of your computer. " +
        "`cargo xtask build` makes the whole program, target/release/syclscope; `syclscope open FILE` works in both.",
    ]),
  );

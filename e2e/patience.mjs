/**
 * Maximum duration of anything in a test, in milliseconds. No test is about speed, and a machine may be busy with other
 * work: this limit only detects hangs.
 */
export const PATIENCE_MS = 1_800_000;

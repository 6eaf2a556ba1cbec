// SYCL_UR_TRACE=2, and SYCL_PI_TRACE=2 up to 2024.2: the runtime prints a line when a call begins and one when it ends.
// Lines of several threads may be mixed, so calls are counted anywhere in a line. The last ones, when the runtime is
// shut down, are written to the standard error stream.
import { count } from '../recording.mjs';

/** Returns the number of begun calls of the Unified Runtime or the Plugin Interface, by name. */
export function readCallTrace(text) {
  return count([...text.toString().matchAll(/---> ((?:ur|pi)\w+)/g)].map(([, name]) => name));
}

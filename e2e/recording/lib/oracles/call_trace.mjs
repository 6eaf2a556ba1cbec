// SYCL_UR_TRACE=2: the runtime prints a line when a call of the Unified Runtime begins and one when it ends. Lines of
// several threads may run into each other, hence calls are counted wherever they stand; the last ones, when the runtime
// is shut down, go to the standard error stream.
import { count } from '../recording.mjs';

/** How often each call began, by name. */
export function readCallTrace(text) {
  return count([...text.toString().matchAll(/---> (ur\w+)/g)].map(([, name]) => name));
}

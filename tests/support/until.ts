const POLL_EVERY_MS = 5
const never = new Int32Array(new SharedArrayBuffer(4))

/** Waits until something is so; the deadline is the test's. No timer of JavaScript, so that it works while jest's clock stands still. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await Atomics.waitAsync(never, 0, 0, POLL_EVERY_MS).value
}

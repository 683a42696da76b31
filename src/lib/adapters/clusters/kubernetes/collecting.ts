/** How many watches are opened before what that left behind is collected. */
const WATCHES = 8

/**
 * What a watch keeps lies among what opening it left behind, and holds the blocks of the heap that both are in. By itself the
 * collector comes late: Bun counts 256 KiB for every body that is waited for, most of which nobody has touched. Asked for now and
 * then, and not waited for, it makes 500 watches 10 MB smaller (`bench/watches.ts`).
 */
export function createCollecting(): () => void {
  let opened = 0
  return () => {
    opened += 1
    if (opened % WATCHES === 0) Bun.gc(false)
  }
}

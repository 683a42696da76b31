/** How long work may hold the event loop. */
const SLICE_MS = 2

export type Pause = ReturnType<typeof createTimeSlice>

/**
 * Long work awaits the returned function between its steps. During the slice the function returns `undefined`; afterwards it
 * returns a promise of the next slice, in another turn of the event loop.
 */
export function createTimeSlice(): () => Promise<void> | undefined {
  let endsAt = performance.now() + SLICE_MS
  async function nextSlice(): Promise<void> {
    await ownTurn()
    endsAt = performance.now() + SLICE_MS
  }
  return () => (performance.now() < endsAt ? undefined : nextSlice())
}

/** Waits for a turn of the event loop that no other slice has. For a step that is long by itself, such as the start of a program. */
export const ownTurn = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(startNextSlice)
  })

const waiting: (() => void)[] = []

/** Starts one slice per turn of the event loop: a hundred slices in the same turn would hold it as long as no slices. */
function startNextSlice(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(startNextSlice)
}

/** Steps per reading of the clock: a reading costs as much as a step. */
const STEPS_PER_CLOCK_READING = 128

/** Calls a short function with each item, in slices. */
export async function visitInSlices<Item>(
  items: Iterable<Item>,
  pause: Pause,
  visit: (item: Item) => void,
): Promise<void> {
  let steps = 0
  for (const item of items) {
    visit(item)
    if (++steps % STEPS_PER_CLOCK_READING === 0) await pause()
  }
}

const RUN_LENGTH = 512

/** A stable sort, in slices. */
export async function sortInSlices<Item extends object>(
  items: readonly Item[],
  compare: (a: Item, b: Item) => number,
  pause = createTimeSlice(),
): Promise<Item[]> {
  let runs: Item[][] = []
  for (let start = 0; start < items.length; start += RUN_LENGTH) {
    runs.push(items.slice(start, start + RUN_LENGTH).toSorted(compare))
    await pause()
  }
  while (runs.length > 1) {
    const merged: Item[][] = []
    for (let i = 0; i < runs.length; i += 2) {
      merged.push(await mergeInSlices(runs[i] ?? [], runs[i + 1] ?? [], compare, pause))
    }
    runs = merged
  }
  return runs[0] ?? []
}

/** Merges two sorted lists, in slices. Of equal items those of `a` come first. */
export async function mergeInSlices<Item extends object>(
  a: readonly Item[],
  b: readonly Item[],
  compare: (a: Item, b: Item) => number,
  pause = createTimeSlice(),
): Promise<Item[]> {
  const merged: Item[] = []
  const addAndCheck = (item: Item): boolean => merged.push(item) % RUN_LENGTH === 0
  let j = 0
  for (const left of a) {
    for (let right = b[j]; right !== undefined && compare(left, right) > 0; right = b[++j]) {
      if (addAndCheck(right)) await pause()
    }
    if (addAndCheck(left)) await pause()
  }
  for (const right of b.slice(j)) if (addAndCheck(right)) await pause()
  return merged
}

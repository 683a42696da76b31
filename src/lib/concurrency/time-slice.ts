/** How long work on the event loop may go on before everybody else gets a turn. */
const SLICE_MS = 2

export type Pause = ReturnType<typeof createTimeSlice>

/**
 * Long work on the event loop calls the returned function as it goes along and awaits what it gives: nothing while the
 * slice lasts, a turn for everybody else when it is over.
 */
export function createTimeSlice(): () => Promise<void> | undefined {
  let endsAt = performance.now() + SLICE_MS
  return () => {
    if (performance.now() < endsAt) return undefined
    return new Promise((resolve) => {
      waiting.push(() => {
        endsAt = performance.now() + SLICE_MS
        resolve()
      })
      if (waiting.length === 1) setImmediate(goOn)
    })
  }
}

const waiting: (() => void)[] = []

/** One of those who wait in each turn of the event loop: a hundred slices one after the other would be as long as no slices. */
function goOn(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(goOn)
}

/** How many small steps are taken between two looks at the clock, which costs as much as one of them. */
const STEPS_PER_LOOK = 128

/** Does something small with each item, with turns for everybody else in between. */
export async function visitInSlices<Item>(
  items: Iterable<Item>,
  pause: Pause,
  visit: (item: Item) => void,
): Promise<void> {
  let steps = 0
  for (const item of items) {
    visit(item)
    if (++steps % STEPS_PER_LOOK === 0) await pause()
  }
}

const RUN_LENGTH = 512

/** A stable sort that never holds the event loop for longer than a slice, which is the caller's if it has one. */
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

/** Two sorted lists as one; of equal items those of `a` come first. */
export async function mergeInSlices<Item extends object>(
  a: readonly Item[],
  b: readonly Item[],
  compare: (a: Item, b: Item) => number,
  pause = createTimeSlice(),
): Promise<Item[]> {
  const merged: Item[] = []
  const isPauseDue = (item: Item): boolean => merged.push(item) % RUN_LENGTH === 0
  let j = 0
  for (const left of a) {
    for (let right = b[j]; right !== undefined && compare(left, right) > 0; right = b[++j]) {
      if (isPauseDue(right)) await pause()
    }
    if (isPauseDue(left)) await pause()
  }
  for (const right of b.slice(j)) if (isPauseDue(right)) await pause()
  return merged
}

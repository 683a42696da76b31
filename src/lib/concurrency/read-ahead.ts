import { ok, type Result } from '../result.ts'

/** Runs work on each item, at most `ahead` at a time, and gives the outcomes in order. `work` must not throw. */
export async function* readAhead<Item, Value>(
  items: Iterable<Item>,
  ahead: number,
  work: (item: Item) => Promise<Value>,
): AsyncGenerator<readonly [Item, Value], void, void> {
  const running: { readonly item: Item; readonly value: Promise<Value> }[] = []
  const waiting = Iterator.from(items)
  const start = () => {
    const next = waiting.next()
    if (next.done !== true) running.push({ item: next.value, value: work(next.value) })
  }
  while (running.length < ahead) {
    const before = running.length
    start()
    if (running.length === before) break
  }
  for (let first = running.shift(); first !== undefined; first = running.shift()) {
    const value = await first.value
    start()
    yield [first.item, value]
  }
}

/** The values of the work on all items, in order, or the first failure. */
export async function allAhead<Item, Value, Failure>(
  items: Iterable<Item>,
  ahead: number,
  work: (item: Item) => Promise<Result<Value, Failure>>,
): Promise<Result<readonly Value[], Failure>> {
  const values: Value[] = []
  for await (const [, outcome] of readAhead(items, ahead, work)) {
    if (!outcome.ok) return outcome
    values.push(outcome.value)
  }
  return ok(values)
}

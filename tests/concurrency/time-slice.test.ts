import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  createTimeSlice,
  mergeInSlices,
  ownTurn,
  sortInSlices,
} from '#src/lib/concurrency/time-slice.ts'

interface Card {
  readonly key: number
  readonly index: number
}

const byKey = (a: Card, b: Card): number => a.key - b.key
const cards = (keys: readonly number[]): Card[] => keys.map((key, index) => ({ key, index }))
const keys = (maxLength: number) => fc.array(fc.nat({ max: 20 }), { maxLength })

describe('sortInSlices', () => {
  test('is what toSorted is, equal items in their order', async () => {
    await fc.assert(
      fc.asyncProperty(keys(100), async (list) => {
        expect(await sortInSlices(cards(list), byKey)).toStrictEqual(cards(list).toSorted(byKey))
      }),
      { numRuns: 200 },
    )
  })

  // prettier-ignore
  test.each([0, 1, 511, 512, 513, 1024, 1025, 5_000])('of %d items', async (count) => {
    const list = cards(Array.from({ length: count }, (_, index) => (index * 7919) % 101))
    expect(await sortInSlices(list, byKey)).toStrictEqual(list.toSorted(byKey))
  })

  test('leaves its input alone', async () => {
    const list = cards([3, 1, 2])
    await sortInSlices(list, byKey)
    expect(list).toStrictEqual(cards([3, 1, 2]))
  })
})

describe('mergeInSlices', () => {
  test('is both lists, sorted, those of the first before equal ones of the second', async () => {
    await fc.assert(
      fc.asyncProperty(keys(50), keys(50), async (a, b) => {
        const first = cards(a).toSorted(byKey)
        const second = cards(b).toSorted(byKey)
        expect(await mergeInSlices(first, second, byKey)).toStrictEqual(
          [...first, ...second].toSorted(byKey),
        )
      }),
      { numRuns: 500 },
    )
  })
})

/** Turns that anybody else had while the work lasted. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isOver = false
  const turn = () => {
    turns++
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  await work()
  isOver = true
  return turns
}

/** Asks for a turn for others, so often. */
function countedPause() {
  let count = 0
  const pause = () => {
    count++
    return undefined
  }
  return { pause, count: () => count }
}

describe('others get their turn', () => {
  const many = cards(Array.from({ length: 4_096 }, (_, index) => (index * 7919) % 10_007))

  test('between slices, and none within one', async () => {
    const pause = createTimeSlice()
    expect(pause()).toBeUndefined()
    while (pause() === undefined);
    expect(await turnsDuring(async () => pause())).toBeGreaterThanOrEqual(1)
  })

  test('after each slice, however many are at work', async () => {
    const slices = Array.from({ length: 20 }, () => createTimeSlice())
    while (slices.some((pause) => pause() === undefined));
    const pauseAll = () => Promise.all(slices.map(async (pause) => pause()))
    expect(await turnsDuring(pauseAll)).toBeGreaterThan(19)
  })

  test('after each run of 512, and in each merge of them', async () => {
    const { pause, count } = countedPause()
    await sortInSlices(many, byKey, pause)
    expect(count()).toBe(8 + 3 * 8)
  })

  test.each([
    ['the first', many.slice(0, 1).map(() => ({ key: 1e9, index: 0 })), many],
    ['the second', many, []],
  ])('while lists are merged of which %s ends late', async (_, a, b) => {
    const { pause, count } = countedPause()
    await mergeInSlices(a.toSorted(byKey), [...b].toSorted(byKey), byKey, pause)
    expect(count()).toBe(8)
  })
})

test('long steps have turns of the event loop of their own', async () => {
  const order: string[] = []
  const steps = Array.from({ length: 3 }, (_, at) => ownTurn().then(() => order.push(`step ${at}`)))
  const turns = async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve))
      order.push('other work')
    }
  }
  await Promise.all([...steps, turns()])
  expect(order.filter((what, at) => what === order[at + 1])).toStrictEqual([])
})

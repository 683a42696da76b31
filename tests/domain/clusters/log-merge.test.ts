import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  createLogMerge,
  createLogReader,
  logLines,
} from '#src/lib/domain/clusters/workloads/log-merge.ts'

const ALL = { linesMax: Number.POSITIVE_INFINITY, bytesMax: Number.POSITIVE_INFINITY }
const at = (second: number) => `2026-11-21T09:00:${String(second).padStart(2, '0')}.000000000Z`
const second = fc.integer({ min: 0, max: 59 })

/** Lines of several containers, each by its own time. */
const containers = fc
  .array(fc.array(second, { maxLength: 20 }), { maxLength: 5 })
  .map((each) =>
    each.map((seconds, container) =>
      seconds
        .toSorted((one, other) => one - other)
        .map((time, index) => ({ at: at(time), text: `${container}/${index}` })),
    ),
  )

describe('a merge', () => {
  test('has every line once, by time, each container in its own order', () =>
    fc.assert(
      fc.property(containers, (logs) => {
        const merge = createLogMerge(ALL)
        for (const line of logs.flat()) merge.add(line)
        const { lines, dropped } = merge.take()
        expect(dropped).toBe(0)
        expect(lines.map((line) => line.at)).toStrictEqual(lines.map((line) => line.at).toSorted())
        for (const [container, log] of logs.entries()) {
          const own = lines.filter(({ text }) => text.startsWith(`${container}/`))
          expect(own).toStrictEqual(log)
        }
        expect(lines).toHaveLength(logs.flat().length)
        expect([merge.isEmpty(), merge.take()]).toStrictEqual([true, { lines: [], dropped: 0 }])
      }),
    ))

  test('keeps the newest within its limits, and counts the others', () =>
    fc.assert(
      fc.property(containers, fc.nat(20), fc.nat(2_000), (logs, linesMax, bytesMax) => {
        const merge = createLogMerge({ linesMax, bytesMax })
        const all = logs.flat()
        for (const line of all) merge.add(line)
        const { lines, dropped } = merge.take()
        expect(lines.length + dropped).toBe(all.length)
        expect(lines.length).toBeLessThanOrEqual(linesMax)
        expect(lines.reduce((sum, { text }) => sum + text.length + 64, 0)).toBeLessThanOrEqual(
          bytesMax,
        )
        const newest = all.map((line) => line.at).toSorted()
        expect(lines.map((line) => line.at)).toStrictEqual(newest.slice(dropped))
      }),
    ))

  test('holds no more than twice its limit, however much comes', () => {
    const merge = createLogMerge({ ...ALL, bytesMax: 100_000 })
    const text = 'a'.repeat(136)
    for (let index = 0; index < 100_000; index++) merge.add({ at: at(index % 60), text })
    const { lines, dropped } = merge.take()
    expect(lines).toHaveLength(500)
    expect(dropped).toBe(99_500)
  })
})

describe('a reader', () => {
  test('reads on without loss or repetition, wherever it was cut off', () =>
    fc.assert(
      fc.property(fc.array(second, { maxLength: 30 }), fc.nat(30), (seconds, cut) => {
        const log = seconds
          .toSorted((one, other) => one - other)
          .map((time, index) => `${at(time)} line ${index}`)
        const first = createLogReader(null, 'shop/app')
        const read = log.slice(0, cut).map((line) => first.read(line))
        const position = first.position()
        const again = createLogReader(position, 'shop/app')
        // An API server begins with the whole second.
        const from = log.filter((line) => position === null || line >= position.at.slice(0, 19))
        const rest = from.map((line) => again.read(line)).filter((line) => line !== null)
        expect([...read, ...rest].map((line) => line?.text)).toStrictEqual(
          log.map((line) => line.replace(' ', ' shop/app ')),
        )
      }),
    ))

  // prettier-ignore
  test.each([
    ['2026-11-21T09:00:00.5Z a line',              '2026-11-21T09:00:00.500000000Z p/c a line'],
    ['2026-11-21T09:00:00Z',                       '2026-11-21T09:00:00.000000000Z p/c '],
    ['2026-11-21T10:00:00.123456789+01:00  two',   '2026-11-21T09:00:00.123456789Z p/c  two'],
    ['unable to retrieve container logs',          '2026-11-21T08:00:00.000000000Z p/c unable to retrieve container logs'],
  ])('%j is %j', (raw, text) => {
    const reader = createLogReader(null, 'p/c')
    reader.read(`${at(0).replace('T09', 'T08')} before`)
    expect(reader.read(raw)?.text).toBe(text)
  })

  test('keeps lines in their order when the clock of a node goes back', () => {
    const reader = createLogReader(null, 'p/c')
    expect([`${at(9)} one`, `${at(3)} two`].map((raw) => reader.read(raw))).toStrictEqual([
      { at: at(9), text: `${at(9)} p/c one` },
      { at: at(9), text: `${at(3)} p/c two` },
    ])
  })
})

test('lines are cut at 64 Ki characters, and may come in pieces', async () => {
  const long = 'é'.repeat(70_000)
  const bytes = Buffer.from(`one\n\n${long}\ntwo\nthree`)
  const chunks = [bytes.subarray(0, 9), bytes.subarray(9, 100_000), bytes.subarray(100_000)]
  const log = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  const lines: string[] = []
  for await (const line of logLines(log)) lines.push(line)
  expect(lines).toStrictEqual(['one', '', long.slice(0, 65_536), 'two', 'three'])
})

import { afterAll, beforeAll, describe, expect, jest, test } from 'bun:test'
import type { ParsedFile } from '#src/lib/domain/catalog/parse-file.ts'
import { type CatalogParserOptions, createCatalogParser } from '#src/lib/domain/catalog/parser.ts'
import type { ParseRequest } from '#src/lib/domain/catalog/parser-worker.ts'
import { entity, hostileYaml } from '#tests/support/hostile-yaml.ts'
import { LIFECYCLES, parse } from './repository.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const files = (count: number, prefix = 'e') =>
  Array.from({ length: count }, (_, index) => bytes(entity(`${prefix}${index}`)))
const namesIn = (parsed: readonly (ParsedFile | undefined)[]) =>
  parsed.map((file) => file?.entities[0]?.card.name ?? null)
const codesIn = (parsed: readonly (ParsedFile | undefined)[]) =>
  parsed.map((file) => file?.findings[0]?.code ?? null)

const disposable = (options: Partial<CatalogParserOptions> = {}) => {
  const parser = createCatalogParser({ lifecycles: LIFECYCLES, ...options })
  return Object.assign(parser, { [Symbol.dispose]: () => parser.close() })
}

describe('the thread', () => {
  test('answers what parseFile answers, in the order of the files', async () => {
    using parser = disposable()
    const sources = [
      ...files(3),
      new Uint8Array(),
      bytes('a: ['),
      bytes(`${entity('x')}---\n${entity('y', 'spec: {lifecycle: z}\n')}`),
      hostileYaml['one byte more than 1 MiB'].bytes,
      hostileYaml['not UTF-8'].bytes,
    ]
    const parsed = await parser.parse(sources)
    expect(structuredClone(parsed)).toStrictEqual(structuredClone(sources.map(parse)))
  })

  test('leaves the bytes with who has them', async () => {
    using parser = disposable()
    const source = bytes(entity('mine'))
    const part = source.subarray(0)
    await parser.parse([part, part])
    expect(source).toStrictEqual(bytes(entity('mine')))
  })

  test('takes many batches at once', async () => {
    using parser = disposable()
    parser.warm()
    const batches = Array.from({ length: 50 }, (_, batch) => files(batch % 7, `b${batch}-`))
    const parsed = await Promise.all(batches.map((batch) => parser.parse(batch)))
    expect(parsed.map(namesIn)).toStrictEqual(
      batches.map((batch, index) => batch.map((_, file) => `b${index}-${file}`)),
    )
  })

  test('has nothing to do for no files', async () => {
    using parser = disposable()
    expect(await parser.parse([])).toStrictEqual([])
  })
})

/** Takes some hundred milliseconds and is not wrong. */
const slow = hostileYaml['as many entities as fit'].bytes
const tooSlow = (deadlineMs: number): ParsedFile => ({
  entities: [],
  findings: [
    {
      severity: 'error',
      code: 'yaml_too_slow',
      line: null,
      column: null,
      ref: null,
      message: `reading this file took longer than ${deadlineMs} ms`,
    },
  ],
})

test('a file that is slow to parse is given up in the middle', async () => {
  using parser = disposable({ fileDeadlineMs: 4 })
  // One alone may be through before a busy machine looks at it again.
  expect(await parser.parse(Array<Uint8Array>(5).fill(slow))).toContainEqual(tooSlow(4))
})

test('beyond its time no further file is begun, and the next call has none left', async () => {
  using parser = disposable()
  const time = { leftMs: 1 }
  const parsed = await parser.parse([...files(1), slow, ...files(3)], time)
  expect(namesIn(parsed).slice(0, 1)).toStrictEqual(['e0'])
  expect(parsed.length).toBeLessThanOrEqual(2)
  expect(time.leftMs).toBeLessThanOrEqual(0)
  expect(await parser.parse(files(2), time)).toStrictEqual([])
  expect(namesIn(await parser.parse(files(2)))).toStrictEqual(['e0', 'e1'])
})

describe('after close', () => {
  test('what is not parsed yet rejects, and so does what comes later', async () => {
    const parser = createCatalogParser({ lifecycles: LIFECYCLES })
    const parsing = [parser.parse([slow]), parser.parse(files(1))]
    parser.close()
    const outcomes = await Promise.allSettled([...parsing, parser.parse(files(1))])
    expect(outcomes.map(({ status }) => status)).toStrictEqual(['rejected', 'rejected', 'rejected'])
  })

  test('closing and warming again does nothing', async () => {
    const parser = createCatalogParser({ lifecycles: LIFECYCLES })
    await parser.parse(files(1))
    parser.close()
    parser.close()
    parser.warm()
    const refusal = await parser.parse(files(1)).catch((error: unknown) => error)
    expect(refusal).toStrictEqual(new Error('the parser of catalog files is closed'))
  })
})

/** A thread that dies or stands still, which no file can make it do when it is asked to. */
describe('a thread', () => {
  const RealWorker = globalThis.Worker
  /** What becomes of each request in turn, and at which of its files; behind the last of them all goes well. */
  let fates: (readonly ['dies' | 'hangs', number] | 'lives')[] = []
  let held: PromiseWithResolvers<void> | undefined
  /** Every look finds that the parser has worked since the last one, as long as the pause between them. */
  const atWork = () => {
    let usedMs = 0
    return { fileDeadlineMs: 40, usedMs: () => (usedMs += 10) }
  }
  beforeAll(() => {
    class Mortal extends RealWorker {
      override postMessage(request: ParseRequest, transfer: never) {
        const progress = new Int32Array(request.progress)
        if (held !== undefined) {
          Atomics.store(progress, 0, 0)
          void held.promise.then(() => super.postMessage(request, transfer))
          return
        }
        const fate = fates.shift() ?? 'lives'
        if (fate === 'lives') {
          super.postMessage(request, transfer)
          return
        }
        const [ending, at] = fate
        Atomics.store(progress, 0, at)
        if (ending === 'hangs') return
        queueMicrotask(() => this.dispatchEvent(new ErrorEvent('error', { cancelable: true })))
      }
    }
    globalThis.Worker = Mortal
  })
  afterAll(() => {
    globalThis.Worker = RealWorker
  })

  test('that hangs in a file costs this file, and no other of its batch', async () => {
    using parser = disposable(atWork())
    fates = [
      ['hangs', 1],
      ['hangs', 2],
    ]
    jest.useFakeTimers()
    try {
      const parsing = parser.parse(files(5))
      jest.advanceTimersByTime(60)
      jest.advanceTimersByTime(60)
      const parsed = await parsing
      expect(namesIn(parsed)).toStrictEqual(['e0', null, 'e2', null, 'e4'])
      expect([parsed[1], parsed[3]]).toStrictEqual([tooSlow(40), tooSlow(40)])
    } finally {
      jest.useRealTimers()
    }
  })

  test('that hangs for all the time there is costs this file for good, and the others of its batch no more than this call', async () => {
    using parser = disposable(atWork())
    fates = [['hangs', 2]]
    jest.useFakeTimers()
    try {
      const parsing = parser.parse(files(4), { leftMs: 40 })
      jest.advanceTimersByTime(60)
      expect(await parsing).toStrictEqual([undefined, undefined, tooSlow(40)])
    } finally {
      jest.useRealTimers()
    }
  })

  test('that hangs does not reach the batches behind it', async () => {
    using parser = disposable(atWork())
    // The second request is what is left of the first batch: nothing.
    fates = [['hangs', 0], 'lives', 'lives', ['hangs', 0]]
    jest.useFakeTimers()
    try {
      const first = parser.parse(files(1))
      const second = parser.parse(files(5))
      const third = parser.parse(files(2))
      const last = parser.parse(files(2, 'last'))
      jest.advanceTimersByTime(60)
      expect(codesIn(await first)).toStrictEqual(['yaml_too_slow'])
      expect(codesIn(await second)).toStrictEqual([null, null, null, null, null])
      jest.advanceTimersByTime(60)
      expect(codesIn(await third)).toStrictEqual(['yaml_too_slow', null])
      expect(codesIn(await last)).toStrictEqual([null, null])
    } finally {
      jest.useRealTimers()
    }
  })

  test('that dies of a file costs this file', async () => {
    using parser = disposable()
    fates = [
      ['dies', 2],
      ['dies', 0],
    ]
    const parsed = await parser.parse(files(4))
    expect(namesIn(parsed)).toStrictEqual([null, 'e1', null, 'e3'])
    expect(parsed[2]?.findings[0]?.message).toBe('the parser stopped at this file')
  })

  test('that dies before any file is to blame costs none: the batch rejects, the next gets a thread', async () => {
    using parser = disposable()
    fates = [['dies', -1]]
    const outcomes = await Promise.allSettled([parser.parse(files(2)), parser.parse(files(2, 'n'))])
    expect(outcomes[0]).toMatchObject({
      status: 'rejected',
      reason: { message: 'the thread that parses catalog files does not start' },
    })
    expect(outcomes[1]?.status === 'fulfilled' && namesIn(outcomes[1].value)).toStrictEqual([
      'n0',
      'n1',
    ])
  })

  test('that has no processor keeps its file, however long it takes', async () => {
    using parser = disposable({ fileDeadlineMs: 40, usedMs: () => 0 })
    jest.useFakeTimers()
    try {
      held = Promise.withResolvers<void>()
      const parsing = parser.parse(files(1))
      jest.advanceTimersByTime(60_000)
      held.resolve()
      held = undefined
      expect(namesIn(await parsing)).toStrictEqual(['e0'])
    } finally {
      jest.useRealTimers()
    }
  })

  test('that is given its deadline, and the look that is under way, goes on', async () => {
    using parser = disposable(atWork())
    jest.useFakeTimers()
    try {
      held = Promise.withResolvers<void>()
      const parsing = parser.parse(files(1))
      jest.advanceTimersByTime(50)
      held.resolve()
      held = undefined
      expect(namesIn(await parsing)).toStrictEqual(['e0'])
    } finally {
      jest.useRealTimers()
    }
  })
})

test('everybody else goes on while costly files are parsed', async () => {
  using parser = disposable()
  await parser.parse(files(100))
  const [all, here] = [process.cpuUsage(), process.threadCpuUsage()]
  for (const name of [
    'a flat map of numbers',
    'many anchors',
    'explicit keys on each line',
    'as many entities as fit',
  ] as const)
    await parser.parse([hostileYaml[name].bytes])
  const [{ user }, { user: userHere }] = [process.cpuUsage(all), process.threadCpuUsage(here)]
  // Most processor time is that of other threads.
  expect(userHere / user).toBeLessThan(0.5)
})

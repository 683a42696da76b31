import { describe, expect, test } from 'bun:test'
import { observedPort } from '#src/lib/metrics/observed-port.ts'
import { err, ok } from '#src/lib/result.ts'

const CANARY = 'hunter2hunter2'

async function* items(...given: unknown[]) {
  for (const item of given) {
    await Bun.sleep(1)
    if (item instanceof Error) throw item
    yield item
  }
}

/** A port of every form that ours have. */
const port = {
  read: (of: string) => Promise.resolve(ok(of)),
  refuse: (what: string) => Promise.resolve(err({ kind: 'git_denied', what })),
  crash: (what: string) => Promise.reject(new Error(what)),
  slow: () => Bun.sleep(30).then(() => ok(undefined)),
  probe: (kind: string) => Promise.resolve({ kind, reason: 'tls' }),
  stream: (...given: unknown[]) => items(...given),
  now: () => 1,
  limit: 7,
  sessions: { find: (id: string) => Promise.resolve(err({ kind: 'database_unavailable', id })) },
}

function watched() {
  const answered: string[] = []
  const failed: string[] = []
  const seconds: number[] = []
  const observed = observedPort(port, {
    answered(call, took) {
      answered.push(call)
      seconds.push(took)
    },
    failed: (call, { kind }) => void failed.push(`${call} ${kind}`),
  })
  return { observed, answered, failed, seconds }
}

describe('an observed port', () => {
  test('answers what the port answers', async () => {
    const { observed } = watched()
    expect(await observed.read('a')).toStrictEqual(ok('a'))
    expect(await observed.refuse('b')).toStrictEqual(err({ kind: 'git_denied', what: 'b' }))
    expect(await Array.fromAsync(observed.stream(1, 2))).toStrictEqual([1, 2])
    expect([observed.now(), observed.limit]).toStrictEqual([1, 7])
    expect(observed.crash('no')).rejects.toThrow('no')
    expect(observed.read).toBe(observed.read)
  })

  test('tells calls and failures by method and kind, and nothing of what was passed in', async () => {
    const { observed, answered, failed } = watched()
    await observed.read(CANARY)
    await observed.refuse(CANARY)
    await observed.crash(CANARY).catch(() => undefined)
    await observed.sessions.find(CANARY)
    expect(answered).toStrictEqual(['read', 'refuse', 'crash', 'sessions.find'])
    expect(failed).toStrictEqual([
      'refuse git_denied',
      'crash thrown',
      'sessions.find database_unavailable',
    ])
  })

  test('tells how long the answer took to begin', async () => {
    const { observed, seconds } = watched()
    await observed.slow()
    // Seconds, not milliseconds.
    expect(seconds[0]).toBeWithin(0.025, 25)
    for await (const _ of observed.stream(1, 2)) expect(seconds).toHaveLength(2)
  })

  test('tells of items that are failures, of streams that break off, and of those without items', async () => {
    const { observed, answered, failed } = watched()
    await Array.fromAsync(observed.stream(ok(1), err({ kind: 'cluster_expired' })))
    await Array.fromAsync(observed.stream(1, new Error(CANARY))).catch(() => undefined)
    await Array.fromAsync(observed.stream())
    expect(answered).toStrictEqual(['stream', 'stream', 'stream'])
    expect(failed).toStrictEqual(['stream cluster_expired', 'stream thrown'])
  })

  test('tells of a stream that breaks off before its first item as of a call that failed', async () => {
    const outcomes: unknown[] = []
    const observed = observedPort(port, {
      answered: (_, __, failure) => void outcomes.push(failure),
      failed: (_, failure) => void outcomes.push(failure),
    })
    await Array.fromAsync(observed.stream(new Error(CANARY))).catch(() => undefined)
    expect(outcomes).toStrictEqual([{ kind: 'thrown' }, { kind: 'thrown' }])
  })

  test('lets go of a stream whose reader leaves', async () => {
    let isClosed = false
    const endless = {
      async *stream() {
        try {
          for (let number = 0; ; number++) yield number
        } finally {
          isClosed = true
        }
      },
    }
    const observed = observedPort(endless, { answered() {}, failed() {} })
    for await (const number of observed.stream()) if (number === 3) break
    expect(isClosed).toBe(true)
  })

  test.each([
    ['unreachable', ['probe unreachable']],
    ['not_ready', ['probe not_ready']],
    ['ready', []],
    ['answers', []],
  ])('a cluster that is %s', async (kind, expected) => {
    const { observed, failed } = watched()
    await observed.probe(kind)
    expect(failed).toStrictEqual(expected)
  })
})

import { describe, expect, test } from 'bun:test'
import { meteredPort } from '#src/lib/metrics/metered-port.ts'
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
  const metered = meteredPort(port, {
    answered(call, took) {
      answered.push(call)
      seconds.push(took)
    },
    failed: (call, kind) => void failed.push(`${call} ${kind}`),
  })
  return { metered, answered, failed, seconds }
}

describe('a metered port', () => {
  test('answers what the port answers', async () => {
    const { metered } = watched()
    expect(await metered.read('a')).toStrictEqual(ok('a'))
    expect(await metered.refuse('b')).toStrictEqual(err({ kind: 'git_denied', what: 'b' }))
    expect(await Array.fromAsync(metered.stream(1, 2))).toStrictEqual([1, 2])
    expect([metered.now(), metered.limit]).toStrictEqual([1, 7])
    expect(metered.crash('no')).rejects.toThrow('no')
    expect(metered.read).toBe(metered.read)
  })

  test('tells calls and failures by method and kind, and nothing of what was passed in', async () => {
    const { metered, answered, failed } = watched()
    await metered.read(CANARY)
    await metered.refuse(CANARY)
    await metered.crash(CANARY).catch(() => undefined)
    await metered.sessions.find(CANARY)
    expect(answered).toStrictEqual(['read', 'refuse', 'crash', 'sessions.find'])
    expect(failed).toStrictEqual([
      'refuse git_denied',
      'crash thrown',
      'sessions.find database_unavailable',
    ])
  })

  test('tells how long the answer took to begin', async () => {
    const { metered, seconds } = watched()
    await metered.slow()
    // Seconds, not milliseconds.
    expect(seconds[0]).toBeWithin(0.025, 25)
    for await (const _ of metered.stream(1, 2)) expect(seconds).toHaveLength(2)
  })

  test('tells of items that are failures, of streams that break off, and of those without items', async () => {
    const { metered, answered, failed } = watched()
    await Array.fromAsync(metered.stream(ok(1), err({ kind: 'cluster_expired' })))
    await Array.fromAsync(metered.stream(1, new Error(CANARY))).catch(() => undefined)
    await Array.fromAsync(metered.stream())
    expect(answered).toStrictEqual(['stream', 'stream', 'stream'])
    expect(failed).toStrictEqual(['stream cluster_expired', 'stream thrown'])
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
    const metered = meteredPort(endless, { answered() {}, failed() {} })
    for await (const number of metered.stream()) if (number === 3) break
    expect(isClosed).toBe(true)
  })

  test.each([
    ['unreachable', ['probe unreachable']],
    ['not_ready', ['probe not_ready']],
    ['ready', []],
    ['answers', []],
  ])('a cluster that is %s', async (kind, expected) => {
    const { metered, failed } = watched()
    await metered.probe(kind)
    expect(failed).toStrictEqual(expected)
  })
})

import { describe, expect, test } from 'bun:test'
import { keptAudit } from '#tests/support/kept-audit.ts'

const ANN = { issuer: 'https://id.example', subject: 'ann', name: 'Ann' }
const entry = {
  action: 'scaffold.start',
  target: 'component/shop',
  requestId: 'r',
  address: null,
} as const

test('the end of a run is the outcome of its own open rows alone', async () => {
  const { audit, entries, lines } = keptAudit()
  for (const runId of ['a', 'b']) await audit.decide(ANN).begin({ ...entry, details: { runId } })
  await audit.record(ANN, { ...entry, result: 'allowed', details: { runId: 'a' } })
  const { length } = lines
  const { target } = entry
  await audit.finish({ target, action: 'scaffold' }, 'a', {
    result: 'done',
    code: null,
    details: { prNumber: 7 },
  })
  expect(entries().map(({ result, details }) => [result, details])).toStrictEqual([
    ['done', { runId: 'a', prNumber: 7 }],
    ['started', { runId: 'b' }],
    ['allowed', { runId: 'a' }],
  ])
  expect(lines.slice(length)).toMatchObject([{ result: 'done', recorded: true }])
})

describe('while the database is away', () => {
  const begun = async () => {
    const kept = keptAudit()
    const decision = kept.audit.decide(ANN)
    await decision.begin({ ...entry, details: { runId: 'a' } })
    kept.state.isAway = true
    return { ...kept, decision }
  }
  const { target } = entry
  const DONE = { result: 'done', code: null, details: {} } as const

  test.each<[string, (at: Awaited<ReturnType<typeof begun>>) => Promise<unknown>]>([
    ['an outcome', ({ decision }) => decision.end({ ...entry, ...DONE })],
    ['the end of a run', ({ audit }) => audit.finish({ target, action: 'scaffold' }, 'a', DONE)],
  ])('%s waits for it, at the end of the process too', async (_, act) => {
    const at = await begun()
    expect(await act(at)).toStrictEqual({ ok: true, value: undefined })
    const closed = at.audit.close()
    at.state.isAway = false
    await closed
    expect(at.entries()).toMatchObject([{ result: 'done' }])
    expect(at.lines.at(-1)).toMatchObject({ result: 'done', recorded: true })
  })

  test('what it never takes holds up nothing else', async () => {
    const { audit, decision, state, entries } = await begun()
    state.unreadable = 'component/lost'
    await audit.finish({ target: state.unreadable, action: 'scaffold' }, 'b', DONE)
    await decision.end({ ...entry, ...DONE })
    state.isAway = false
    while (entries()[0]?.result !== 'done') await Bun.sleep(5)
  })

  test('a thousand wait at most', async () => {
    const { audit } = await begun()
    const failures: unknown[] = []
    for (let index = 0; index <= 1_000; index++) {
      const ended = await audit.finish({ target, action: 'scaffold' }, '-', DONE)
      if (!ended.ok) failures.push(ended.error.kind)
    }
    expect(failures).toStrictEqual(['database_unavailable'])
  })

  test('effects under way get their outcome before the process ends', async () => {
    const { audit, decision, state, entries } = await begun()
    state.isAway = false
    const effects = Promise.withResolvers<void>()
    const acted = decision
      .attempt(() => effects.promise)
      .then(() => decision.end({ ...entry, ...DONE }))
    const closed = audit.close()
    effects.resolve()
    await closed
    expect(entries()).toMatchObject([{ result: 'done' }])
    await acted
  })
})

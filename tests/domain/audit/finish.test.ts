import { expect, test } from 'bun:test'
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
  await audit.finish(
    { target, action: 'scaffold' },
    { runId: 'a' },
    { result: 'done', code: null, details: { prNumber: 7 } },
  )
  expect(entries().map(({ result, details }) => [result, details])).toStrictEqual([
    ['done', { runId: 'a', prNumber: 7 }],
    ['started', { runId: 'b' }],
    ['allowed', { runId: 'a' }],
  ])
  expect(lines.slice(length)).toMatchObject([{ result: 'done', recorded: true }])
})

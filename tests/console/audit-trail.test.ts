import { describe, expect, test } from 'bun:test'
import {
  actionFilter,
  type AuditRecord,
  factsOf,
  joinPages,
} from '#src/console/pages/audit/trail.ts'

const record = (id: string, facts: Partial<AuditRecord> = {}): AuditRecord => ({
  id,
  at: '2026-11-21T09:30:00.000Z',
  actor: { subject: 'dev', name: 'Dana' },
  action: 'promotion.propose',
  target: 'component/shop',
  team: 'payments',
  via: null,
  result: 'started',
  code: null,
  groups: [],
  revision: null,
  requestId: null,
  address: null,
  details: {},
  ...facts,
})
const ids = (records: readonly AuditRecord[]) => records.map(({ id }) => id).join('')

test.each([
  [undefined, { without: 'session' }],
  ['all', {}],
  ['session', { action: 'session' }],
])('the action %p of the address is asked for as %p', (asked, filter) => {
  expect(actionFilter(asked)).toStrictEqual(filter)
})

describe('pages are joined', () => {
  test.each([
    ['', 'cb', 'cb'],
    ['cba', 'cb', 'cba'],
    ['cba', 'dc', 'dcba'],
    ['ba', 'ed', 'ed'],
    ['cba', '', ''],
  ])('after %p the page %p shows %p', (seen, page, shown) => {
    const records = (text: string) => text.split('').map((id) => record(id))
    expect(ids(joinPages(records(seen), records(page)))).toBe(shown)
  })

  test('with the present outcome of a record', () => {
    const [first] = joinPages([record('a')], [record('a', { result: 'done' })])
    expect(first?.result).toBe('done')
  })
})

test('facts have names, and those without a value are left out', () => {
  const facts = factsOf(
    record('a', {
      code: 'forbidden',
      groups: ['a', 'b'],
      details: {
        dryRun: true,
        target: 'production',
        none: null,
        upstream: { kind: 'git_denied', what: 'contents: write' },
      },
    }),
  )
  expect(facts).toStrictEqual([
    ['Action', 'promotion.propose'],
    ['Reason', 'forbidden'],
    ['Granted by', 'a, b'],
    ['dryRun', 'true'],
    ['target', 'production'],
    ['Other system', 'git_denied: contents: write'],
  ])
})

import { expect, test } from 'bun:test'
import { actionFilter, type AuditRecord, factsOf } from '#src/console/pages/audit/trail.ts'
import { auditRecord } from './audit-record.ts'

const record = (id: string, facts: Partial<AuditRecord> = {}) =>
  auditRecord({ id, result: 'started', requestId: null, ...facts })

test.each([
  [undefined, { without: 'session' }],
  ['all', {}],
  ['session', { action: 'session' }],
])('the action %p of the address is asked for as %p', (asked, filter) => {
  expect(actionFilter(asked)).toStrictEqual(filter)
})

test('facts have names, and those without a value are left out', () => {
  const facts = factsOf(
    record('a', {
      code: 'forbidden',
      groups: ['a', 'b'],
      details: {
        dryRun: true,
        groupsKnown: false,
        newer: 1,
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
    ['Preview only', 'yes'],
    ['Groups known', 'no'],
    ['newer', '1'],
    ['Target', 'production'],
    ['Other system', 'git_denied: contents: write'],
  ])
})

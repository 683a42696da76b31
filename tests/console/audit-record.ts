import type { AuditRecord } from '#src/console/pages/audit/trail.ts'

/** Dana has proposed a promotion. */
export const auditRecord = (given: Partial<AuditRecord>): AuditRecord => ({
  id: '1',
  at: '2026-11-23T10:00:00Z',
  actor: { subject: 'dev', name: 'Dana' },
  action: 'promotion.propose',
  target: 'component/shop',
  team: 'payments',
  via: null,
  result: 'done',
  code: null,
  groups: [],
  revision: null,
  requestId: 'r1',
  address: null,
  details: {},
  ...given,
})

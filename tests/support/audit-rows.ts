import type { AuditRecord } from '#src/lib/domain/audit/entry.ts'
import { ALL_RECORDS } from './kept-audit.ts'
import type { TestPortal } from './portal.ts'
import { valueOf } from './value-of.ts'

export interface AuditedRow extends Omit<AuditRecord, 'id' | 'at' | 'actor'> {
  readonly actor: { readonly subject: string | null; readonly name: string }
}

/** What the audit trail tells the platform team, oldest first. */
export async function auditRows(
  portal: TestPortal,
  query = 'limit=200',
): Promise<readonly AuditedRow[]> {
  const response = await portal.request(`/api/v1/audit?${query}`, { as: 'platform' })
  return ((await response.json()) as AuditedRow[]).toReversed()
}

/** Its records, newest first, where a request of the platform team would be one more. */
export const recordsOf = async (portal: TestPortal) =>
  valueOf(await portal.portal.audit.list(ALL_RECORDS)).records

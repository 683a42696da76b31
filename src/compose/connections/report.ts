import type { SubjectFindings } from '../../lib/domain/connections.ts'

export interface ConnectionReport {
  readonly ok: boolean
  /** One line per finding, and a summary. */
  readonly text: string
}

/** @param passed the summary when nothing failed */
export function reportOf(
  subjects: readonly SubjectFindings[],
  passed = 'All checks passed.',
): ConnectionReport {
  const width = Math.max(0, ...subjects.map(({ name }) => name.length))
  const lines = subjects.flatMap(({ name, findings }) =>
    findings.map(
      ({ ok, text }) =>
        `${ok ? 'ok  ' : 'FAIL'}  ${name.replaceAll('_', ' ').padEnd(width)}  ${text}`,
    ),
  )
  const failed = subjects.flatMap(({ findings }) => findings).filter(({ ok }) => !ok).length
  const summary = failed === 0 ? passed : `${failed} of ${lines.length} checks failed.`
  return { ok: failed === 0, text: [...lines, '', summary].join('\n') }
}

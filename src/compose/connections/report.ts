import { type ConnectionFinding, fails } from '../../lib/ports/connection-finding.ts'

/** Checks under one name. */
export interface ConnectionSubject {
  readonly name: string
  readonly check: () => Promise<readonly ConnectionFinding[]>
}

export interface SubjectFindings {
  readonly name: string
  readonly findings: readonly ConnectionFinding[]
}

const CHECK_DEADLINE_MS = 10_000

/** Checks all subjects at once, and returns their findings in the order of the subjects. */
export const checkSubjects = (
  subjects: readonly ConnectionSubject[],
  deadlineMs = CHECK_DEADLINE_MS,
): Promise<readonly SubjectFindings[]> =>
  Promise.all(
    subjects.map(async ({ name, check }) => ({ name, findings: await inTime(check, deadlineMs) })),
  )

async function inTime(
  check: ConnectionSubject['check'],
  deadlineMs: number,
): Promise<readonly ConnectionFinding[]> {
  const { promise, resolve } = Promise.withResolvers<readonly ConnectionFinding[]>()
  const seconds = Math.round(deadlineMs / 1000)
  const timer = setTimeout(() => resolve([fails(`No answer within ${seconds} s.`)]), deadlineMs)
  return Promise.race([check(), promise]).finally(() => clearTimeout(timer))
}

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
    findings.map(({ ok, text }) => `${ok ? 'ok  ' : 'FAIL'}  ${name.padEnd(width)}  ${text}`),
  )
  const failed = subjects.flatMap(({ findings }) => findings).filter(({ ok }) => !ok).length
  const summary = failed === 0 ? passed : `${failed} of ${lines.length} checks failed.`
  return { ok: failed === 0, text: [...lines, '', summary].join('\n') }
}

import { posix } from 'node:path'
import type { Report } from './report.ts'
import { printable } from './printable.ts'
import { summaryOf } from './summary.ts'

/**
 * Workflow commands of GitHub Actions, which Gitea and Forgejo read too. They are escaped as `@actions/core` does: `%`, and in
 * properties `:` and `,` too. Control characters are written out, as in text, since a log shows the commands.
 */
export const githubReport: Report = (checked, { prefix }) =>
  [
    ...checked.problems.map(({ path, line, column, severity, code, message }) => {
      const properties = {
        file: posix.join(prefix, path),
        ...(line !== null && { line, col: column ?? 1 }),
        title: code,
      }
      const list = Object.entries(properties).map(([key, value]) => `${key}=${property(value)}`)
      return `::${severity} ${list.join(',')}::${data(message)}`
    }),
    summaryOf(checked),
  ].join('\n')

const data = (text: string): string => printable(text).replaceAll('%', '%25')

const property = (value: string | number): string =>
  data(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C')

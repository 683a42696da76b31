import { join } from 'node:path'
import type { Report } from './report.ts'
import { printable } from './printable.ts'
import { summaryOf } from './summary.ts'

/** A line per problem, as compilers write it: editors and terminals lead to the file. */
export const textReport: Report = (checked, { given }) =>
  [
    ...checked.problems.map(({ path, line, column, severity, code, message }) => {
      const place = [join(given, path), ...(line === null ? [] : [line, column ?? 1])].join(':')
      return `${printable(place)}: ${severity}: ${printable(message)} (${code})`
    }),
    summaryOf(checked),
  ].join('\n')

import { githubReport } from './github.ts'
import { jsonReport } from './json.ts'
import type { Report } from './report.ts'
import { sarifReport } from './sarif.ts'
import { textReport } from './text.ts'

export const formats = {
  text: textReport,
  json: jsonReport,
  github: githubReport,
  sarif: sarifReport,
} as const satisfies Record<string, Report>

export type Format = keyof typeof formats

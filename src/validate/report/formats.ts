import type { CheckedCheckout } from '../check-checkout.ts'
import { githubReport } from './github.ts'
import { jsonReport } from './json.ts'
import { sarifReport } from './sarif.ts'
import { textReport } from './text.ts'

export interface ReportPlace {
  /** The folder, as the caller has written it. */
  readonly given: string
  /** The folder as seen from the working directory, with `/`; empty when it is outside: tools count paths from there. */
  readonly prefix: string
}

/** Renders the outcome, without the last line end. */
export type Report = (checked: CheckedCheckout, place: ReportPlace) => string

export const formats = {
  text: textReport,
  json: jsonReport,
  github: githubReport,
  sarif: sarifReport,
} as const satisfies Record<string, Report>

export type Format = keyof typeof formats
